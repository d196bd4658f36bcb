import type { ApiRequest, ApiResponse, PlannedResponse } from "../api/messages.ts";
import { clearTimeout, setTimeout } from "../clock/machine.ts";
import type { FetchInput } from "../types.ts";

/** A request to `fetch`, its address apart from the base URL. `undefined`: it goes elsewhere. */
export async function apiRequestOf(
  baseUrl: string,
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<ApiRequest | undefined> {
  const isText = typeof input === "string" || input instanceof URL;
  // Parsed first: dots and capitals may lead elsewhere than they seem to.
  const url = new URL(isText ? input : input.url);
  if (!url.href.startsWith(baseUrl) || !/^([/?#]|$)/.test(url.href.slice(baseUrl.length))) {
    return undefined;
  }
  // A Request is made only where there is one already, or a body that needs reading: it is the
  // dearest part of a call.
  const plain = isText && (typeof init?.body === "string" || init?.body == null);
  const request = plain ? undefined : new Request(input, init);
  const headers = request?.headers ?? new Headers(init?.headers);
  return {
    method: (request?.method ?? init?.method ?? "GET").toUpperCase(),
    path: url.pathname.slice(new URL(baseUrl).pathname.length) || "/",
    query: url.searchParams,
    header: (name) => headers.get(name),
    headers: () => headers,
    body: request === undefined ? String(init?.body ?? "") : await request.text(),
  };
}

const causeOf = (message: string, code: string) => Object.assign(new Error(message), { code });

/** What `fetch` rejects with where a connection is reset: as Node shows it. */
const connectionReset = () =>
  new TypeError("fetch failed", { cause: causeOf("read ECONNRESET", "ECONNRESET") });

/** What a body breaks off with. */
const brokenOff = () =>
  new TypeError("terminated", { cause: causeOf("other side closed", "UND_ERR_SOCKET") });

const NO_BODY = new Set([101, 204, 205, 304]);

function responseOf({ status, headers, body }: ApiResponse): Response {
  return new Response(NO_BODY.has(status) ? null : body, { status, headers });
}

/** An answer that breaks off in the middle of its body. */
function truncated({ status, headers, body }: ApiResponse): Response {
  const bytes = new TextEncoder().encode(body);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(half),
    // A turn later: a mock that passes this on has sent the first half by then.
    pull: async (controller) => {
      await wait(0, undefined);
      controller.error(brokenOff());
    },
  });
  return new Response(stream, {
    status,
    headers: { ...headers, "content-length": String(bytes.length) },
  });
}

function wait(ms: number | undefined, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

/** Shows a reply to a method, and its faults, as `fetch` does. */
export async function respond(
  { latencyMs, fault, respond: reply }: PlannedResponse,
  method: string,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  signal?.throwIfAborted();
  if (latencyMs > 0) await wait(latencyMs, signal);
  if (fault === "hang") await wait(undefined, signal);
  if (fault === "reset") throw connectionReset();
  const { body, ...head } = reply();
  const whole = { ...head, body: method === "HEAD" ? "" : body };
  if (fault === "lostResponse") throw connectionReset();
  return fault === "truncate" ? truncated(whole) : responseOf(whole);
}
