import { WebhookVerificationError } from "../../errors/webhook.ts";
import { describeValue } from "../../internal/check-options.ts";

/** A request body as it came over the wire. A string stands for its UTF-8 bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/**
 * The raw body, ready for the HMAC. Takes every kind of buffer, and every view of one.
 *
 * @throws {WebhookVerificationError} `body_not_raw`
 */
export function rawBody(body: unknown): string | Uint8Array {
  // `String(parsedBody)` begins like that; no JSON document does.
  if (typeof body === "string" && !body.startsWith("[object ")) return body;
  const { byteOffset, byteLength, buffer = body } = Object(body) as Uint8Array<ArrayBuffer>;
  // By its name, since `instanceof` does not hold for the bytes of another realm (Jest, `node:vm`).
  const isBuffer = Object.prototype.toString.call(buffer).endsWith("ArrayBuffer]");
  // The bytes of a detached buffer were transferred to another thread.
  if (isBuffer && !(buffer as { detached?: boolean }).detached) {
    return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
  }
  throw new WebhookVerificationError(
    "body_not_raw",
    `The body was already parsed: got ${describeValue(body)}. Pass the raw bytes: express.raw() on this route, rawBody: true in Nest, await request.arrayBuffer() in fetch frameworks.`,
    500,
  );
}
