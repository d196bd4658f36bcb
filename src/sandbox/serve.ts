import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../errors/configuration.ts";
import { type ApiRequest, CORS, type FaultyReply } from "./api.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { setTimeout } from "./timers.ts";

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

const { mostBytes: MOST_BYTES } = ASSUMPTIONS.sizes.value;

// Asked for at run time, so that a bundler for browsers finds no Node module to stumble over.
function nodeHttp(): typeof import("node:http") {
  const http = globalThis.process?.getBuiltinModule?.("node:http");
  if (http !== undefined) return http;
  throw new ConfigurationError(
    "serve() needs node:http, which this runtime lacks. `sandbox.fetch` works everywhere.",
  );
}

async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    // The rest is read too, and thrown away: whoever is still sending does not read an answer.
    if (length <= MOST_BYTES) chunks.push(chunk);
  }
  return length > MOST_BYTES ? undefined : Buffer.concat(chunks).toString("utf8");
}

function json(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { ...CORS, "content-type": "application/json" });
  response.end(JSON.stringify({ success: false, error }));
}

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

/**
 * Puts a sandbox on `node:http`, on loopback alone.
 *
 * @param handle - Below the prefix: what becomes of a request.
 */
export async function serve(
  handle: (request: ApiRequest) => FaultyReply,
  port: number,
): Promise<ServedSandbox> {
  const { prefix } = ASSUMPTIONS.address.value;
  const server = nodeHttp().createServer(async (request, response) => {
    const { url: target = "/" } = request;
    if (!URL.canParse(target, "http://localhost")) {
      json(response, 400, "The address cannot be read.");
      return;
    }
    const { pathname, searchParams } = new URL(target, "http://localhost");
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
    show(handle({ method, path: below || "/", query: searchParams, header, body }), response);
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
          ? new ConfigurationError(`Port ${port} is in use. Choose another, or 0 for any.`)
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
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
