import type { IdempotencyStore } from "./idempotency-store.ts";

// The unknown attempts that this process has seen, by store and record name. A person resolves the
// attempt that they looked up, and must not resolve another one that has begun since.
const SEEN = new WeakMap<IdempotencyStore, Map<string, string>>();
const MAX_SEEN = 10_000;

export function rememberUnknown(store: IdempotencyStore, name: string, owner: string): void {
  const seen = SEEN.get(store) ?? new Map<string, string>();
  SEEN.set(store, seen);
  // Deleted first, so that the name becomes the newest one.
  seen.delete(name);
  seen.set(name, owner);
  for (const oldest of seen.keys()) {
    if (seen.size <= MAX_SEEN) break;
    seen.delete(oldest);
  }
}

/** The owner of the last unknown attempt that this process has seen under a record name. */
export const lastUnknownOwner = (store: IdempotencyStore, name: string): string | undefined =>
  SEEN.get(store)?.get(name);
