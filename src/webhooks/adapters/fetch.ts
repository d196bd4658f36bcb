import type { WebhookReceiver } from "../receiver.ts";
import { refuse } from "../reply.ts";

const TOO_LARGE = Symbol("too large");

/** The raw body, read up to the limit. */
async function read(request: Request, limit: number): Promise<Uint8Array | typeof TOO_LARGE> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel().catch(() => {});
      return TOO_LARGE;
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

const HINT =
  "Next, Hono, SvelteKit, Workers: hand the request over first of all, before anything calls its json(), text() or formData().";

/**
 * Mounts a receiver wherever a request is a `Request`: Next route handlers, Hono, SvelteKit, Bun,
 * Deno, Cloudflare Workers.
 *
 * @example
 * ```ts
 * // Next: app/webhooks/route.ts
 * export const POST = fetchHandler(receiver);
 * // Hono
 * app.post("/webhooks", (c) => fetchHandler(receiver)(c.req.raw));
 * ```
 */
export function fetchHandler(receiver: WebhookReceiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const { method, headers } = request;
    const readable = !request.bodyUsed && request.body?.locked !== true;
    const body =
      readable && method === "POST"
        ? await read(request, receiver.maxBodyBytes).catch(() => undefined)
        : new Uint8Array();
    const reply = !readable
      ? receiver.refuseUnraw(HINT)
      : body === undefined
        ? refuse(400, "the body broke off")
        : body === TOO_LARGE
          ? refuse(413, "too large")
          : await receiver.handle({ method, headers, body });
    return new Response(reply.body, reply);
  };
}
