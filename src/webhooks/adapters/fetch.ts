/**
 * A receiver for frameworks whose requests are `Request` objects.
 *
 * @module malipo/fetch
 */

import { MAX_DROPPED_BYTES, reject, type WebhookResponse } from "../receiver/responses.ts";
import type { WebhookReceiver } from "../receiver/webhook-receiver.ts";

/**
 * The raw body; `undefined` for a stream of something other than bytes, `"too large"` as soon as it is.
 * Rejects for a body that ends early.
 */
async function read(
  request: Request,
  limit: number,
): Promise<Uint8Array | "too large" | undefined> {
  // Older runtimes have no body stream.
  if (!request.body) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!ArrayBuffer.isView(value)) return undefined;
    length += value.byteLength;
    if (length > limit) {
      void dropRest(reader);
      return "too large";
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * Reads the rest of a body and drops it. Without that, the sender would see a reset connection instead
 * of the response, or would wait on a connection that is not read.
 */
async function dropRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let left = MAX_DROPPED_BYTES; left > 0; ) {
      const { value } = await reader.read();
      if (value === undefined) return;
      left -= value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The sender is gone.
  }
}

/** Which line to move. Frameworks are recognised by the fields of their requests. */
const hintFor = (request: Request): string =>
  "nextUrl" in request
    ? "Next: `export const POST = fetchHandler(receiver)`, with nothing before it that calls `request.json()`."
    : "Call the handler before anything calls `json()`, `text()` or `formData()` of the request. " +
      "Hono: `fetchHandler(receiver)(c.req.raw)` above validators and `c.req.json()`.";

async function responseTo(request: Request, receiver: WebhookReceiver): Promise<WebhookResponse> {
  const { method, headers, url } = request;
  if (method !== "POST") return receiver.handle({ method, headers, url, body: "" });
  if (request.bodyUsed || request.body?.locked) return receiver.rejectParsedBody(hintFor(request));
  const rejection = receiver.rejectUnread(headers, url);
  if (rejection !== undefined) {
    if (request.body) void dropRest(request.body.getReader());
    return rejection;
  }
  const body = await read(request, receiver.maxBodyBytes).catch(() => undefined);
  if (body === "too large") return reject(413, body);
  if (body === undefined) return reject(400, "the body ended early");
  return receiver.handle({ method, headers, url, body });
}

/**
 * Mounts a receiver on frameworks whose requests are `Request` objects: Next route handlers, Hono, SvelteKit, Bun,
 * Deno, Cloudflare Workers.
 *
 * @example
 * ```ts
 * // Next: app/webhooks/route.ts
 * export const POST = fetchHandler(receiver);
 * // Hono
 * app.all("/webhooks", (c) => fetchHandler(receiver)(c.req.raw));
 * ```
 */
export function fetchHandler(receiver: WebhookReceiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, headers, body } = await responseTo(request, receiver);
    return new Response(body, { status, headers });
  };
}
