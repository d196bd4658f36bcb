import { WebhookVerificationError } from "../../errors/webhook.ts";

/** A request body as it came over the wire. A string stands for its UTF-8 bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/**
 * The raw body, ready for the HMAC. Takes any view of any buffer, other realms' and shared ones
 * included; refuses what is no longer the bytes that were signed.
 *
 * @throws {WebhookVerificationError} `body_not_raw`
 */
export function rawBody(body: unknown): string | Uint8Array {
  // `String(parsedBody)` begins like that; no JSON document does.
  if (typeof body === "string" && !body.startsWith("[object ")) return body;
  const view = Object(body) as Uint8Array<ArrayBuffer>;
  const buffer = view.buffer ?? view;
  if (
    /ArrayBuffer]/.test({}.toString.call(buffer)) &&
    !(buffer as { detached?: boolean }).detached
  ) {
    return new Uint8Array(buffer, view.byteOffset, view.byteLength);
  }
  throw new WebhookVerificationError(
    "body_not_raw",
    `${typeof body} is not raw: express.raw() above express.json(), rawBody, arrayBuffer()`,
    500,
  );
}
