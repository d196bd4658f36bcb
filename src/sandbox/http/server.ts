import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { CORS, type FaultyReply, handle } from "../api/handle.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { setTimeout } from "../clock/machine.ts";
import { logExchanges } from "../observe/exchange-log.ts";
import type { PageHandler } from "../page/server.ts";
import type { Sandbox } from "../sandbox.ts";
import type { World } from "../state/world.ts";

/** A sandbox on real HTTP. */
export interface ServedSandbox {
  /** `http://127.0.0.1:4010`. */
  readonly url: string;
  /** What a client takes: `url` and the path prefix. */
  readonly baseUrl: string;
  readonly port: number;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** What is served: a sandbox, and the world behind it that its page shows. */
export interface Host {
  readonly world: World;
  readonly sandbox: Sandbox;
  readonly clock: "virtual" | "real";
}

const { mostBytes: MOST_BYTES } = ASSUMPTIONS.sizes.value;

// Asked for at run time, so that a bundler for browsers finds no Node module to stumble over.
function nodeHttp(): typeof import("node:http") {
  const http = globalThis.process?.getBuiltinModule?.("node:http");
  if (http !== undefined) return http;
  throw new ConfigurationError(
    "serve() needs node:http, which this runtime lacks. `sandbox.fetch` works everywhere.",
  );
}

/** The body of a request; `undefined` where it is larger than `most` bytes. */
export async function read(
  request: IncomingMessage,
  most: number = MOST_BYTES,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    // The rest is read too, and thrown away: whoever is still sending does not read an answer.
    if (length <= most) chunks.push(chunk);
  }
  return length > most ? undefined : Buffer.concat(chunks).toString("utf8");
}

function json(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { ...CORS, "content-type": "application/json" });
  response.end(JSON.stringify({ success: false, error }));
}

/** Names and values, which Node hands over in one row. */
const pairsOf = (row: readonly string[]) =>
  row.flatMap((name, at) => (at % 2 === 0 ? [[name, row[at + 1] ?? ""] as const] : []));

/** Shows a reply and its faults on a socket. */
function show({ latencyMs, fault, reply }: FaultyReply, response: ServerResponse): void {
  if (latencyMs > 0) {
    setTimeout(show, latencyMs, { latencyMs: 0, fault, reply }, response);
    return;
  }
  // Nobody is there to answer any more, and nothing is to be done for them.
  if (response.destroyed || fault === "hang") return;
  if (fault === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status, headers, body } = reply();
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
  response.writeHead(200, { ...CORS, "content-type": "application/json" });
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
      (await import("../control/control.ts")).control(host, request, response);
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
    const body = await read(request).catch(() => undefined);
    if (body === undefined) {
      json(response, 413, `The body is larger than ${MOST_BYTES} bytes.`);
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
