import { setTimeout as sleep } from "node:timers/promises";
import type { IdempotencyStore } from "malipo";
import type { UnknownResult } from "malipo/types";
import { describe, expect, test, vi } from "vitest";
import { attemptOf, freshKey, LONG_OVER_MS, type Open } from "./idempotency-stage.ts";

const DAY_MS = 24 * 3_600_000;

/** A durable store, and how a test reaches its data. */
export interface Durable {
  readonly open: Open;
  /** Everything that is stored, as text. */
  contents(): Promise<string>;
  /** Sets a record to this version and an expired retention. */
  setVersion(key: string, version: number): Promise<void>;
  /** Says that everything is stored in this format; `null`: in the one before formats. */
  setFormat(format: number | null): Promise<void>;
  /** Writes a field of a record, past the store. Resolves with whether the engine let it. */
  tamper(key: string, field: string, value: string | null): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Moves the begin of a lease into the future, as a clock does that is set back after it. */
  moveLease(key: string, ms: number): Promise<void>;
  /** Moves every time of a record into the past: it is older by so much. */
  makeOlder(key: string, ms: number): Promise<void>;
  /** A store of the same kind whose engine cannot be reached. */
  unreachable(): Promise<IdempotencyStore>;
  /** Crashes the engine and starts it again. */
  crash?(): Promise<void>;
}

