import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { handle } from "../api/handle.ts";
import { CORS_HEADERS } from "../api/json-response.ts";
import type { PlannedResponse } from "../api/messages.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { setTimeout } from "../clock/machine.ts";
import { logExchanges } from "../observe/exchange-log.ts";
import type { PageHandler } from "../page/server.ts";
import type { ServedSandbox } from "../types.ts";
import type { Host } from "./host.ts";
import { MAX_BODY_BYTES, readBody } from "./read-body.ts";

// Asked for at run time, so that a bundler for browsers finds no Node module to stumble over.
function nodeHttp(): typeof import("node:http") {
  const http = globalThis.process?.getBuiltinModule?.("node:http");
  if (http !== undefined) return http;
  throw new ConfigurationError(
    "serve() needs node:http, which this runtime lacks. `sandbox.fetch` works everywhere.",
  );
}

function json(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { ...CORS_HEADERS, "content-type": "application/json" });
  response.end(JSON.stringify({ success: false, error }));
}

/** Names and values, which Node hands over in one row. */
const pairsOf = (row: readonly string[]) =>
  row.flatMap((name, at) => (at % 2 === 0 ? [[name, row[at + 1] ?? ""] as const] : []));

/** Shows a reply and its faults on a socket. */
function show({ latencyMs, fault, respond }: PlannedResponse, response: ServerResponse): void {
  if (latencyMs > 0) {
    setTimeout(() => show({ latencyMs: 0, fault, respond }, response), latencyMs);
    return;
  }
  // Nobody is there to answer any more, and nothing is to be done for them.
  if (response.destroyed || fault === "hang") return;
  if (fault === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status, headers, body } = respond();
  if (fault === "lostResponse") {
    response.socket?.resetAndDestroy();
    return;
  }
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, "content-length": bytes.length });
  if (fault === "truncate") {
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
  } else {
    response.end(bytes);
  }
}

/** The service as OpenAPI, with this server's own address in it. */
async function showOpenApi({ method = "", socket }: IncomingMessage, response: ServerResponse) {
  if (method !== "GET" && method !== "HEAD") {
    json(response, 405, "/openapi.json takes GET.");
    return;
  }
  // Made when somebody asks: nobody waits for it at the start.
  const { openApiDocument } = await import("#openapi");
  const baseUrl = `http://127.0.0.1:${socket.localPort}${ASSUMPTIONS.address.value.prefix}`;
  response.writeHead(200, { ...CORS_HEADERS, "content-type": "application/json" });
  response.end(JSON.stringify(openApiDocument(baseUrl)));
}

/** Orders in JSON, of the command line and whoever else may give them. */
const isControl = (pathname: string) => pathname.startsWith("/_sandbox/api/");

/** The page is at the root, its actions below `/_sandbox/`. */
const isPage = (pathname: string) => pathname === "/" || pathname.startsWith("/_sandbox/");

/** Puts a sandbox on `node:http`, on loopback alone: the service below its prefix, and the page. */
export async function serve(host: Host, port: number): Promise<ServedSandbox> {
  const { prefix } = ASSUMPTIONS.address.value;
  const { world } = host;
  const log = logExchanges(world);
  let page: Promise<PageHandler> | undefined;
  const server = nodeHttp().createServer(async (request, response) => {
    const { url: target = "/" } = request;
    if (!URL.canParse(target, "http://localhost")) {
      json(response, 400, "The address cannot be read.");
      return;
    }
    const { pathname, searchParams } = new URL(target, "http://localhost");
    if (isControl(pathname)) {
      (await import("../control/control.ts")).handleControl(host, request, response);
      return;
    }
    if (isPage(pathname)) {
      // Loaded when somebody looks: a server in a test never needs it.
      page ??= import("#page").then(({ createPage }) => createPage(host, log));
      (await page)(request, response);
      return;
    }
    if (pathname === "/openapi.json") {
      await showOpenApi(request, response);
      return;
    }
    const below = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : undefined;
    if (below === undefined || !/^(\/|$)/.test(below)) {
      json(response, 404, `There is nothing at ${pathname}. The service is at ${prefix}.`);
      return;
    }
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) {
      json(response, 413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
      return;
    }
    const header = (name: string) => request.headers[name]?.toString();
    const method = request.method ?? "GET";
    const headers = () => pairsOf(request.rawHeaders);
    const path = below || "/";
    show(handle(world, { method, path, query: searchParams, header, headers, body }), response);
  });
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new ConfigurationError(
      `\`port\` is ${port}. It takes 0 to 65535; 0 is any that is free.`,
    );
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new ConfigurationError(`Port ${port} is in use. Choose another, or 0 for any.`, {
              cause: error,
            })
          : error,
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as { port: number };
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    baseUrl: url + prefix,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        log.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
