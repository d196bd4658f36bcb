/**
 * A receiver, or a page, on `node:http`, Express, Koa and Nest.
 *
 * @module malipo/node
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { onNode } from "../../internal/on-node.ts";
import type { WebhookReceiver } from "../receiver/webhook-receiver.ts";
import { type NodeRequest, responseTo } from "./node-body.ts";

/** Which line to move. Frameworks are recognised by the fields of their requests. */
const HINTS: readonly (readonly [is: (request: object) => boolean, hint: string])[] = [
  [
    // Nest needs this metadata for its decorators. Others may use it as well, so Express is named too.
    (request) => "app" in request && "getMetadata" in Reflect,
    "Nest: `NestFactory.create(AppModule, { rawBody: true })`, or `app.use(path, nodeHandler(receiver))` " +
      "above `app.listen()`. Express: move the route above `app.use(express.json())`.",
  ],
  [
    (request) => "app" in request,
    "Express: move the route above `app.use(express.json())` and every other body parser.",
  ],
  [
    (request) => "query" in request && "cookies" in request,
    "Next: add `export const config = { api: { bodyParser: false } }` to the API route.",
  ],
];

const HINT =
  "Koa: move the handler above `app.use(bodyParser())`. h3: above `readBody(event)`. " +
  "node:http: call it before anything reads the request.";

const hintFor = (request: object): string => HINTS.find(([is]) => is(request))?.[1] ?? HINT;

/**
 * Mounts a receiver on everything built on `node:http`: plain servers, Express, Nest, Koa (by
 * `context.req` and `context.res`). It mounts a handler of `Request` objects, too, such as
 * `checkout.page()`.
 *
 * The body must not have been parsed. If a framework stores the raw bytes (`express.raw()`, Nest's
 * `rawBody`), they are used. The response to a parsed body is 500, and the receiver's `onError` is
 * called with an error that says which line to move.
 *
 * @example
 * ```ts
 * const app = express();
 * app.use("/webhooks", nodeHandler(receiver));
 * app.use(express.json()); // below
 * ```
 */
export function nodeHandler(
  receiver: WebhookReceiver | ((request: Request) => Promise<Response>),
): (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error: unknown) => void,
) => Promise<void> {
  if (typeof receiver === "function") return onNode(receiver);
  return async (request: NodeRequest, response) => {
    const { status, headers, body } = await responseTo(request, receiver, hintFor);
    // The sender is gone, or a time limit of the framework has responded.
    if (response.destroyed || response.headersSent) return;
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
  };
}
