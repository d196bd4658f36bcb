import { createHmac } from "node:crypto";

/** A digest of a text, in hex. Equal texts have equal digests. */
export type Digest = (text: string) => string;

/**
 * What a durable store keeps instead of a text: HMAC-SHA256 in hex. Without a pepper, the key is
 * empty, and anyone who reads the store can find a phone number by trying all of them.
 */
export const createDigest =
  (pepper: string | Uint8Array = ""): Digest =>
  (text) =>
    createHmac("sha256", pepper).update(text).digest("hex");
