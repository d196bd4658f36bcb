import { WebhookVerificationError } from "../../errors/webhook.ts";
import { describeValue } from "../../internal/check-options.ts";

/** A request body as it came over the wire. A string stands for its UTF-8 bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** No bytes decode to it: this text was made from something else. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Every kind of buffer, and every view of one; `undefined` for anything else. Throws for a Proxy, and
 * for a detached buffer, whose bytes were transferred to another thread.
 */
function bytesOf(body: unknown): Uint8Array | undefined {
  const { byteOffset, byteLength, buffer = body } = Object(body) as Uint8Array<ArrayBuffer>;
  // By its name, since `instanceof` does not hold for the bytes of another realm (Jest, `node:vm`).
  const name = Object.prototype.toString.call(buffer);
  if (!name.endsWith("ArrayBuffer]")) return undefined;
  const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
  // Another thread could change it between the HMAC and the parser.
  return name === "[object SharedArrayBuffer]" ? bytes.slice() : bytes;
}

/** What was given instead of a raw body. */
function describeBody(body: unknown): string {
  if (typeof body === "string" && LONE_SURROGATE.test(body)) {
    return "a string with a lone surrogate";
  }
  try {
    return describeValue(body);
  } catch {
    return "a Proxy";
  }
}

/**
 * The raw body, ready for the HMAC. Takes every kind of buffer, and every view of one. Shared memory is
 * copied.
 *
 * @throws {WebhookVerificationError} `body_not_raw`
 */
export function rawBody(body: unknown): string | Uint8Array {
  let raw: string | Uint8Array | undefined;
  if (typeof body === "string") {
    // `String(parsedBody)` begins like that; no JSON document does.
    if (!body.startsWith("[object ") && !LONE_SURROGATE.test(body)) raw = body;
  } else {
    try {
      raw = bytesOf(body);
    } catch {
      // The fields of bytes cannot be read through a Proxy.
    }
  }
  if (raw !== undefined) return raw;
  throw new WebhookVerificationError(
    "body_not_raw",
    `The body was already parsed: got ${describeBody(body)}. Pass the raw bytes: express.raw() on this route, rawBody: true in Nest, await request.arrayBuffer() in fetch frameworks.`,
    500,
  );
}
