import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { encodeText } from "../utf8.ts";

const bytesOf = (value: string | Uint8Array): Uint8Array =>
  typeof value === "string" ? encodeText(value) : value;

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The HMAC-SHA256 of the body, as 64 lowercase hexadecimal digits. */
export function sign(key: string | Uint8Array, body: string | Uint8Array): string {
  return hexOf(hmac(sha256, bytesOf(key), bytesOf(body)));
}

/** Whether 64 hexadecimal digits are the HMAC-SHA256 of the body. Compares in constant time. */
export function isSignedBy(
  key: string | Uint8Array,
  body: string | Uint8Array,
  digits: string,
): boolean {
  const expected = sign(key, body);
  const given = digits.toLowerCase();
  let difference = expected.length ^ given.length;
  for (let at = 0; at < expected.length; at++) {
    difference |= expected.charCodeAt(at) ^ given.charCodeAt(at);
  }
  return difference === 0;
}

/** The SHA-256 of a text or of bytes, as 64 lowercase hexadecimal digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return hexOf(sha256(bytesOf(data)));
}
