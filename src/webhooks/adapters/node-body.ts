import type { IncomingMessage } from "node:http";
import type { WebhookReceiver } from "../receiver/receiver.ts";
import { type Reply, refuse } from "../receiver/responses.ts";

/** A request of `node:http`, with what frameworks put on it. */
export type NodeRequest = IncomingMessage & {
  /** Parsed, or raw where the route has a raw parser. */
  readonly body?: unknown;
  /** Raw: Nest, and Google Cloud Functions. */
  readonly rawBody?: unknown;
};

/** The raw body; `undefined` where it broke off, `"too large"` as soon as it is. */
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
      // What else comes is let pass: a sender that is cut off sees a reset instead of the answer.
      chunks.length = 0;
      resolve("too large");
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => resolve(undefined));
    request.on("close", () => resolve(undefined));
  });
}

/**
 * What a receiver answers to a request of `node:http`. Reads the raw body, or takes it from where a
 * framework keeps it, and does not wait for bytes that somebody else has read.
 *
 * @param hint - Which line is to be moved where the body is not raw.
 */
export async function replyTo(
  request: NodeRequest,
  receiver: WebhookReceiver,
  hint: string,
): Promise<Reply> {
  const { method = "GET", headers } = request;
  if (method !== "POST") return receiver.handle({ method, headers, body: "" });
  for (const kept of [request.rawBody, request.body]) {
    if (kept instanceof Uint8Array) return receiver.handle({ method, headers, body: kept });
  }
  // Parsed, decoded, or read: waiting for bytes would be waiting for ever, or for half of them.
  const isDecoded = request.readableEncoding !== null;
  if (request.body !== undefined || request.readableDidRead || isDecoded) {
    return receiver.refuseUnraw(hint);
  }
  const body = request.destroyed ? undefined : await read(request, receiver.maxBodyBytes);
  if (body === "too large") return refuse(413, body);
  if (body === undefined) return refuse(400, "the body broke off");
  return receiver.handle({ method, headers, body });
}
