import { WebhookVerificationError } from "../../errors/webhook.ts";
import type { WebhookSecret } from "./secret.ts";

// A `Buffer` turns into its text; the bytes of another view turn into numbers, where nothing is found.
const hasOuterWhiteSpace = (secret: WebhookSecret): boolean => /^\s|\s$/.test(`${secret}`);

/** The error for a signature that does not match, with the usual causes that can be seen here. */
export function mismatch(
  body: string | Uint8Array,
  secrets: readonly WebhookSecret[],
): WebhookVerificationError {
  let message =
    "The signature does not match. Either the secret is wrong or the body was changed after signing: pass the raw bytes.";
  if (secrets.some(hasOuterWhiteSpace)) message += " The secret has outer white space.";
  // In a string it is one character; in bytes, its UTF-8 form begins with EF.
  if (body[0] === "\uFEFF" || body[0] === 0xef) message += " The body has a byte order mark.";
  return new WebhookVerificationError("signature_mismatch", message);
}
