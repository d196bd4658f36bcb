import type { BeginResult } from "./store.ts";

const STATES: readonly BeginResult["state"][] = ["begun", "in_flight", "succeeded", "unknown"];

/**
 * What a store's `begin` resolved with, read once. A store that a user wrote may resolve with
 * anything, and nothing may be sent then.
 *
 * @throws {TypeError} for anything but a `BeginResult`.
 */
export function checkBeginResult(result: unknown): BeginResult {
  const {
    state,
    sameParameters,
    result: stored,
    owner,
  } = Object(result) as Record<string, unknown>;
  const isValid =
    STATES.some((one) => one === state) &&
    (state === "begun" || typeof sameParameters === "boolean") &&
    (state !== "succeeded" || typeof stored === "string") &&
    (state !== "unknown" || typeof owner === "string");
  if (isValid) return { state, sameParameters, result: stored, owner } as BeginResult;
  throw new TypeError(
    "begin() of the idempotency store must resolve with a BeginResult: a state (begun, in_flight, succeeded or unknown) and its fields.",
  );
}
