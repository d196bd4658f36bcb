import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

const bytesOf = (value: string | Uint8Array) =>
  typeof value === "string" ? new TextEncoder().encode(value) : value;

const digest = (secret: string | Uint8Array, body: string | Uint8Array) =>
  hmac(sha256, bytesOf(secret), bytesOf(body));

const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** HMAC-SHA256 in lowercase hex. */
export const sign = (secret: string | Uint8Array, body: string | Uint8Array): string =>
  hex(digest(secret, body));

/** Whether 64 hex digits are the HMAC-SHA256. Looks at every byte, whatever it finds. */
export const isSignedBy = (
  secret: string | Uint8Array,
  body: string | Uint8Array,
  digits: string,
): boolean =>
  digest(secret, body).reduce(
    (found, byte, at) => found | (byte ^ Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16)),
    0,
  ) === 0;
