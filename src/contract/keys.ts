/**
 * What a key may be used for, told by its prefix: `pk_` public (reads, safe for client side),
 * `sk_` secret (server side only), `sb_` sandbox (testing).
 *
 * @see Service interface, section 5.
 */
export type KeyKind = "public" | "secret" | "sandbox";

export const KEY_PREFIXES = { public: "pk_", secret: "sk_", sandbox: "sb_" } as const;

/** The kind of a key, or `undefined` where its prefix is none of the three. */
export function keyKind(key: string): KeyKind | undefined {
  return (Object.keys(KEY_PREFIXES) as KeyKind[]).find(
    (kind) => key.startsWith(KEY_PREFIXES[kind]) && key.length > KEY_PREFIXES[kind].length,
  );
}
