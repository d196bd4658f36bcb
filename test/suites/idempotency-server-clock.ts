import { afterEach, describe, expect, test } from "vitest";
import type { EngineWithClock } from "../support/engines/clock.ts";
import { attemptOf, freshKey, type Open } from "./idempotency-stage.ts";
import { until } from "./inbox-stage.ts";

const HOURS_MS = 7_200_000;
const LEASE_MS = 1_000;
const DONE = { state: "succeeded", result: "R" } as const;

/** What a store promises whatever the clock of its server says. */
export function keepsTimeByServerClock(
  name: string,
  engine: EngineWithClock | undefined,
  open: Open,
): void {
  const title = `${name}: the clock of the server`;
  describe.skipIf(engine === undefined)(title, () => {
    const setClock = (aheadMs: number) => engine?.setClock(aheadMs);
    afterEach(() => setClock(0));

    test.each([
      ["back", -HOURS_MS],
      ["forward", HOURS_MS],
    ])("remembers a result when it is set %s by two hours, and then right", async (_, aheadMs) => {
      const store = await open();
      const keys = [freshKey(), freshKey()];
      const stateOf = async (key = "") => (await store.begin(key, attemptOf("late"))).state;
      const finish = async (key = "") => {
        await store.begin(key, attemptOf("a"));
        await store.finish(key, "a", DONE);
      };
      await finish(keys[0]);
      setClock(aheadMs);
      expect(await stateOf(keys[0])).toBe("succeeded");
      await finish(keys[1]);
      setClock(0);
      expect(await Promise.all(keys.map(stateOf))).toEqual(["succeeded", "succeeded"]);
    });

    test("ends the lease of an attempt after its own length, although it is set back", async () => {
      const [store, key] = [await open(), freshKey()];
      await store.begin(key, attemptOf("a", { leaseMs: LEASE_MS }));
      setClock(-HOURS_MS);
      const again = await store.begin(key, attemptOf("b"));
      expect(again.state).toBe("in_flight");
      await until(async () => (await store.begin(key, attemptOf("b"))).state === "unknown");
      const { attempts } = await store.list({ state: "unknown" });
      expect(attempts.map((attempt) => `POST ${attempt.idempotencyKey}`)).toHaveLength(1);
      await until(async () => (await store.resolve(key, undefined)).state === "resolved");
      expect((await store.begin(key, attemptOf("b"))).state).toBe("begun");
    });

    test("makes an attempt unknown when it is set forward, and never frees it", async () => {
      const [store, key] = [await open(), freshKey()];
      await store.begin(key, attemptOf("a", { leaseMs: LEASE_MS }));
      setClock(HOURS_MS);
      expect((await store.begin(key, attemptOf("b"))).state).toBe("unknown");
      await store.finish(key, "a", DONE);
      setClock(0);
      expect((await store.begin(key, attemptOf("b"))).state).toBe("succeeded");
    });
  });
}
