import { createHmac } from "node:crypto";
import type { IdempotencyStore } from "malipo";
import type { BeginResult, InFlightResult } from "malipo/types";
import { beforeEach, describe, expect, test } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { fc } from "../support/properties.ts";
import { listsItsAttempts } from "./idempotency-list.ts";
import { keepsItsRetention } from "./idempotency-retention.ts";
import {
  attemptOf,
  BASE_URL,
  freshKey,
  LONG_OVER_MS,
  type Open,
  PARAMETERS,
} from "./idempotency-stage.ts";

const same = attemptOf("first");
const other = attemptOf("first", { parameters: `${PARAMETERS} ` });

/** Ways to each state that `begin` and `resolve` return. */
const STATES: readonly [
  name: string,
  state: Exclude<BeginResult["state"], "begun">,
  reach: (store: IdempotencyStore, key: string) => Promise<unknown>,
][] = [
  ["in flight", "in_flight", (store, key) => store.begin(key, attemptOf("a"))],
  [
    "in flight past its lease",
    "unknown",
    (store, key) => store.begin(key, attemptOf("a", { leaseMs: LONG_OVER_MS })),
  ],
  [
    "unknown",
    "unknown",
    async (store, key) => {
      await store.begin(key, attemptOf("a", { leaseMs: LONG_OVER_MS }));
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

const FURTHER: Partial<Record<BeginResult["state"], object>> = {
  in_flight: { owner: "a", ageMs: expect.any(Number), leaseLeftMs: expect.any(Number) },
  succeeded: { result: "R" },
  unknown: { owner: "a", notSentInMs: expect.any(Number) },
};
const found = (state: BeginResult["state"], sameParameters: boolean, sameService = true) => ({
  state,
  sameParameters,
  sameService,
  ...(!sameService && { service: { baseUrl: BASE_URL, scope: "" } }),
  ...FURTHER[state],
});
const resolution = (state: string) => ({ state: state === "unknown" ? "resolved" : state });

/** A result without the times in it, which differ between two stores. */
const withoutTimes = (result: unknown) =>
  JSON.parse(
    JSON.stringify(result ?? null, (name, value) => {
      if (name === "notSentInMs") return value > 0;
      return name.endsWith("Ms") ? undefined : value;
    }),
  );

/** What every store promises. `name` is the store's. */
export function standsByTheContract(name: string, open: Open): void {
  describe(`${name} as an idempotency store`, () => {
    let store: IdempotencyStore;
    let key: string;
    beforeEach(async () => {
      store = await open();
      key = freshKey();
    });

    test("lets exactly one of 100 simultaneous attempts begin", async () => {
      const begun = await Promise.all(
        Array.from({ length: 100 }, (_, i) => store.begin(key, attemptOf(`owner ${i}`))),
      );
      const others = begun.filter(({ state }) => state !== "begun");
      const owner = `owner ${begun.findIndex(({ state }) => state === "begun")}`;
      expect(others).toEqual(Array(99).fill({ ...found("in_flight", true), owner }));
    });

    test.each(STATES)("returns the state of a key that is %s", async (_, state, reach) => {
      await reach(store, key);
      expect(await store.begin(key, same)).toEqual(found(state, true));
      expect(await store.begin(key, other)).toEqual(found(state, false));
    });

    test.each(STATES)("reads a key that is %s, and changes nothing", async (way, state, reach) => {
      const payment = { accountReference: "ORDER-42", amount: "100.00", phone: "712345678" };
      await reach(
        { ...store, begin: (one, attempt) => store.begin(one, { ...attempt, payment }) },
        key,
      );
      const before = await store.read(key);
      expect(before).toEqual({
        endpoint: "POST /mobile-money/payment/initiate",
        idempotencyKey: "ORDER-42/1",
        owner: way === "succeeded by being resolved" ? "" : "a",
        baseUrl: BASE_URL,
        scope: "",
        state,
        begunAt: expect.any(Number),
        ageMs: expect.any(Number),
        notSentInMs: expect.any(Number),
        digests: {
          parameters: store.digest(PARAMETERS),
          accountReference: store.digest("ORDER-42"),
          amount: store.digest("100.00"),
          phone: store.digest("712345678"),
        },
        result: state === "succeeded" ? "R" : undefined,
      });
      expect(withoutTimes(await store.read(key))).toEqual(withoutTimes(before));
      expect(await store.begin(key, same)).toEqual(found(state, true));
    });

    test("reads nothing under a key that is free, and leaves it free", async () => {
      expect(await store.read(key)).toBeUndefined();
      await store.begin(key, attemptOf("a"));
      await store.forget(key, "a");
      expect(await store.read(key)).toBeUndefined();
      expect(await store.begin(key, same)).toEqual({ state: "begun" });
    });

    test.each(STATES)(
      "resolves a key that is %s only if it is unknown",
      async (_, state, reach) => {
        await reach(store, key);
        expect(await store.resolve(key, "R")).toEqual(resolution(state));
        const after = state === "unknown" ? "succeeded" : state;
        expect(await store.begin(key, same)).toEqual(found(after, true));
      },
    );

    test.each(STATES)("frees a key that is %s only if it is unknown", async (_, state, reach) => {
      await reach(store, key);
      expect(await store.resolve(key, undefined)).toEqual(resolution(state));
      const after = state === "unknown" ? { state: "begun" } : found(state, true);
      expect(await store.begin(key, same)).toEqual(after);
    });

    test.each(["R", undefined])(
      "resolves only the attempt of the given owner, with %s",
      async (result) => {
        await store.begin(key, attemptOf("a", { leaseMs: LONG_OVER_MS }));
        expect(await store.resolve(key, result, "before")).toEqual({ state: "another" });
        expect(await store.begin(key, same)).toEqual(found("unknown", true));
        expect(await store.resolve(key, result, "a")).toEqual({ state: "resolved" });
        const after = result === undefined ? { state: "begun" } : found("succeeded", true);
        expect(await store.begin(key, same)).toEqual(after);
      },
    );

    test("has nothing to resolve if there is no record", async () => {
      expect(await store.resolve(key, "R")).toEqual({ state: "free" });
      expect(await store.resolve(key, undefined)).toEqual({ state: "free" });
      expect(await store.begin(key, same)).toEqual({ state: "begun" });
    });

    test("turns an attempt into an unknown one once its lease is over", async () => {
      await store.begin(key, attemptOf("a", { leaseMs: 500 }));
      expect(await store.begin(key, same)).toEqual(found("in_flight", true));
      await expect.poll(() => store.begin(key, same)).toEqual(found("unknown", true));
      expect(await store.resolve(key, undefined)).toEqual({
        state: "too_early",
        notSentInMs: expect.any(Number),
      });
      expect(await store.resolve(key, "R")).toEqual({ state: "resolved" });
    });

    test.each([
      ["finished as unknown", { state: "unknown" } as const, 60_000],
      ["past its lease", undefined, 0],
    ])(
      "frees no attempt that is %s while its request may be on its way",
      async (_, end, leaseMs) => {
        await store.begin(key, attemptOf("a", { leaseMs }));
        if (end !== undefined) await store.finish(key, "a", end);
        const early = await store.resolve(key, undefined);
        expect(early).toEqual({ state: "too_early", notSentInMs: expect.any(Number) });
        const begun = await store.begin(key, same);
        expect(begun).toEqual(found("unknown", true));
        for (const result of [early, begun] as { notSentInMs: number }[]) {
          expect(result.notSentInMs).toBeGreaterThan(0);
          expect(result.notSentInMs).toBeLessThanOrEqual(leaseMs + 5_000);
        }
        expect(await store.resolve(key, "R")).toEqual({ state: "resolved" });
      },
    );

    test("says how old an attempt in flight is, and how long its lease lasts", async () => {
      await store.begin(key, attemptOf("a", { leaseMs: 60_000.5 }));
      const { ageMs, leaseLeftMs } = (await store.begin(key, same)) as InFlightResult;
      expect(ageMs).toBeGreaterThanOrEqual(0);
      expect(leaseLeftMs).toBeGreaterThan(0);
      expect(Math.abs(ageMs + leaseLeftMs - 60_000)).toBeLessThanOrEqual(1);
    });

    /** The record says for which service it was made. */
    const elsewhereFound = (state: Exclude<BeginResult["state"], "begun">) => ({
      ...found(state, true, false),
      service: { baseUrl: BASE_URL, scope: "" },
    });

    test.each(STATES)("knows another service under a key that is %s", async (_, state, reach) => {
      await reach(store, key);
      const elsewhere = { ...same, baseUrl: "https://other.example/api/v1" };
      expect(await store.begin(key, elsewhere)).toEqual(elsewhereFound(state));
    });

    test.each(STATES)(
      "keeps a key that is %s apart from the same key of another scope",
      async (_, state, reach) => {
        await reach(store, key);
        const scopes = await Promise.all(
          ["shop", "another shop", '"', '" shop'].map((scope) =>
            open({ scope, pepper: "a secret" }),
          ),
        );
        for (const [at, apart] of scopes.entries()) {
          const owner = `owner ${at}`;
          expect(await apart.read(key)).toBeUndefined();
          expect(await apart.resolve(key, "R")).toEqual({ state: "free" });
          expect(await apart.begin(key, { ...other, owner })).toEqual({ state: "begun" });
          expect(await apart.begin(key, other)).toEqual({ ...found("in_flight", true), owner });
        }
        for (const [at, apart] of scopes.entries()) {
          await apart.finish(key, "a", { state: "succeeded", result: "of another" });
          await apart.finish(key, `owner ${at}`, { state: "succeeded", result: `R${at}` });
        }
        for (const [at, apart] of scopes.entries()) {
          expect(await apart.read(key)).toMatchObject({ state: "succeeded", result: `R${at}` });
        }
        expect(await store.begin(key, same)).toEqual(found(state, true));
      },
    );

    test("compares parameters by digests that the pepper keys", async () => {
      const peppered = await open({ pepper: "a secret" });
      await peppered.begin(key, attemptOf("a"));
      expect(await peppered.begin(key, same)).toEqual(found("in_flight", true));
      for (const [pepper, text] of [
        [undefined, PARAMETERS],
        ["a secret", PARAMETERS],
        [new Uint8Array([0, 255]), "ünïcødé"],
      ] as const) {
        const one = await open({ ...(pepper !== undefined && { pepper }) });
        const digest = createHmac("sha256", pepper ?? "")
          .update(text)
          .digest("hex");
        // A durable store names the pepper first.
        expect(one.digest(text).split(":").at(-1)).toBe(digest);
      }
      if (name === "memory") return;
      const other = await open({ pepper: "another secret" });
      expect(await other.begin(key, same)).toEqual(found("in_flight", false));
    });

    test("lets the owner finish after its lease, unless it was resolved", async () => {
      await store.begin(key, attemptOf("a", { leaseMs: 0 }));
      await store.finish(key, "a", { state: "succeeded", result: "R" });
      expect(await store.begin(key, same)).toEqual(found("succeeded", true));
    });

    test.each(STATES)("lets only the owner end an attempt that is %s", async (_, state, reach) => {
      await reach(store, key);
      await store.finish(key, "b", { state: "succeeded", result: "another" });
      await store.finish(key, "b", { state: "unknown" });
      await store.forget(key, "b");
      expect(await store.begin(key, same)).toEqual(found(state, true));
    });

    test("lets the owner free its key, also for other parameters", async () => {
      await store.begin(key, attemptOf("a"));
      await store.forget(key, "a");
      expect(await store.begin(key, { ...other, owner: "b" })).toEqual({ state: "begun" });
    });

    test.each(["succeeded", "unknown"] as const)(
      "keeps a resolved record from its old owner, which ends as %s",
      async (state) => {
        await store.begin(key, attemptOf("a", { leaseMs: 0 }));
        await store.resolve(key, "R");
        await store.finish(key, "a", state === "unknown" ? { state } : { state, result: "late" });
        await store.forget(key, "a");
        expect(await store.begin(key, same)).toEqual(found("succeeded", true));
      },
    );

    test("keeps any two keys apart and any result unchanged", async () => {
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

    test("behaves as the store in memory does, for any order of operations", async () => {
      const owner = fc.constantFrom("a", "b");
      const parameters = fc.constantFrom("1", "2");
      const leaseMs = fc.constantFrom(LONG_OVER_MS, 0, 60_000);
      const end = fc.constantFrom(
        { state: "unknown" },
        { state: "succeeded", result: "R" },
      ) as fc.Arbitrary<{ state: "unknown" } | { state: "succeeded"; result: string }>;
      type Step = (store: IdempotencyStore, key: string) => Promise<unknown>;
      const step = fc.oneof<fc.Arbitrary<Step>[]>(
        fc.record({ owner: fc.uuid(), parameters, leaseMs }).map(
          ({ owner: own, ...rest }) =>
            (on, key) =>
              on.begin(key, attemptOf(own, rest)),
        ),
        fc.record({ owner, parameters, leaseMs }).map(
          ({ owner: own, ...rest }) =>
            (on, key) =>
              on.forget(key, own).then(() => on.begin(key, attemptOf(own, rest))),
        ),
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
            const [real, expected] = [await one(store, name), await one(model, name)];
            expect(withoutTimes(real)).toEqual(withoutTimes(expected));
          }
        }),
        { numRuns: 60 },
      );
    });
  });

  listsItsAttempts(name, open);
  keepsItsRetention(name, open);
}