/** What a store promises besides, if processes share it. */
export function standsByTheContractOfDurability(
  name: string,
  durable: () => Durable,
  { crashes }: { crashes: boolean },
): void {
  describe(`${name} as a durable idempotency store`, () => {
    test("lets exactly one of 100 simultaneous attempts begin, over several connections", async () => {
      const stores = await Promise.all(Array.from({ length: 4 }, () => durable().open()));
      const key = freshKey();
      const begun = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          stores[i % 4]?.begin(key, attemptOf(`owner ${i}`)).then(({ state }) => state),
        ),
      );
      expect(begun.filter((state) => state === "begun")).toHaveLength(1);
      expect(begun.filter((state) => state === "in_flight")).toHaveLength(99);
    });

    test("shows the changes of one connection to every other", async () => {
      const [one, another] = [await durable().open(), await durable().open()];
      const key = freshKey();
      await one.begin(key, attemptOf("a"));
      await one.finish(key, "a", { state: "unknown" });
      expect(await another.resolve(key, "R")).toEqual({ state: "resolved" });
      expect(await one.begin(key, attemptOf("b"))).toEqual({
        state: "succeeded",
        sameParameters: true,
        sameService: true,
        result: "R",
      });
    });

    test("stores none of the parameters", async () => {
      const store = await durable().open();
      const key = freshKey();
      const payment = { phone: "254733998877", accountReference: "INV-77", amount: "98765.43" };
      const parameters = '{"telephone":"0733998877"}';
      await store.begin(key, attemptOf("a", { parameters, payment }));
      const contents = await durable().contents();
      expect(contents).toContain(key);
      expect(contents).not.toMatch(/733998877|telephone|INV-77|98765\.43/);
    });

    test.each([
      ["in flight", async () => {}],
      ["unknown", (store, key) => store.finish(key, "a", { state: "unknown" })],
      ["succeeded", (store, key) => store.finish(key, "a", { state: "succeeded", result: "R" })],
    ] as [string, (store: IdempotencyStore, key: string) => Promise<void>][])(
      "rejects a record of another version that is %s, and does not change it",
      async (_, end) => {
        const store = await durable().open();
        const key = freshKey();
        await store.begin(key, attemptOf("a", { leaseMs: 0 }));
        await end(store, key);
        for (const version of [1, 3]) {
          await durable().setVersion(key, version);
          const before = await durable().contents();
          expect(before).toContain(key);
          const rejected = version > 2 ? `version ${version}` : "`version` is not valid";
          for (const attempt of [attemptOf("b"), attemptOf("b", { parameters: "{}" })]) {
            await expect(store.begin(key, attempt)).rejects.toThrow(rejected);
          }
          await expect(store.resolve(key, "R")).rejects.toThrow(rejected);
          await expect(store.resolve(key, undefined)).rejects.toThrow(rejected);
          for (const owner of ["a", "b"]) {
            await store.finish(key, owner, { state: "unknown" });
            await store.forget(key, owner);
          }
          // Expired records are dropped when a call ends.
          await store.begin(`${key}'`, attemptOf("c", { leaseMs: LONG_OVER_MS }));
          await store.finish(`${key}'`, "c", { state: "unknown" });
          await store.resolve(`${key}'`, undefined);
          expect(await durable().contents()).toBe(before);
        }
      },
    );

    test.each([2, 4, null])(
      "rejects data in the format %s, and does not change it",
      async (format) => {
        const key = freshKey();
        const store = await durable().open();
        await store.begin(key, attemptOf("a"));
        const before = await durable().contents();
        await durable().setFormat(format);
        try {
          const begin = async () => (await durable().open()).begin(key, attemptOf("b"));
          await expect(begin()).rejects.toMatchObject({
            code: "configuration",
            message: expect.stringMatching(
              new RegExp(
                `have format ${format ?? 0}, and this version of malipo (reads format|knows the formats up to) 3`,
              ),
            ),
          });
          expect(await durable().contents()).toBe(before);
        } finally {
          await durable().setFormat(3);
        }
        expect(await store.begin(key, attemptOf("b"))).toMatchObject({ state: "in_flight" });
      },
    );

    // biome-ignore format: a table is read across
    test.each([
      ["a state that there is not", "state", "done"],
      ["no owner", "owner", null],
      ["a lease that is not a number", "lease_ms", "soon"],
      ["no digest of its parameters", "parameters", null],
      ["no base URL", "base_url", null],
      ["no version", "version", null],
    ])("rejects a record with %s, and does not change it", async (_, field, value) => {
      const store = await durable().open();
      const key = freshKey();
      await store.begin(key, attemptOf("a", { leaseMs: LONG_OVER_MS }));
      // An engine may keep such a value out by itself.
      if (!(await durable().tamper(key, field, value))) return;
      const before = await durable().contents();
      const notOurs = `\`${field}\` is not valid`;
      await expect(store.begin(key, attemptOf("b"))).rejects.toThrow(notOurs);
      await expect(store.resolve(key, undefined, "b")).rejects.toThrow(notOurs);
      expect(await durable().contents()).toBe(before);
      await durable().remove(key);
    });

    test("starts a lease again if its clock was set back, and never makes it longer", async () => {
      const store = await durable().open();
      const [left, done] = [freshKey(), freshKey()];
      for (const key of [left, done]) await store.begin(key, attemptOf("a", { leaseMs: 200 }));
      await store.finish(done, "a", { state: "unknown" });
      for (const key of [left, done]) await durable().moveLease(key, 3 * 3_600_000);
      expect(await store.begin(left, attemptOf("b"))).toMatchObject({ state: "in_flight" });
      const page = await store.list({ state: "unknown", limit: 1_000 });
      expect(page.attempts.length).toBeGreaterThan(0);
      expect(await store.resolve(done, undefined)).toMatchObject({ state: "too_early" });
      const { notSentInMs } = (await store.begin(done, attemptOf("b"))) as UnknownResult;
      expect(notSentInMs).toBeLessThanOrEqual(5_200);
      await expect
        .poll(() => store.begin(left, attemptOf("b")))
        .toMatchObject({ state: "unknown" });
      for (const key of [left, done])
        expect((await store.resolve(key, "R")).state).toBe("resolved");
    });

    test.each([
      ["finished as unknown", (store, key) => store.finish(key, "a", { state: "unknown" })],
      ["past its lease", async () => {}],
    ] as [string, (store: IdempotencyStore, key: string) => Promise<void>][])(
      "never forgets an attempt that is %s, however old",
      async (_, end) => {
        const store = await durable().open();
        const key = freshKey();
        await store.begin(key, attemptOf("a"));
        await end(store, key);
        for (const days of [31, 400, 4_000]) {
          await durable().makeOlder(key, days * DAY_MS);
          // Expired records are dropped when an attempt ends.
          const other = freshKey();
          await store.begin(other, attemptOf("c"));
          await store.finish(other, "c", { state: "succeeded", result: "R" });
          expect(await store.begin(key, attemptOf("b"))).toMatchObject({
            state: "unknown",
            owner: "a",
          });
        }
      },
    );

    test("forgets a result that is older than its retention", async () => {
      const store = await durable().open({ retentionMs: 30 * DAY_MS });
      const [old, young] = [freshKey(), freshKey()];
      for (const [key, days] of [
        [old, 31],
        [young, 29],
      ] as const) {
        await store.begin(key, attemptOf("a"));
        await store.finish(key, "a", { state: "succeeded", result: "R" });
        await durable().makeOlder(key, days * DAY_MS);
      }
      expect(await store.begin(old, attemptOf("b"))).toEqual({ state: "begun" });
      expect(await store.begin(young, attemptOf("b"))).toMatchObject({ state: "succeeded" });
    });

    test.each([31, -31, 4_000, -4_000])(
      "goes by no clock that a client can set: the date of a process is %i days off",
      async (days) => {
        const store = await durable().open();
        const keys = Array.from({ length: 3 }, freshKey);
        const succeed = async (key: string) => {
          await store.begin(key, attemptOf("a"));
          await store.finish(key, "a", { state: "succeeded", result: "R" });
        };
        const [before, during, after] = keys as [string, string, string];
        await succeed(before);
        const left = freshKey();
        await store.begin(left, attemptOf("a"));
        const right = Date.now();
        vi.useFakeTimers({ toFake: ["Date"], now: right + days * DAY_MS });
        try {
          await succeed(during);
          expect(await store.begin(left, attemptOf("b"))).toMatchObject({ state: "in_flight" });
          expect(await store.begin(before, attemptOf("b"))).toMatchObject({ state: "succeeded" });
        } finally {
          vi.useRealTimers();
        }
        await succeed(after);
        for (const key of keys) {
          expect(await store.begin(key, attemptOf("b"))).toMatchObject({ state: "succeeded" });
        }
        expect(await store.begin(left, attemptOf("b"))).toMatchObject({ state: "in_flight" });
      },
    );

    test("rejects every operation while it cannot be reached", async () => {
      const store = await durable().unreachable();
      await expect(store.begin("k", attemptOf("a"))).rejects.toThrow();
      await expect(store.finish("k", "a", { state: "unknown" })).rejects.toThrow();
      await expect(store.forget("k", "a")).rejects.toThrow();
      await expect(store.resolve("k", "R")).rejects.toThrow();
      await expect(store.list()).rejects.toThrow();
    });

    if (!crashes) return;

    test("lets no key begin twice across a crash, and keeps its results", async () => {
      const owners = new Map<string, string[]>();
      const prefix = freshKey();
      let back = false;
      const contender = async (owner: string) => {
        const store = await durable().open();
        for (let i = 0, after = 0; after < 20; i++) {
          if (back) after++;
          const key = `${prefix} ${i}`;
          const begun = await store.begin(key, attemptOf(owner)).catch(() => undefined);
          if (begun === undefined) await sleep(5);
          if (begun?.state === "begun") owners.set(key, [...(owners.get(key) ?? []), owner]);
        }
      };
      const crash = async () => {
        await expect.poll(() => owners.size).toBeGreaterThan(5);
        await durable().crash?.();
        back = true;
      };
      await Promise.all([contender("a"), contender("b"), contender("c"), crash()]);
      const store = await durable().open();
      for (const [key, [owner, ...others]] of owners) {
        expect(others).toEqual([]);
        expect(await store.begin(key, attemptOf("late"))).toMatchObject({ state: "in_flight" });
        await store.forget(key, owner as string);
        expect(await store.begin(key, attemptOf("late"))).toEqual({ state: "begun" });
      }
    });
  });
}
