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
  timingSafeEqual(createHmac("sha256", secret).update(body).digest(), Buffer.from(digits, "hex"));
