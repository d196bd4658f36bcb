import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookReceiver } from "../receiver.ts";
import { type Reply, refuse } from "../reply.ts";

/** A request of `node:http`, with what frameworks put on it. */
type NodeRequest = IncomingMessage & {
  /** Parsed, or raw where the route has a raw parser. */
  readonly body?: unknown;
  /** Raw: Nest, and Google Cloud Functions. */
  readonly rawBody?: unknown;
};

const HINT =
  'Express: move the route above `app.use(express.json())`, or give it `express.raw({ type: "*/*" })`. ' +
  "Nest: `NestFactory.create(App, { rawBody: true })`. Koa: mount it above the body parser.";

/** What reading came to: the bytes, or what to answer instead. */
type Read = { readonly body: Uint8Array | string } | { readonly reply: Reply };

function readStream(request: NodeRequest, limit: number): Promise<Read> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      // Read on, and keep nothing: a sender that is cut off in mid-body sees a reset, not the answer.
      else chunks.length = 0;
    });
    request.on("end", () =>
      resolve(
        length > limit ? { reply: refuse(413, "too large") } : { body: Buffer.concat(chunks) },
      ),
    );
    const brokeOff = () => resolve({ reply: refuse(400, "the body broke off") });
    request.on("error", brokeOff);
    request.on("close", brokeOff);
  });
}

async function read(request: NodeRequest, receiver: WebhookReceiver): Promise<Read> {
  const isRaw = (body: unknown): body is Uint8Array | string =>
    typeof body === "string" || body instanceof Uint8Array;
  if (isRaw(request.rawBody)) return { body: request.rawBody };
  if (isRaw(request.body)) return { body: request.body };
  // Parsed, or read by somebody who kept it: waiting for bytes would be waiting for ever.
  if (request.body !== undefined || request.readableEnded || request.destroyed) {
    return { reply: receiver.refuseUnraw(HINT) };
  }
  return readStream(request, receiver.maxBodyBytes);
}

/**
 * Mounts a receiver on anything that speaks `node:http`: plain servers, Express, Nest, Koa (by
 * `context.req` and `context.res`).
 *
 * The body must not have been parsed. Where a framework keeps the raw bytes (`express.raw()`, Nest's
 * `rawBody`), they are taken from there.
 *
 * @example
 * ```ts
 * const app = express();
 * app.post("/webhooks", nodeHandler(receiver));
 * app.use(express.json()); // below
 * ```
 */
export function nodeHandler(
  receiver: WebhookReceiver,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const { method = "GET", headers } = request;
    const got: Read = method === "POST" ? await read(request, receiver) : { body: "" };
    const reply =
      "reply" in got ? got.reply : await receiver.handle({ method, headers, body: got.body });
    if (response.destroyed) return;
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body);
  };
}
