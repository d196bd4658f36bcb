import * as http from "node:http";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import * as https from "node:https";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { endpointFor } from "../contract/endpoints.ts";
import { keyKind } from "../contract/keys.ts";
import { describeConnectionError } from "../internal/describe-error.ts";
import { failureCode } from "../internal/failed-before-sending.ts";
import { isLoopback } from "../internal/urls.ts";
import { type Exchange, headerValue, parseBody } from "./observed.ts";
import type { Recorder } from "./recorder.ts";

const MAX_BYTES = 1_048_576; // 1 MiB

/** A copy of a body that passes. A large body is dropped. */
class Capture {
  #chunks: Buffer[] = [];
  length = 0;

  readonly add = (chunk: Buffer): void => {
    this.length += chunk.length;
    if (this.length <= MAX_BYTES) this.#chunks.push(chunk);
    else this.#chunks = [];
  };

  /** `undefined` if the body was too large. */
  bytes(): Buffer | undefined {
    return this.length <= MAX_BYTES ? Buffer.concat(this.#chunks) : undefined;
  }
}

const DECODERS: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  identity: async (bytes) => bytes,
  gzip: promisify(zlib.gunzip),
  "x-gzip": promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
};

/** The text of a body that was sent in a content encoding; `undefined` if it cannot be read. */
async function decodeText(bytes: Buffer, encoding = ""): Promise<string | undefined> {
  const name = bytes.length === 0 ? "" : encoding.trim().toLowerCase();
  const decoded = DECODERS[name || "identity"]?.(bytes, { maxOutputLength: MAX_BYTES });
  return decoded?.then(String, () => undefined);
}

/** Headers of one connection: each side of the proxy has its own. */
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Node's raw headers alternate names and values in one list. */
const headerPairs = (rawHeaders: readonly string[]): HeaderPairs =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );

