/**
 * A receiver wherever a request is a `Request`.
 *
 * @module malipo/fetch
 */

import type { WebhookReceiver } from "../receiver/receiver.ts";
import { type Reply, refuse } from "../receiver/responses.ts";

// How much of a body that is too large is let pass, in bytes.
const MOST_PASSED = 64 * 2 ** 20;

/** The raw body; `undefined` where it is none of bytes, `"too large"` as soon as it is. Rejects where it breaks off. */
async function read(
  request: Request,
  limit: number,
): Promise<Uint8Array | "too large" | undefined> {
  // Older runtimes have no streams here.
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
      pass(reader);
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
 * Lets the rest of a body pass. A sender that is cut off sees a reset instead of the answer, or waits
 * for the next one on a connection that nobody reads any more.
 */
async function pass(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let left = MOST_PASSED; left > 0; ) {
      const { value } = await reader.read();
      if (value === undefined) return;
      left -= value.byteLength;
    }
    await reader.cancel();
  } catch {
    // It is gone, which is as well.
  }
}

/** Which line to move, by what a framework puts on its requests. */
const hintFor = (request: Request): string =>
  "nextUrl" in request
    ? "Next: `export const POST = fetchHandler(receiver)`, and nothing before it that calls `request.json()`."
    : "Hand the request over before anything calls its `json()`, `text()` or `formData()`. " +
      "Hono: `fetchHandler(receiver)(c.req.raw)` above validators and `c.req.json()`.";

async function replyTo(request: Request, receiver: WebhookReceiver): Promise<Reply> {
  const { method, headers } = request;
  if (method !== "POST") return receiver.handle({ method, headers, body: "" });
  if (request.bodyUsed || request.body?.locked) return receiver.refuseUnraw(hintFor(request));
  const body = await read(request, receiver.maxBodyBytes).catch(() => undefined);
  if (body === "too large") return refuse(413, body);
  if (body === undefined) return refuse(400, "the body broke off");
  return receiver.handle({ method, headers, body });
}

/**
 * Mounts a receiver wherever a request is a `Request`: Next route handlers, Hono, SvelteKit, Bun,
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
    const { status, headers, body } = await replyTo(request, receiver);
    return new Response(body, { status, headers });
  };
}
