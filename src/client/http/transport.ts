import { isBrowser } from "../runtime.ts";

/** A request as it goes out. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** An answer, read to its end. */
export interface HttpAnswer {
  readonly response: Response;
  readonly text: string;
}

/** What sends: the platform's `fetch`, or any that takes an address and an init. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends one request, once, and reads the answer to its end: a 2xx whose body breaks off is no
 * answer. Retries and time limits are decided above.
 */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  // Looked up at each call, so that a mock that replaces it later is seen.
  fetch: Fetch = globalThis.fetch,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const init: RequestInit = {
    method,
    headers,
    signal,
    // `fetch` would carry the key to wherever a redirect leads.
    redirect: "manual",
  };
  // A string, which a retry can send again; a Request would turn it into a stream.
  if (body !== undefined) init.body = body;
  // Polling must not be answered from a browser's cache; other runtimes may refuse the option.
  if (isBrowser()) init.cache = "no-store";
  const response = await fetch(url, init);
  return { response, text: await response.text() };
}
