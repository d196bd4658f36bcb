import type { Fence } from "../../idempotency/fence.ts";
import { isBrowser } from "../runtime.ts";
import type { Settings } from "../settings.ts";
import { readBody } from "./read-body.ts";

/** A request, ready to be sent. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** A response whose body was read to its end. */
export interface HttpResponse {
  readonly response: Response;
  readonly text: string;
}

/** How `fetch` and the reading of the body ended. */
export type Exchange =
  | { readonly kind: "response"; readonly received: HttpResponse }
  /** The body is larger than `maxResponseBytes`. It was not read to its end. */
  | { readonly kind: "too_large"; readonly response: Response }
  /** `hasResponse`: the headers were there, so the request was sent, whatever the error says. */
  | { readonly kind: "failed"; readonly error: unknown; readonly hasResponse: boolean }
  /** `beforeSend` did not let it leave. */
  | { readonly kind: "withheld"; readonly reason: string };

/**
 * Sends one request, once, and reads the response to its end: a 2xx whose body breaks off is not a
 * response. Never rejects.
 *
 * @param request - ky's: its method and headers. Its address is normalised, and it has no body.
 */
export async function exchange(
  { method, headers }: Pick<Request, "method" | "headers">,
  { url, body }: HttpRequest,
  { fetch: customFetch, maxResponseBytes }: Pick<Settings, "fetch" | "maxResponseBytes">,
  signal: AbortSignal,
  beforeSend?: Fence | undefined,
): Promise<Exchange> {
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
    const fetch = customFetch ?? globalThis.fetch;
    // Nothing may come between this look and `fetch`: the process may be suspended anywhere.
    const reason = beforeSend?.();
    if (reason !== undefined) return { kind: "withheld", reason };
    const response = await fetch(url, init);
    hasResponse = true;
    const text = await readBody(response, maxResponseBytes);
    return text === undefined
      ? { kind: "too_large", response }
      : { kind: "response", received: { response, text } };
  } catch (error) {
    return { kind: "failed", error, hasResponse };
  }
}
