import { isBrowser } from "../runtime.ts";
import {
  connectionFailure,
  type Failure,
  statusFailure,
  timeoutFailure,
  tooLargeFailure,
} from "./failures.ts";
import { readBody } from "./read-body.ts";
import type { CallContext, HttpRequest, HttpResponse, Limits } from "./types.ts";

/**
 * How an attempt ended. With neither `response` nor `failure`, the caller aborted it. Without `text`, the
 * body was not read to its end.
 */
export interface AttemptEnd extends Partial<HttpResponse> {
  readonly status?: number;
  readonly failure?: Failure;
}

/**
 * Sends one request, once, and reads the response to its end: a 2xx whose body breaks off is not a
 * response. Never rejects.
 *
 * @param request - ky's: its method and headers. Its address is normalised, and it has no body.
 */
export async function exchange(
  context: CallContext,
  { method, headers }: Pick<Request, "method" | "headers">,
  { url, body }: HttpRequest,
  { beforeSend, totalTimeoutMs }: Limits,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { settings } = context;
  let hasResponse = false;
  try {
    // Without a prototype: `fetch` would take what was added to `Object.prototype` for options.
    const init: RequestInit = Object.assign(Object.create(null), {
      method,
      headers,
      signal,
      // `fetch` would carry X-API-Key to the address that a redirect names.
      redirect: "manual",
    });
    // A string, not a Request: a Request makes a stream of it, which costs 65 us and fails on React
    // Native.
    if (body !== undefined) init.body = body;
    // A poll must not be served from a browser's cache. Cloudflare Workers reject this option.
    if (isBrowser()) init.cache = "no-store";
    // The global one is looked up at each call, so that a mock that replaces it later is used.
    const fetch = settings.fetch ?? globalThis.fetch;
    // Nothing may come between this look and `fetch`: the process may be suspended anywhere.
    const reason = beforeSend?.();
    if (reason !== undefined) {
      return { failure: timeoutFailure(context, reason, totalTimeoutMs, "not_sent") };
    }
    const response = await fetch(url, init);
    hasResponse = true;
    const text = await readBody(response, settings.maxResponseBytes);
    const { status, ok } = response;
    if (text === undefined) {
      return { response, status, failure: tooLargeFailure(context, response) };
    }
    const received = { response, status, text };
    return ok ? received : { ...received, failure: statusFailure(context, received) };
  } catch (error) {
    // A custom `fetch` may resolve with anything, such as an object whose getters throw.
    return { failure: connectionFailure(context, error, hasResponse) };
  }
}
