import type { IdempotencyStore } from "malipo";
import type { NewAttempt } from "malipo/types";
import { hideSleeps } from "./worker-clock.ts";

/** A client without one of its mechanisms. The campaign must fail with each of them. */
export const SABOTAGES = ["no-deadline", "early-resolve", "forgetful-store"] as const;
export type Sabotage = (typeof SABOTAGES)[number];

/** A store that frees an attempt although it is too early for that. */
function earlyResolve(store: IdempotencyStore): IdempotencyStore {
  let anyAttempt: NewAttempt | undefined;
  return {
    ...store,
    begin: (key, attempt) => {
      anyAttempt = attempt;
      return store.begin(key, attempt);
    },
    resolve: async (key, result, owner) => {
      const found = await store.resolve(key, result, owner);
      if (found.state !== "too_early" || anyAttempt === undefined) return found;
      // Says who holds the key.
      const holder = await store.begin(key, { ...anyAttempt, owner: "sabotage" });
      if (holder.state !== "unknown") return found;
      await store.forget(key, holder.owner);
      return { state: "resolved" };
    },
  };
}

/** A store that knows only what its own process has stored. */
function forgetful(store: IdempotencyStore): IdempotencyStore {
  const own = (key: string) => `${process.pid} ${key}`;
  return {
    ...store,
    begin: (key, attempt) => store.begin(own(key), attempt),
    read: (key) => store.read(own(key)),
    finish: (key, owner, end) => store.finish(own(key), owner, end),
    forget: (key, owner) => store.forget(own(key), owner),
    resolve: (key, result, owner) => store.resolve(own(key), result, owner),
  };
}

/** Takes a mechanism away from this worker. */
export function applySabotage(
  store: IdempotencyStore,
  sabotage: Sabotage | undefined,
): IdempotencyStore {
  if (sabotage === "no-deadline") hideSleeps();
  if (sabotage === "early-resolve") return earlyResolve(store);
  return sabotage === "forgetful-store" ? forgetful(store) : store;
}
