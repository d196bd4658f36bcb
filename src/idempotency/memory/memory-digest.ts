import type { Digest } from "../digest.ts";

/**
 * As the digest of the durable stores. A browser has no `node:crypto`: there a text is its own digest,
 * which stays in the page that made the call.
 */
export function digestInMemory(pepper: string | Uint8Array = ""): Digest {
  const crypto = globalThis.process?.getBuiltinModule?.("node:crypto");
  if (crypto === undefined) return (text) => text;
  return (text) => crypto.createHmac("sha256", pepper).update(text).digest("hex");
}
