import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { endpointFor } from "../../contract/endpoints.ts";
import { keyKind } from "../../contract/keys.ts";
import { isLoopback } from "../../internal/urls.ts";
import { type Exchange, headerValue, parseBody } from "../exchange.ts";
import type { Recorder } from "../recorder.ts";
import { decodeText } from "./capture.ts";
import { forward, type HeaderPairs, type Passed, sendError } from "./forward.ts";

/** What a proxy is for. */
export interface ProxyOptions {
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
