import type { IdempotencyStore } from "malipo";
import type { AttemptRecord, ListQuery } from "malipo/types";
import { beforeEach, describe, expect, test } from "vitest";
import { attemptOf, BASE_URL, freshKey, LONG_OVER_MS, type Open } from "./idempotency-stage.ts";

const ORDER = { accountReference: "ORDER-42", amount: "100.00", phone: "254712345678" };

/** Every attempt that a query finds, page by page. */
async function all(store: IdempotencyStore, query: ListQuery = {}): Promise<AttemptRecord[]> {
  const found: AttemptRecord[] = [];
  let after: string | undefined;
  do {
    const page = await store.list({ ...query, ...(after !== undefined && { after }) });
    found.push(...page.attempts);
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** How each store lists its attempts. */
export function listsItsAttempts(name: string, open: Open): void {
  describe(`${name} as an idempotency store that lists`, () => {
    let store: IdempotencyStore;
    beforeEach(async () => {
      // Other tests share the records, but not this scope.
      store = await open({ scope: freshKey(), pepper: "a secret" });
    });
    const owners = (attempts: readonly AttemptRecord[]) => attempts.map(({ owner }) => owner);
    const begin = (owner: string, own: Parameters<typeof attemptOf>[1] = {}) => {
      const key = freshKey();
      return store.begin(key, attemptOf(owner, { idempotencyKey: key, ...own })).then(() => key);
    };

    test("returns what an attempt was begun with, and digests of its payment only", async () => {
      const from = Date.now();
      const key = await begin("a", { payment: ORDER });
      const { attempts, next } = await store.list();
      expect(next).toBeUndefined();
      expect(attempts).toEqual([
        {
          endpoint: "POST /mobile-money/payment/initiate",
          idempotencyKey: key,
          owner: "a",
          baseUrl: BASE_URL,
          scope: expect.any(String),
          state: "in_flight",
          begunAt: expect.any(Number),
          ageMs: expect.any(Number),
          notSentInMs: expect.any(Number),
          digests: {
            parameters: store.digest(attemptOf("a").parameters),
            accountReference: store.digest("ORDER-42"),
            amount: store.digest("100.00"),
            phone: store.digest("254712345678"),
          },
        },
      ]);
      const [{ begunAt = 0, ageMs = -1, notSentInMs = 0 } = {}] = attempts;
      expect(ageMs).toBeGreaterThanOrEqual(0);
      expect(ageMs).toBeLessThan(60_000);
      // An engine on another machine has another clock.
      expect(Math.abs(begunAt - from)).toBeLessThan(60_000);
      expect(notSentInMs).toBeGreaterThan(0);
      expect(notSentInMs).toBeLessThanOrEqual(65_000);
    });

    test("finds attempts by their state", async () => {
      await begin("in flight");
      await begin("past its lease", { leaseMs: LONG_OVER_MS });
      const left = await begin("unknown");
      await store.finish(left, "unknown", { state: "unknown" });
      const done = await begin("succeeded");
      await store.finish(done, "succeeded", { state: "succeeded", result: "R" });
      const gone = await begin("gone");
      await store.forget(gone, "gone");
      const found = async (state: AttemptRecord["state"]) =>
        owners((await store.list({ state })).attempts).sort();
      expect(await found("in_flight")).toEqual(["in flight"]);
      expect(await found("unknown")).toEqual(["past its lease", "unknown"]);
      expect(await found("succeeded")).toEqual(["succeeded"]);
      expect(await all(store)).toHaveLength(4);
      const over = (await all(store)).filter(({ notSentInMs }) => notSentInMs === 0);
      expect(owners(over).sort()).toEqual(["past its lease", "succeeded"]);
    });

    test("finds attempts by digests of their payment, all of which must match", async () => {
      await begin("one", { payment: ORDER });
      await begin("two", { payment: { ...ORDER, amount: "7.00" } });
      await begin("three", { payment: { phone: ORDER.phone } });
      await begin("none");
      const found = async (digests: NonNullable<ListQuery["digests"]>) =>
        owners((await store.list({ digests })).attempts).sort();
      const phone = store.digest(ORDER.phone);
      expect(await found({ phone })).toEqual(["one", "three", "two"]);
      expect(await found({ phone, amount: store.digest("7.00") })).toEqual(["two"]);
      expect(await found({ accountReference: store.digest("ORDER-43") })).toEqual([]);
      expect(await found({ parameters: store.digest(attemptOf("a").parameters) })).toHaveLength(4);
    });

    test("returns the oldest first, in pages that neither repeat nor leave out an attempt", async () => {
      const begun = Array.from({ length: 25 }, (_, i) => `owner ${i}`);
      const keys = [];
      for (const owner of begun) keys.push(await begin(owner, { leaseMs: LONG_OVER_MS }));
      const inOrder = await all(store);
      expect(owners(inOrder).sort()).toEqual(begun.toSorted());
      const times = inOrder.map(({ begunAt }) => begunAt);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      for (const limit of [1, 7, 24, 25, 26]) {
        expect(owners(await all(store, { limit, state: "unknown" }))).toEqual(owners(inOrder));
      }
      const first = await store.list({ limit: 10 });
      expect(first.attempts).toHaveLength(10);
      // The last one of the page is resolved, and another one begins.
      for (const { idempotencyKey } of first.attempts) {
        await store.resolve(idempotencyKey, undefined);
      }
      await begin("later");
      const rest = await all(store, { after: first.next as string, limit: 4 });
      expect(owners(rest)).toEqual([...owners(inOrder).slice(10), "later"]);
    });

    test("has an empty page if there is no attempt", async () => {
      expect(await store.list()).toEqual({ attempts: [], next: undefined });
    });

    test("leaves out attempts of another scope", async () => {
      await begin("a");
      const apart = await open({ scope: freshKey() });
      expect((await apart.list()).attempts).toEqual([]);
    });

    test.each([
      { state: "done" },
      { limit: 0 },
      { limit: 1_001 },
      { after: "x" },
      { after: 7 },
      { digests: { name: "x" } },
      { status: "unknown" },
    ])("rejects a query with %j", async (query) => {
      await expect(store.list(query as object)).rejects.toMatchObject({ code: "configuration" });
    });

    test.each([
      { scope: 7 },
      { scope: "\0" },
      { scope: "x".repeat(256) },
      { pepper: "" },
      { pepper: 7 },
    ])("rejects the options %j", async (options) => {
      await expect(open(options as object)).rejects.toMatchObject({ code: "configuration" });
    });
  });
}
