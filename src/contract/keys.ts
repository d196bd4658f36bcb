/**
 * The kind of an API key. Its prefix shows it: `pk_` public (only reads, safe in a browser), `sk_`
 * secret (only on a server), `sb_` sandbox (for tests).
 *
 * @see docs/reference/service.md, "Authentication"
 */
export type KeyKind = "public" | "secret" | "sandbox";

/** The prefix of each kind of key. */
export const KEY_PREFIXES = { public: "pk_", secret: "sk_", sandbox: "sb_" } as const;

/** A sandbox key with this prefix may travel unencrypted inside a test network. */
export const NETWORK_KEY_PREFIX = `${KEY_PREFIXES.sandbox}net_`;

export const isNetworkKey = (key: string): boolean =>
  key.startsWith(NETWORK_KEY_PREFIX) && key.length > NETWORK_KEY_PREFIX.length;

/** The kind of a key, or `undefined` if it has none of the three prefixes. */
export function keyKind(key: string): KeyKind | undefined {
  return (Object.keys(KEY_PREFIXES) as KeyKind[]).find(
    (kind) => key.startsWith(KEY_PREFIXES[kind]) && key.length > KEY_PREFIXES[kind].length,
  );
}
