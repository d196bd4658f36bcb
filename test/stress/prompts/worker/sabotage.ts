import type { IdempotencyStore } from "malipo";
import { hideSleeps } from "./worker-clock.ts";

/** A client without one of its mechanisms. The campaign must fail with each of them. */
export const SABOTAGES = ["no-fence", "early-resolve", "forgetful-store"] as const;
export type Sabotage = (typeof SABOTAGES)[number];

/** A store that frees an attempt although it is too early for that. */
function earlyResolve(store: IdempotencyStore): IdempotencyStore {
  return {
    ...store,
    resolve: async (key, result, owner) => {
      const found = await store.resolve(key, result, owner);
      if (found.state !== "too_early" || owner === undefined) return found;
      await store.forget(key, owner);
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
  if (sabotage === "no-fence") hideSleeps();
  if (sabotage === "early-resolve") return earlyResolve(store);
  return sabotage === "forgetful-store" ? forgetful(store) : store;
}