/** The headers that go on to the other side, with their names and their order as they are. */
function endToEnd(headers: HeaderPairs): HeaderPairs {
  const named = (headerValue(headers, "connection") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  return headers.filter(([given]) => {
    const name = given.toLowerCase();
    // The body goes on, so its length does, too: without it, the body would be a second request.
    return !HOP_BY_HOP.test(name) && (name === "content-length" || !named.includes(name));
  });
}

/** The headers of a request to another host. */
function requestHeaders(headers: HeaderPairs, host: string): string[] {
  const isChunked = headerValue(headers, "transfer-encoding") !== undefined;
  // The proxy has taken the body: the client waits for no second permission.
  const rest = endToEnd(headers).filter(([name]) => !/^(?:host|expect)$/i.test(name));
  return ["Host", host, ...(isChunked ? ["Transfer-Encoding", "chunked"] : []), ...rest.flat()];
}

/** A request and its response, after both have passed. */
interface Passed {
  readonly request: { readonly headers: HeaderPairs; readonly body: Capture };
  readonly status: number;
  readonly headers: HeaderPairs;
  readonly body: Capture;
}

// A connection for each request: the service may close an open connection at the moment
// at which a payment is sent on it, and then it is unknown whether it was received.
const CLIENTS = {
  "http:": { request: http.request, agent: new http.Agent({ keepAlive: false }) },
  "https:": { request: https.request, agent: new https.Agent({ keepAlive: false }) },
};

/**
 * Sends a request on, and its response back, as they come.
 *
 * @param path - With the query, at the origin of `base`.
 * @returns What has passed; `undefined` if the response did not come to its end.
 */
function forward(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  base: URL,
  path: string,
): Promise<Passed | undefined> {
  const { origin, host, protocol } = base;
  const headers = headerPairs(incoming.rawHeaders);
  const { method } = incoming;
  const sent = new Capture();
  return new Promise((resolve) => {
    const { request, agent } = CLIENTS[protocol as keyof typeof CLIENTS];
    const options = { agent, method, path, headers: requestHeaders(headers, host), setHost: false };
    const upstream = request(origin, options);
    const fail = (message: string) => {
      if (outgoing.headersSent) outgoing.destroy();
      else sendError(outgoing, 502, `The proxy of malipo ${message}.`);
      resolve(undefined);
    };
    upstream.once("response", (response) => {
      const { statusCode: status = 502, statusMessage, rawHeaders } = response;
      const received = headerPairs(rawHeaders);
      try {
        outgoing.writeHead(status, statusMessage, endToEnd(received).flat());
      } catch {
        // A head that Node cannot write, such as the status 099.
        response.resume();
        fail(
          `cannot pass on the response of ${origin}: its status line or its headers are not valid HTTP. The request did reach the service`,
        );
        return;
      }
      const body = new Capture();
      response.on("data", body.add);
      response.once("end", () =>
        resolve({ request: { headers, body: sent }, status, headers: received, body }),
      );
      // The service broke off: so does the proxy, so that the shop sees it.
      response.once("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    upstream.once("error", (error) => {
      const reason = describeConnectionError(failureCode(error) ?? "no response");
      fail(`got no response from ${origin}: ${reason}`);
    });
    incoming.on("data", sent.add);
    incoming.pipe(upstream);
    outgoing.once("close", () => {
      if (outgoing.writableFinished) return;
      upstream.destroy();
      resolve(undefined);
    });
  });
}

function sendError(outgoing: http.ServerResponse, status: number, error: string): void {
  outgoing.writeHead(status, http.STATUS_CODES[status], { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ success: false, error }));
}

/** What a proxy is for. */
interface ProxyOptions {
  /** The base URL of the service, without a slash at its end. */
  readonly to: string;
  /** The receiver of the shop: gets what is posted to `/webhooks`. */
  readonly webhooksTo: URL | undefined;
  readonly recorder: Recorder;
  /** Called after each exchange, with what may be printed of it. */
  readonly onExchange: (line: PassedLine) => void;
}

export interface PassedLine {
  /** Without ids: `GET /payments/{reference}`. */
  readonly name: string;
  readonly status: number;
}

/** The path to which deliveries are posted. No endpoint of the service is a POST to this path. */
export const WEBHOOK_PATH = "/webhooks";

const STATUSES_OF_FORGERY = [401, 403];

/** A proxy in front of the service, which learns from what passes and changes nothing of it. */
export function createProxy(options: ProxyOptions): Server {
  return createServer((request, response) => {
    const { url } = request;
    const foreign = foreignReason(request);
    if (foreign !== undefined) sendError(response, 403, foreign);
    else if (!url?.startsWith("/")) sendError(response, 400, "The target is not a path.");
    else void pass(options, request, response, url);
  });
}

const isOwn = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

/** Why a request is not accepted: only this machine may use the proxy, and no page of another site. */
function foreignReason({ headers }: IncomingMessage): string | undefined {
  const { host, origin, "sec-fetch-site": site } = headers;
  // A website can make its domain resolve to loopback: browsers set `Host` themselves.
  if (host === undefined || !isOwn(`http://${host}`)) {
    return "The proxy accepts this only from its own machine. Use 127.0.0.1 or localhost as the host.";
  }
  // A page on this machine may use the proxy, such as a shop in development.
  const isForeign = origin === undefined ? site === "cross-site" : !isOwn(origin);
  return isForeign ? "The proxy does not accept this from a page of another site." : undefined;
}

async function pass(
  options: ProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): Promise<void> {
  const { to, webhooksTo } = options;
  const { method = "GET" } = request;
  const [path = "", query] = target.split(/\?(.*)/s);
  if (webhooksTo !== undefined && method === "POST" && path === WEBHOOK_PATH) {
    const receivedAt = Date.now();
    const receiver = webhooksTo.pathname + webhooksTo.search;
    const passed = await forward(request, response, webhooksTo, receiver);
    if (passed !== undefined) learnDelivery(options, passed, receivedAt);
    return;
  }
  const base = new URL(to);
  const prefix = base.pathname.replace(/\/$/, "");
  const passed = await forward(request, response, base, prefix + target);
  if (passed !== undefined) await learnExchange(options, { method, path, query }, passed);
}

/** A preflight is about the browser, and a HEAD has no body. */
const IGNORED_METHODS = ["OPTIONS", "HEAD", "TRACE"];

async function learnExchange(
  { recorder, onExchange }: ProxyOptions,
  { method, path, query }: { method: string; path: string; query: string | undefined },
  { request, status, headers, body }: Passed,
): Promise<void> {
  if (IGNORED_METHODS.includes(method)) return;
  const bytes = body.bytes();
  const text = bytes && (await decodeText(bytes, headerValue(headers, "content-encoding")));
  if (text === undefined) return;
  recorder.record({
    method,
    path,
    query: new URLSearchParams(query),
    key: kindOfKey(request.headers),
    sent: parseBody(String(request.body.bytes() ?? "")).value,
    hasBody: request.body.length > 0,
    hasOrigin: headerValue(request.headers, "origin") !== undefined,
    status,
    headers,
    body: text,
  });
  const endpoint = endpointFor(method, path)?.endpoint.path;
  onExchange({ name: `${method} ${endpoint ?? "another path"}`, status });
}

function kindOfKey(headers: HeaderPairs): Exchange["key"] {
  const [, bearer] = /^Bearer\s+(\S+)/i.exec(headerValue(headers, "authorization") ?? "") ?? [];
  const key = headerValue(headers, "x-api-key") ?? bearer;
  return key === undefined ? "none" : (keyKind(key) ?? "other");
}

function learnDelivery(
  { recorder, onExchange }: ProxyOptions,
  { request, status }: Passed,
  receivedAt: number,
): void {
  const body = request.body.bytes();
  // What the receiver takes for a forgery teaches nothing about the service.
  if (body === undefined || STATUSES_OF_FORGERY.includes(status)) return;
  recorder.recordDelivery({ headers: request.headers, body, status, receivedAt });
  onExchange({ name: "a delivery to your receiver", status });
}
