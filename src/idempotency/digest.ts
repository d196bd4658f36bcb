/** A digest of a text, in hex. Equal texts have equal digests. */
export type Digest = (text: string) => string;

const PEPPER_ID_LENGTH = 8;

/**
 * What a durable store keeps instead of a text: HMAC-SHA256 in hex, behind the id of the pepper.
 * Without a pepper, the key is empty, and anyone who reads the store can find a phone number by
 * trying all of them.
 */
export function createDigest(pepper: string | Uint8Array = ""): Digest {
  // Not imported: a bundler for browsers follows `memory()` to here, and would fail.
  const { createHmac } = process.getBuiltinModule("node:crypto");
  const hmac = (text: string) => createHmac("sha256", pepper).update(text).digest("hex");
  const id = hmac("pepper").slice(0, PEPPER_ID_LENGTH);
  return (text) => `${id}:${hmac(text)}`;
}
