import { isBrowser } from "../runtime.ts";

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

/** The platform's `fetch`, or any function that takes an address and an init. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends one request, once, and reads the response to its end: a 2xx whose body breaks off is not a
 * response.
 */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  // Looked up at each call, so that a mock that replaces it later is used.
  fetch: Fetch = globalThis.fetch,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const init: RequestInit = {
    method,
    headers,
    signal,
    // `fetch` would carry X-API-Key to the address that a redirect names.
    redirect: "manual",
  };
  // A string, not a Request: a Request makes a stream of it, which costs 65 us and fails on React
  // Native.
  if (body !== undefined) init.body = body;
  // A poll must not be served from a browser's cache. Cloudflare Workers refuse this option.
  if (isBrowser()) init.cache = "no-store";
  const response = await fetch(url, init);
  return { response, text: await response.text() };
}
