import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { endpointFor } from "../../contract/endpoints.ts";
import { keyKind } from "../../contract/keys.ts";
import { isLoopback } from "../../internal/loopback.ts";
import type { Recorder } from "../recorder.ts";
import { decodeText } from "./capture.ts";
import { forward, type Passed, sendError } from "./forward.ts";
import { type HeaderPairs, headerValue } from "./headers.ts";

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
    const { host, origin, "sec-fetch-site": site } = request.headers;
    const foreign = foreignHost(host) ?? foreignOrigin(origin, site);
    if (foreign !== undefined) sendError(response, 403, foreign);
    else if (!request.url?.startsWith("/")) sendError(response, 400, "The target is not a path.");
    else void pass(options, request, response, request.url);
  });
}

/** A website can make its domain resolve to loopback: browsers set `Host` themselves. */
function foreignHost(host: string | undefined): string | undefined {
  const isOwn = URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname);
  return host !== undefined && isOwn
    ? undefined
    : "The proxy accepts this only from its own machine. Use 127.0.0.1 or localhost as the host.";
}

/** A page on this machine may use the proxy, such as a shop in development. Another site may not. */
function foreignOrigin(origin: string | undefined, site: unknown): string | undefined {
  if (origin === undefined) {
    return site === "cross-site"
      ? "The proxy does not accept this from a page of another site."
      : undefined;
  }
  const isLocal = URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  return isLocal ? undefined : "The proxy does not accept this from a page of another site.";
}

async function pass(
  options: ProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): Promise<void> {
  const { to, webhooksTo } = options;
  const [path = "", query = ""] = splitTarget(target);
  if (webhooksTo !== undefined && request.method === "POST" && path === WEBHOOK_PATH) {
    const receivedAt = Date.now();
    const receiver = webhooksTo.pathname + webhooksTo.search;
    const passed = await forward(request, response, { base: webhooksTo, path: receiver });
    if (passed !== undefined) learnDelivery(options, passed, receivedAt);
    return;
  }
  const base = new URL(to);
  const passed = await forward(request, response, {
    base,
    path: base.pathname.replace(/\/$/, "") + target,
  });
  if (passed === undefined) return;
  await learnExchange(options, { method: request.method ?? "GET", path, query }, passed);
}

function splitTarget(target: string): [path: string, query: string] {
  const at = target.indexOf("?");
  return at === -1 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
}

/** A preflight is about the browser, and a HEAD has no body. */
const IGNORED_METHODS = ["OPTIONS", "HEAD", "TRACE"];

async function learnExchange(
  { recorder, onExchange }: ProxyOptions,
  { method, path, query }: { method: string; path: string; query: string },
  { request, status, headers, body }: Passed,
): Promise<void> {
  if (IGNORED_METHODS.includes(method)) return;
  const bytes = body.bytes();
  const encoding = headerValue(headers, "content-encoding");
  const text = bytes && (await decodeText(bytes, encoding));
  if (text === undefined) return;
  recorder.record({
    method,
    path,
    query: new URLSearchParams(query),
    key: kindOfKey(request.headers),
    sent: parseJson(request.body.bytes()),
    hasBody: !request.body.isEmpty,
    hasOrigin: headerValue(request.headers, "origin") !== undefined,
    status,
    headers,
    body: text,
  });
  const endpoint = endpointFor(method, path)?.endpoint.path;
  onExchange({ name: `${method} ${endpoint ?? "another path"}`, status });
}

function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(String(bytes));
  } catch {
    return undefined;
  }
}

function kindOfKey(headers: HeaderPairs): "public" | "secret" | "sandbox" | "other" | "none" {
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
