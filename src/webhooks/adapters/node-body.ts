import type { IncomingMessage } from "node:http";
import type { WebhookRequest } from "../receiver/accept.ts";
import type { WebhookReceiver } from "../receiver/webhook-receiver.ts";
import type { WebhookResponse } from "../receiver/webhook-responses.ts";

/** A request of `node:http`, with the fields that frameworks add. */
export type NodeRequest = IncomingMessage & {
  /** The parsed body, or the raw one on a route with a raw parser. */
  readonly body?: unknown;
  /** The raw body: Nest, Google Cloud Functions. */
  readonly rawBody?: unknown;
  /** The URL as it was before a router took its own path off: Express, Connect. */
  readonly originalUrl?: string;
};

/** The body of a request. A reader that leaves closes the connection: Node.js would keep it open. */
function bodyOf(request: NodeRequest): AsyncIterable<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = request[Symbol.asyncIterator]();
  const close = async () => {
    request.destroy();
    return { done: true, value: undefined } as const;
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next(), return: close }) };
}

/**
 * The response of a receiver to a request of `node:http`. Reads the raw body, or takes it from the
 * field in which a framework stores it.
 *
 * @param hint - Tells which line to move if the body is not raw.
 */
export async function responseTo(
  request: NodeRequest,
  receiver: WebhookReceiver,
  hint: (request: NodeRequest) => string,
): Promise<WebhookResponse> {
  const { method = "GET", headers, url = "/", originalUrl = url } = request;
  const handle = (body: WebhookRequest["body"]) =>
    receiver.handle({ method, headers, url: originalUrl, body });
  if (method !== "POST") return handle("");
  for (const stored of [request.rawBody, request.body]) {
    if (stored instanceof Uint8Array) return handle(stored);
  }
  // It was parsed, decoded or read: reading would wait for ever, or give half of the bytes.
  const isDecoded = request.readableEncoding !== null;
  if (request.body !== undefined || request.readableDidRead || isDecoded) {
    return receiver.rejectParsedBody(hint(request));
  }
  return handle(bodyOf(request));
}
