import type { IdempotencyStore } from "malipo";
import { expect } from "vitest";
import { attemptOf } from "../../suites/idempotency-stage.ts";

/** A moment to which the times of stored records are set, and one that is far in the future. */
export const PAST_MS = Date.UTC(2026, 0, 1);
export const FUTURE_MS = Date.UTC(2100, 0, 1);

/** The options of the stores that wrote the data. */
export const OPTIONS = { scope: "shop", pepper: "a secret" } as const;

const ENDPOINT = "POST /mobile-money/payment/initiate";
const RESULT =
  '{"status":200,"text":"{\\"success\\":true,\\"data\\":{\\"reference\\":\\"PAY-1\\"}}"}';
const PAYMENT = { accountReference: "ORDER-42", amount: "100.00", phone: "254712345678" };

const keyOf = (state: string) => `${ENDPOINT} ${state}/1`;

/** One record of each state. */
export async function writeEachState(store: IdempotencyStore): Promise<void> {
  const begin = (state: string, own = {}) =>
    store.begin(
      keyOf(state),
      attemptOf(`owner of ${state}`, { idempotencyKey: `${state}/1`, payment: PAYMENT, ...own }),
    );
  await begin("in-flight");
  await begin("unknown");
  await store.finish(keyOf("unknown"), "owner of unknown", { state: "unknown" });
  await begin("succeeded");
  await store.finish(keyOf("succeeded"), "owner of succeeded", {
    state: "succeeded",
    result: RESULT,
  });
  await begin("resolved", { leaseMs: 0, payment: undefined });
  await store.resolve(keyOf("resolved"), RESULT);
}

/** Reads the data as any later release must. */
export async function expectEachState(store: IdempotencyStore): Promise<void> {
  const begin = (state: string) => store.begin(keyOf(state), attemptOf("another"));
  const same = { sameParameters: true, sameService: true };
  const { attempts } = await store.list({
    digests: { accountReference: store.digest("ORDER-42") },
  });
  expect(attempts).toHaveLength(3);
  expect(attempts.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual([
    "in-flight/1",
    "succeeded/1",
    "unknown/1",
  ]);
  expect((await store.list()).attempts).toHaveLength(4);
  // Its lease is long over.
  for (const state of ["in-flight", "unknown"]) {
    const owner = `owner of ${state}`;
    expect(await begin(state)).toEqual({ state: "unknown", ...same, owner, notSentInMs: 0 });
  }
  for (const state of ["succeeded", "resolved"]) {
    expect(await begin(state)).toEqual({ state: "succeeded", ...same, result: RESULT });
  }
  expect(await store.resolve(keyOf("unknown"), "R", "owner of unknown")).toEqual({
    state: "resolved",
  });
  expect(await store.resolve(keyOf("in-flight"), undefined)).toEqual({ state: "resolved" });
  expect(await begin("in-flight")).toEqual({ state: "begun" });
}

/** The folder of each format that a release wrote. */
export const fileOf = (format: number, name: string): URL =>
  new URL(`./${format}/${name}.json`, import.meta.url);
