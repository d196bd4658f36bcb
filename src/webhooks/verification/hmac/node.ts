import { createHmac, timingSafeEqual } from "node:crypto";

/** HMAC-SHA256 in lowercase hex. */
export const sign = (secret: string | Uint8Array, body: string | Uint8Array): string =>
  createHmac("sha256", secret).update(body).digest("hex");

/** Whether 64 hex digits are the HMAC-SHA256. Looks at every byte, whatever it finds. */
export const isSignedBy = (
  secret: string | Uint8Array,
  body: string | Uint8Array,
  digits: string,
): boolean =>
  // As digits: Node gives a digest as text for less than as a buffer.
  timingSafeEqual(Buffer.from(sign(secret, body)), Buffer.from(digits.toLowerCase()));
