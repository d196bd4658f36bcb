import { setTimeout as sleep } from "node:timers/promises";
import type { IdempotencyStore } from "malipo";
import { describe, expect, test, vi } from "vitest";
import { attemptOf, freshKey, type Open, PATIENCE_MS } from "./idempotency-stage.ts";

/** A durable store, and how a test reaches its data. */
export interface Durable {
  readonly open: Open;
  /** Everything that is stored, as text. */
  contents(): Promise<string>;
  /** Gives a record this version and an expired retention. */
  setVersion(key: string, version: number): Promise<void>;
  /** A store of the same kind whose engine cannot be reached. */
  unreachable(): Promise<IdempotencyStore>;
  /** Crashes the engine and starts it again. */
  crash?(): Promise<void>;
}

/** What a store promises besides where processes share it. */
export function standsByTheContractOfDurability(
  name: string,
  durable: () => Durable,
  { crashes }: { crashes: boolean },
): void {
  describe(`${name} as a durable idempotency store`, { timeout: PATIENCE_MS }, () => {
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
      expect(await another.resolve(key, "R")).toBe("unknown");
      expect(await one.begin(key, attemptOf("b"))).toEqual({
        state: "succeeded",
        sameParameters: true,
        result: "R",
      });
    });

    test("stores none of the parameters", async () => {
      const store = await durable().open();
      const key = freshKey();
      await store.begin(key, attemptOf("a", { parameters: '{"phone":"0733998877"}' }));
      const contents = await durable().contents();
      expect(contents).toContain(key);
      expect(contents).not.toMatch(/733998877|phone/);
    });

    test.each([
      ["in flight", async () => {}],
      ["unknown", (store, key) => store.finish(key, "a", { state: "unknown" })],
      ["succeeded", (store, key) => store.finish(key, "a", { state: "succeeded", result: "R" })],
    ] as [string, (store: IdempotencyStore, key: string) => Promise<void>][])(
      "rejects a record of a later version that is %s, and does not change it",
      async (_, end) => {
        const store = await durable().open();
        const key = freshKey();
        await store.begin(key, attemptOf("a", { leaseMs: 0 }));
        await end(store, key);
        await durable().setVersion(key, 2);
        const before = await durable().contents();
        expect(before).toContain(key);
        for (const attempt of [attemptOf("b"), attemptOf("b", { parameters: "{}" })]) {
          await expect(store.begin(key, attempt)).rejects.toThrow("version 2");
        }
        await expect(store.resolve(key, "R")).rejects.toThrow("version 2");
        await expect(store.resolve(key, undefined)).rejects.toThrow("version 2");
        await store.finish(key, "b", { state: "unknown" });
        await store.forget(key, "b");
        // Expired records are dropped when a call ends.
        await store.begin(`${key}'`, attemptOf("c"));
        await store.finish(`${key}'`, "c", { state: "unknown" });
        await store.resolve(`${key}'`, undefined);
        expect(await durable().contents()).toBe(before);
      },
    );

    test("rejects every operation while it cannot be reached", async () => {
      const store = await durable().unreachable();
      await expect(store.begin("k", attemptOf("a"))).rejects.toThrow();
      await expect(store.finish("k", "a", { state: "unknown" })).rejects.toThrow();
      await expect(store.forget("k", "a")).rejects.toThrow();
      await expect(store.resolve("k", "R")).rejects.toThrow();
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
        await vi.waitFor(() => expect(owners.size).toBeGreaterThan(5), PATIENCE_MS);
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
