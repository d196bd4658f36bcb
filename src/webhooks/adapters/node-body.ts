import type { IncomingMessage } from "node:http";
import { MAX_DROPPED_BYTES, reject, type WebhookResponse } from "../receiver/responses.ts";
import type { WebhookReceiver } from "../receiver/webhook-receiver.ts";
import type { RawBody } from "../verification/raw-body.ts";

/** A request of `node:http`, with the fields that frameworks add. */
export type NodeRequest = IncomingMessage & {
  /** The parsed body, or the raw one on a route with a raw parser. */
  readonly body?: unknown;
  /** The raw body: Nest, Google Cloud Functions. */
  readonly rawBody?: unknown;
  /** The URL as it was before a router took its own path off: Express, Connect. */
  readonly originalUrl?: string;
};

/** The raw body; `undefined` for one that ended early, `"too large"` as soon as it is. */
function read(request: NodeRequest, limit: number): Promise<Uint8Array | "too large" | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      // Some of the rest is read and dropped. Without that, the sender would see a reset connection
      // instead of the response.
      chunks.length = 0;
      if (length > limit + MAX_DROPPED_BYTES) request.destroy();
      resolve("too large");
    });
    // The receiver copies the body, so that one chunk need not be copied here.
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", () => resolve(undefined));
    request.on("close", () => resolve(undefined));
  });
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
  const handle = (body: RawBody) => receiver.handle({ method, headers, url: originalUrl, body });
  if (method !== "POST") return handle("");
  for (const stored of [request.rawBody, request.body]) {
    if (stored instanceof Uint8Array) return handle(stored);
  }
  // It was parsed, decoded or read: reading would wait for ever, or give half of the bytes.
  const isDecoded = request.readableEncoding !== null;
  if (request.body !== undefined || request.readableDidRead || isDecoded) {
    return receiver.rejectParsedBody(hint(request));
  }
  const rejection = receiver.rejectUnread(headers, originalUrl);
  if (rejection !== undefined) {
    void read(request, 0);
    return rejection;
  }
  const body = request.destroyed ? undefined : await read(request, receiver.maxBodyBytes);
  if (body === "too large") return reject(413, body);
  if (body === undefined) return reject(400, "the body ended early");
  return handle(body);
}
