import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { ConfigurationError } from "../errors/configuration.ts";
import { readNodeBody } from "../internal/on-node.ts";
import { handle } from "./api/handle.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { setTimeout } from "./clock.ts";
import {
  type Access,
  forbiddenReason,
  foreignHostError,
  withoutCors,
  withoutForeignCors,
} from "./http/access.ts";
import type { ServerContext } from "./http/respond.ts";
import { type ApiRequest, jsonResponse, type PlannedResponse } from "./messages.ts";
import { ExchangeLog } from "./observe/exchange-log.ts";
import type { PageHandler } from "./page/server.ts";
import type { ServedSandbox } from "./sandbox-types.ts";

type Headers = Readonly<Record<string, string>>;

const { prefix: PREFIX } = ASSUMPTIONS.address.value;

/** Serves a sandbox with `node:http`: the service below its prefix, and the page. */
export async function serve(
  served: Omit<ServerContext, "log" | "scenes">,
  port: number,
  access: Access,
): Promise<ServedSandbox> {
  const log = new ExchangeLog(served.sandboxState);
  const route = createRouter({ ...served, log, scenes: new Map() }, access);
  const server = nodeHttp().createServer((request, response) => {
    route(request, response).catch((error: unknown) => fail(response, error));
  });
  await listen(server, port, access.host);
  const address = server.address() as { port: number };
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    baseUrl: url + PREFIX,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        log.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// Looked up at run time, so that a bundler for browsers finds no import of a Node module.
function nodeHttp(): typeof import("node:http") {
  const http = globalThis.process?.getBuiltinModule?.("node:http");
  if (http !== undefined) return http;
  throw new ConfigurationError(
    "serve() needs node:http, which this runtime does not have. Use sandbox.fetch: it works everywhere.",
  );
}

function listen(server: Server, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isInUse = error.code === "EADDRINUSE";
      const message = `Port ${port} is in use. Choose another one, or 0 for any free port.`;
      reject(isInUse ? new ConfigurationError(message, { cause: error }) : error);
    });
    server.listen(port, address, resolve);
  });
}

/** The pages and the control API. Only this machine, and no page of another site, may use them. */
const OWN_PATHS = /^\/(?:(?:_sandbox|docs)\/.*|docs|openapi\.json)?$/;

/** Responds to every request: to those for the service, and to those for what is beside it. */
function createRouter(server: ServerContext, access: Access): PageHandler {
  let page: Promise<PageHandler> | undefined;

  async function callService(
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { pathname } = url;
    const { origin, host } = request.headers;
    const shape = (headers: Headers) => withoutForeignCors(headers, origin, access);
    const foreign = host === undefined ? undefined : foreignHostError(host, access);
    if (foreign !== undefined) return sendError(response, 403, foreign);
    const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : undefined;
    if (path === undefined || !/^(\/|$)/.test(path)) {
      const error = `There is no endpoint at ${pathname}. The service is at ${PREFIX}.`;
      return sendError(response, 404, error, shape);
    }
    const { maxBytes } = ASSUMPTIONS.sizes.value;
    const body = await readNodeBody(request, maxBytes);
    if (body === undefined) {
      return sendError(response, 413, `The body is larger than ${maxBytes} bytes.`, shape);
    }
    send(handle(server.sandboxState, apiRequest(url, path, request, body)), response, shape);
  }

  return async (request, response) => {
    const { url: target = "/" } = request;
    if (!URL.canParse(target, "http://localhost")) {
      return sendError(response, 400, "The request target is not a valid URL.");
    }
    const url = new URL(target, "http://localhost");
    if (!OWN_PATHS.test(url.pathname)) return callService(url, request, response);
    const forbidden = forbiddenReason(request, access);
    if (forbidden !== undefined) return sendError(response, 403, forbidden);
    // Both are loaded when they are first used: a server in a test seldom needs them. The page is an
    // ES module only, which Jest cannot load without a flag. The control API works there, too.
    if (url.pathname.startsWith("/_sandbox/api/")) {
      const { handleControl } = await import("./control/control-api.ts");
      return handleControl(server, request, response);
    }
    page ??= import("#page").then(({ createPage }) => createPage(server));
    return (await page)(request, response);
  };
}

const apiRequest = (
  url: URL,
  path: string,
  { method = "GET", headers, rawHeaders }: IncomingMessage,
  body: ApiRequest["body"],
): ApiRequest => ({
  method,
  path: path || "/",
  query: url.searchParams,
  header: (name) => headers[name]?.toString(),
  headers: () => headerPairs(rawHeaders),
  body,
});

/** Node's raw headers alternate names and values in one list. */
const headerPairs = (rawHeaders: readonly string[]) =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );

function send(
  planned: PlannedResponse,
  response: ServerResponse,
  shape: (headers: Headers) => Headers,
): void {
  const { latencyMs, fault, respond } = planned;
  if (latencyMs > 0) {
    setTimeout(() => send({ ...planned, latencyMs: 0 }, response, shape), latencyMs);
    return;
  }
  // A client that has gone gets no response, and nothing is done for it.
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
  response.writeHead(status, { ...shape(headers), "content-length": bytes.length });
  if (fault === "truncate") {
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
  } else {
    response.end(bytes);
  }
}

function sendError(
  response: ServerResponse,
  status: number,
  error: string,
  shape: (headers: Headers) => Headers = withoutCors,
): void {
  const { headers, body } = jsonResponse(status, { success: false, error });
  response.writeHead(status, shape(headers));
  response.end(body);
}

/** A request that breaks must not take the gateway with it. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else sendError(response, 500, `The sandbox failed: ${String(error)}`);
}
