import type { IdempotencyStore } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { attemptOf, freshKey, type Open } from "./idempotency-stage.ts";

const START = Date.UTC(2026, 0, 31, 9);
const DAY_MS = 24 * 3_600_000;
/** Moves the wall clock and the monotonic clocks to so much after the start. */
const passed = (ms: number) => vi.advanceTimersByTime(START + ms - Date.now());
const DONE = { state: "succeeded", result: "R" } as const;

/** Ways to a stored result. */
const RESULTS: readonly [how: string, reach: (store: IdempotencyStore, key: string) => unknown][] =
  [
    [
      "that the attempt had",
      async (store, key) => {
        await store.begin(key, attemptOf("a"));
        await store.finish(key, "a", DONE);
      },
    ],
    [
      "that it was resolved by",
      async (store, key) => {
        await store.begin(key, attemptOf("a", { leaseMs: 0 }));
        await store.resolve(key, "R");
      },
    ],
  ];

/** What a store promises besides, if it uses the clock of its process: times to the millisecond. */
export function keepsTimeByThisClock(name: string, open: Open): void {
  describe(`${name} as an idempotency store with a clock`, () => {
    const stateOf = async (store: IdempotencyStore, key: string) =>
      (await store.begin(key, attemptOf("late"))).state;
    const brief = () => open({ retentionMs: 1_000 });

    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["Date", "performance", "hrtime"], now: START });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    test("keeps an attempt in flight until its lease is over", async () => {
      const [store, key] = [await open(), freshKey()];
      await store.begin(key, attemptOf("a", { leaseMs: 1_000 }));
      passed(999);
      expect(await stateOf(store, key)).toBe("in_flight");
      passed(1_000);
      expect(await stateOf(store, key)).toBe("unknown");
    });

    test("frees an unknown attempt from five seconds after its lease", async () => {
      const [store, key] = [await open(), freshKey()];
      await store.begin(key, attemptOf("a", { leaseMs: 1_000 }));
      passed(400);
      await store.finish(key, "a", { state: "unknown" });
      expect(await store.resolve(key, undefined)).toEqual({
        state: "too_early",
        notSentInMs: 5_600,
      });
      passed(5_999);
      expect(await store.resolve(key, undefined)).toEqual({ state: "too_early", notSentInMs: 1 });
      passed(6_000);
      expect(await store.resolve(key, undefined)).toEqual({ state: "resolved" });
    });

    test.each([-3 * 3_600_000, 3 * 3_600_000])(
      "measures a lease by a clock that is never set: the wall clock moves by %i ms",
      async (jump) => {
        const [store, key] = [await open(), freshKey()];
        await store.begin(key, attemptOf("a", { leaseMs: 1_000 }));
        vi.setSystemTime(START + jump);
        vi.advanceTimersByTime(999);
        expect(await stateOf(store, key)).toBe("in_flight");
        vi.advanceTimersByTime(1);
        expect(await store.begin(key, attemptOf("b"))).toMatchObject({
          state: "unknown",
          notSentInMs: 5_000,
        });
      },
    );

    describe.each(RESULTS)("remembers a result %s", (_, reach) => {
      const KEYS = 10;
      const reachAll = async (store: IdempotencyStore) => {
        const keys = Array.from({ length: KEYS }, freshKey);
        for (const key of keys) await reach(store, key);
        return keys;
      };
      const statesOf = async (store: IdempotencyStore, keys: readonly string[]) =>
        Promise.all(keys.map((key) => stateOf(store, key)));
      /** Another call, which begins, ends and lists, so that the store may drop what is expired. */
      const callOnce = async (store: IdempotencyStore) => {
        const key = freshKey();
        await store.begin(key, attemptOf("other"));
        await store.finish(key, "other", DONE);
        await store.list();
      };

      test.each([
        ["ahead for one call", 31 * DAY_MS, 0],
        ["behind for one call", -31 * DAY_MS, 0],
        ["31 days behind at first", 0, 31 * DAY_MS],
      ])("when the wall clock is %s, and then right", async (_, offsetMs, laterMs) => {
        const store = await open();
        const keys = await reachAll(store);
        vi.setSystemTime(START + offsetMs);
        await callOnce(store);
        vi.setSystemTime(START + laterMs);
        await callOnce(store);
        expect(await statesOf(store, keys)).toEqual(Array(KEYS).fill("succeeded"));
        vi.advanceTimersByTime(29 * DAY_MS);
        await callOnce(store);
        expect(await statesOf(store, keys)).toEqual(Array(KEYS).fill("succeeded"));
      });

      test.each([
        ["30 days, by default", undefined, 30 * DAY_MS],
        ["its retention", { retentionMs: 1_000 }, 1_000],
      ])("for %s, and not longer", async (_, options, ms) => {
        const [store, key] = [await open(options), freshKey()];
        await reach(store, key);
        passed(ms - 1);
        expect(await stateOf(store, key)).toBe("succeeded");
        passed(ms);
        expect(await stateOf(store, key)).toBe("begun");
      });
    });

    test.each([
      ["finished as unknown", { state: "unknown" } as const],
      ["past its lease", undefined],
    ])("never forgets an attempt that is %s, however old", async (_, end) => {
      const [store, key] = [await brief(), freshKey()];
      await store.begin(key, attemptOf("a"));
      if (end !== undefined) await store.finish(key, "a", end);
      for (const days of [31, 400, 4_000]) {
        passed(days * DAY_MS);
        const other = freshKey();
        await store.begin(other, attemptOf("c"));
        await store.finish(other, "c", DONE);
        expect(await stateOf(store, key)).toBe("unknown");
      }
    });

    test("counts the retention of a result from its last write", async () => {
      const [store, again, once] = [await brief(), freshKey(), freshKey()];
      for (const key of [again, once]) {
        await store.begin(key, attemptOf("a"));
        await store.finish(key, "a", DONE);
      }
      passed(500);
      await store.finish(again, "a", DONE);
      passed(1_000);
      expect(await stateOf(store, once)).toBe("begun");
      expect(await stateOf(store, again)).toBe("succeeded");
      passed(1_500);
      expect(await stateOf(store, again)).toBe("begun");
    });

    test("drops nothing for a result that was replaced", async () => {
      const [store, freed, unsure] = [await brief(), freshKey(), freshKey()];
      for (const key of [freed, unsure]) {
        await store.begin(key, attemptOf("a"));
        await store.finish(key, "a", DONE);
      }
      await store.forget(freed, "a");
      await store.begin(freed, attemptOf("b"));
      await store.finish(unsure, "a", { state: "unknown" });
      passed(1_000);
      expect(await stateOf(store, freed)).toBe("in_flight");
      expect(await stateOf(store, unsure)).toBe("unknown");
    });
  });
}
