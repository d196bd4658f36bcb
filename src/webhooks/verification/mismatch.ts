import { WebhookVerificationError } from "../../errors/webhook.ts";
import { textOf } from "./payload.ts";
import type { WebhookSecret } from "./secret.ts";

// A `Buffer` turns into its text; the bytes of another view turn into numbers, where nothing is found.
const hasOuterWhiteSpace = (secret: WebhookSecret): boolean => /^\s|\s$/.test(`${secret}`);

/** Is this what `JSON.stringify` would make of the parsed body? */
function looksReserialised(body: string | Uint8Array): boolean {
  // For a larger body, the message would cost more than the check.
  if (body.length >= 65_536) return false;
  try {
    const text = textOf(body);
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

/** The error for a signature that does not match, with the usual causes that can be seen here. */
export function mismatch(
  body: string | Uint8Array,
  secrets: readonly WebhookSecret[],
): WebhookVerificationError {
  let message =
    "The signature does not match. Either the secret is wrong or the body was changed after signing.";
  if (secrets.some(hasOuterWhiteSpace)) message += " The secret has outer white space.";
  // In a string it is one character; in bytes, its UTF-8 form begins with EF.
  if (body[0] === "\uFEFF" || body[0] === 0xef) message += " The body has a byte order mark.";
  if (looksReserialised(body)) message += " The body looks re-serialised: pass the raw bytes.";
  return new WebhookVerificationError("signature_mismatch", message);
}
