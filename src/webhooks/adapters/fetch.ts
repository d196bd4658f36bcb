/**
 * A receiver for frameworks whose requests are `Request` objects.
 *
 * @module malipo/fetch
 */

import type { WebhookReceiver } from "../receiver/webhook-receiver.ts";
import type { WebhookResponse } from "../receiver/webhook-responses.ts";

/** Which line to move. Frameworks are recognised by the fields of their requests. */
const hintFor = (request: Request): string =>
  "nextUrl" in request
    ? "Next: `export const POST = fetchHandler(receiver)`, with nothing before it that calls `request.json()`."
    : "Call the handler before anything calls `json()`, `text()` or `formData()` of the request. " +
      "Hono: `fetchHandler(receiver)(c.req.raw)` above validators and `c.req.json()`. " +
      'Elysia: `{ parse: "none" }` on the route. h3: above `readBody(event)`.';

/** For runtimes without body streams, and for streams that cannot be iterated. */
async function* wholeBody(request: Request): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await request.arrayBuffer());
}

async function responseTo(request: Request, receiver: WebhookReceiver): Promise<WebhookResponse> {
  const { method, headers, url } = request;
  if (method !== "POST") return receiver.handle({ method, headers, url, body: "" });
  if (request.bodyUsed || request.body?.locked) return receiver.rejectParsedBody(hintFor(request));
  const stream = request.body;
  const body = stream?.[Symbol.asyncIterator] ? stream : wholeBody(request);
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
