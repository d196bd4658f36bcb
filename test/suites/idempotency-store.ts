import fc from "fast-check";
import type { IdempotencyStore, Standing } from "malipo";
import { memoryIdempotency } from "malipo";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { keepsItsRetention } from "./idempotency-retention.ts";
import { attemptOf, freshKey, type Open, PARAMETERS, PATIENCE_MS } from "./idempotency-stage.ts";

const same = attemptOf("somebody");
const other = attemptOf("somebody", { parameters: `${PARAMETERS} ` });

/** Ways to each standing, as what `begin` gives and what `resolve` gives. */
const STANDINGS: readonly [
  name: string,
  standing: Exclude<Standing["state"], "begun">,
  reach: (store: IdempotencyStore, key: string) => Promise<unknown>,
][] = [
  ["in flight", "in_flight", (store, key) => store.begin(key, attemptOf("a"))],
  [
    "in flight past its lease",
    "unknown",
    (store, key) => store.begin(key, attemptOf("a", { leaseMs: 0 })),
  ],
  [
    "unknown",
    "unknown",
    async (store, key) => {
      await store.begin(key, attemptOf("a"));
      await store.finish(key, "a", { state: "unknown" });
    },
  ],
  [
    "succeeded",
    "succeeded",
    async (store, key) => {
      await store.begin(key, attemptOf("a"));
      await store.finish(key, "a", { state: "succeeded", result: "R" });
    },
  ],
  [
    "succeeded by being resolved",
    "succeeded",
    async (store, key) => {
      await store.begin(key, attemptOf("a", { leaseMs: 0 }));
      await store.resolve(key, "R");
    },
  ],
];

const FURTHER: Partial<Record<Standing["state"], object>> = {
  succeeded: { result: "R" },
  unknown: { owner: "a" },
};
const standing = (state: Standing["state"], sameParameters: boolean) => ({
  state,
  sameParameters,
  ...FURTHER[state],
});

