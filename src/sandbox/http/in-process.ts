import { encodeText } from "../../internal/utf8.ts";
import { handle } from "../api/handle.ts";
import { clearTimeout, setTimeout } from "../clock.ts";
import type { ApiRequest, ApiResponse, PlannedResponse } from "../messages.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { FetchInput, Sandbox } from "../sandbox-types.ts";

/** A `fetch` that the sandbox serves in process. */
export function createFetch(sandboxState: SandboxState, baseUrl: string): Sandbox["fetch"] {
  return async (input, init) => {
    const request = await toApiRequest(baseUrl, input, init);
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    return respond(handle(sandboxState, request), request.method, signal);
  };
}

/** @throws {TypeError} for an address that is not below the base URL. */
async function toApiRequest(
  baseUrl: string,
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<ApiRequest> {
  const isAddress = typeof input === "string" || input instanceof URL;
  // Parsed first: dots and capitals can change the target of an address.
  const url = new URL(isAddress ? input : input.url);
  if (!url.href.startsWith(baseUrl) || !/^([/?#]|$)/.test(url.href.slice(baseUrl.length))) {
    throw new TypeError(`The sandbox serves only ${baseUrl}; got ${url.origin}${url.pathname}.`);
  }
  // Making a Request is the slowest part of a call. It is needed only for a body that is not a string.
  const isPlain = isAddress && (typeof init?.body === "string" || init?.body == null);
  const request = isPlain ? undefined : new Request(input, init);
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

async function respond(
  { latencyMs, fault, respond }: PlannedResponse,
  method: string,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  signal?.throwIfAborted();
  if (latencyMs > 0) await wait(latencyMs, signal);
  if (fault === "hang") await wait(undefined, signal);
  if (fault === "reset") throw connectionReset();
  const response = respond();
  if (fault === "lostResponse") throw connectionReset();
  const whole = method === "HEAD" ? { ...response, body: "" } : response;
  return fault === "truncate" ? truncatedResponse(whole) : toResponse(whole);
}

/** Waits, without a limit if `ms` is `undefined`. Rejects with the reason of an abort. */
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

const STATUSES_WITHOUT_BODY = new Set([101, 204, 205, 304]);

function toResponse({ status, headers, body }: ApiResponse): Response {
  return new Response(STATUSES_WITHOUT_BODY.has(status) ? null : body, { status, headers });
}

/** A response that breaks off in the middle of its body. */
function truncatedResponse({ status, headers, body }: ApiResponse): Response {
  const bytes = encodeText(body);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(half),
    // In a later turn: a mock that passes the stream on has sent the first half by then.
    pull: async (controller) => {
      await wait(0, undefined);
      controller.error(bodyBrokenOff());
    },
  });
  return new Response(stream, {
    status,
    headers: { ...headers, "content-length": String(bytes.length) },
  });
}

const errorWithCode = (message: string, code: string) =>
  Object.assign(new Error(message), { code });

/** What Node's `fetch` rejects with when a connection is reset. */
const connectionReset = () =>
  new TypeError("fetch failed", { cause: errorWithCode("read ECONNRESET", "ECONNRESET") });

/** What reading a body rejects with in Node when the connection closes. */
const bodyBrokenOff = () =>
  new TypeError("terminated", { cause: errorWithCode("other side closed", "UND_ERR_SOCKET") });