/** What every store promises, `name` says of which. */
export function standsByTheContract(name: string, open: Open): void {
  describe(`${name} as an idempotency store`, { timeout: PATIENCE_MS }, () => {
    let store: IdempotencyStore;
    let key: string;
    beforeEach(async () => {
      store = await open();
      key = freshKey();
    });

    test("lets exactly one of 100 attempts at once begin", async () => {
      const begun = await Promise.all(
        Array.from({ length: 100 }, (_, i) => store.begin(key, attemptOf(`owner ${i}`))),
      );
      const others = begun.filter(({ state }) => state !== "begun");
      expect(others).toEqual(Array(99).fill({ state: "in_flight", sameParameters: true }));
    });

    test.each(STANDINGS)("says of a key that is %s what stands", async (_, state, reach) => {
      await reach(store, key);
      expect(await store.begin(key, same)).toEqual(standing(state, true));
      expect(await store.begin(key, other)).toEqual(standing(state, false));
    });

    test.each(STANDINGS)(
      "resolves a key that is %s only if it is unknown",
      async (_, state, reach) => {
        await reach(store, key);
        expect(await store.resolve(key, "R")).toBe(state);
        const after = state === "unknown" ? "succeeded" : state;
        expect(await store.begin(key, same)).toEqual(standing(after, true));
      },
    );

    test.each(STANDINGS)(
      "frees a key that is %s only if it is unknown",
      async (_, state, reach) => {
        await reach(store, key);
        expect(await store.resolve(key, undefined)).toBe(state);
        const after = state === "unknown" ? { state: "begun" } : standing(state, true);
        expect(await store.begin(key, same)).toEqual(after);
      },
    );

    test.each(["R", undefined])(
      "resolves the attempt that was named, and none that began since, with %s",
      async (result) => {
        await store.begin(key, attemptOf("a", { leaseMs: 0 }));
        expect(await store.resolve(key, result, "before")).toBe("another");
        expect(await store.begin(key, same)).toEqual(standing("unknown", true));
        expect(await store.resolve(key, result, "a")).toBe("unknown");
        const after = result === undefined ? { state: "begun" } : standing("succeeded", true);
        expect(await store.begin(key, same)).toEqual(after);
      },
    );

    test("has nothing to resolve where there is no record", async () => {
      expect(await store.resolve(key, "R")).toBe("free");
      expect(await store.resolve(key, undefined)).toBe("free");
      expect(await store.begin(key, same)).toEqual({ state: "begun" });
    });

    test("turns an attempt into an unknown one once its lease is over", async () => {
      await store.begin(key, attemptOf("a", { leaseMs: 500 }));
      expect(await store.begin(key, same)).toEqual(standing("in_flight", true));
      await vi.waitFor(
        async () => expect(await store.begin(key, same)).toEqual(standing("unknown", true)),
        PATIENCE_MS,
      );
      expect(await store.resolve(key, undefined)).toBe("unknown");
    });

    test("lets the owner finish after its lease, where nobody resolved it", async () => {
      await store.begin(key, attemptOf("a", { leaseMs: 0 }));
      await store.finish(key, "a", { state: "succeeded", result: "R" });
      expect(await store.begin(key, same)).toEqual(standing("succeeded", true));
    });

    test.each(STANDINGS)("lets nobody but the owner end what is %s", async (_, state, reach) => {
      await reach(store, key);
      await store.finish(key, "b", { state: "succeeded", result: "another" });
      await store.finish(key, "b", { state: "unknown" });
      await store.forget(key, "b");
      expect(await store.begin(key, same)).toEqual(standing(state, true));
    });

    test("lets the owner free its key, for other parameters too", async () => {
      await store.begin(key, attemptOf("a"));
      await store.forget(key, "a");
      expect(await store.begin(key, { ...other, owner: "b" })).toEqual({ state: "begun" });
    });

    test.each(["succeeded", "unknown"] as const)(
      "keeps from a late owner what was resolved meanwhile, should it end as %s",
      async (state) => {
        await store.begin(key, attemptOf("a", { leaseMs: 0 }));
        await store.resolve(key, "R");
        await store.finish(key, "a", state === "unknown" ? { state } : { state, result: "late" });
        await store.forget(key, "a");
        expect(await store.begin(key, same)).toEqual(standing("succeeded", true));
      },
    );

    test("keeps any two keys apart, and any result as it was", async () => {
      const texts = fc.uniqueArray(
        fc.string({ unit: "binary", minLength: 1 }).filter((text) => !text.includes("\0")),
        { maxLength: 6 },
      );
      await fc.assert(
        fc.asyncProperty(texts, async (names) => {
          const prefix = freshKey();
          for (const one of names) {
            expect(await store.begin(prefix + one, same)).toEqual({ state: "begun" });
            await store.finish(prefix + one, same.owner, { state: "succeeded", result: one });
          }
          for (const one of names) {
            expect(await store.begin(prefix + one, same)).toMatchObject({ result: one });
          }
        }),
        { numRuns: 20 },
      );
    });

    test("does what the store in memory does, whatever the order of steps", async () => {
      const owner = fc.constantFrom("a", "b");
      const parameters = fc.constantFrom("1", "2");
      const end = fc.constantFrom(
        { state: "unknown" },
        { state: "succeeded", result: "R" },
      ) as fc.Arbitrary<{ state: "unknown" } | { state: "succeeded"; result: string }>;
      type Step = (store: IdempotencyStore, key: string) => Promise<unknown>;
      const step = fc.oneof<fc.Arbitrary<Step>[]>(
        fc
          .record({ owner: fc.uuid(), parameters, leaseMs: fc.constantFrom(0, 60_000) })
          .map((own) => (on, key) => on.begin(key, own)),
        fc
          .record({ owner, parameters, leaseMs: fc.constantFrom(0, 60_000) })
          .map((own) => (on, key) => on.forget(key, own.owner).then(() => on.begin(key, own))),
        fc.tuple(owner, end).map(
          ([own, ended]) =>
            (on, key) =>
              on.finish(key, own, ended),
        ),
        owner.map((own) => (on, key) => on.forget(key, own)),
        fc.tuple(fc.constantFrom("R", undefined), fc.option(owner, { nil: undefined })).map(
          ([result, own]) =>
            (on, key) =>
              on.resolve(key, result, own),
        ),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
          const model = memoryIdempotency();
          const name = freshKey();
          for (const one of steps) {
            expect(await one(store, name)).toEqual(await one(model, name));
          }
        }),
        { numRuns: 60 },
      );
    });
  });

  keepsItsRetention(name, open);
}
