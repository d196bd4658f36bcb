import { describe, expect, test } from "vitest";
import { attemptOf, freshKey, type Open } from "./idempotency-stage.ts";

const DAY_MS = 24 * 3_600_000;

/** How long each store remembers a result. */
export function keepsItsRetention(name: string, open: Open): void {
  describe(`${name} as an idempotency store with a retention`, () => {
    test("drops a succeeded record after its retention, and no other record", async () => {
      const brief = await open({ retentionMs: 1 });
      const [key, left, lapsed] = [freshKey(), freshKey(), freshKey()];
      await brief.begin(left, attemptOf("a"));
      await brief.finish(left, "a", { state: "unknown" });
      await brief.begin(lapsed, attemptOf("a", { leaseMs: 0 }));
      await brief.begin(key, attemptOf("a"));
      await brief.finish(key, "a", { state: "succeeded", result: "R" });
      await expect.poll(() => brief.read(key)).toBeUndefined();
      const next = attemptOf("b", { parameters: "{}" });
      await expect.poll(() => brief.begin(key, next)).toEqual({ state: "begun" });
      expect(await brief.begin(key, attemptOf("c"))).toMatchObject({
        state: "in_flight",
        sameParameters: false,
      });
      expect(await brief.begin(left, attemptOf("c"))).toMatchObject({ state: "unknown" });
      expect(await brief.begin(lapsed, attemptOf("c"))).toMatchObject({ state: "unknown" });
    });

    const { NaN: none, POSITIVE_INFINITY: never } = Number;
    test.each([0, -1, 0.5, none, never, 1e300, 36_500 * DAY_MS + 1, "30d", null])(
      "rejects a retention of %s, which would forget a key too early or never",
      async (retentionMs) => {
        await expect(open({ retentionMs: retentionMs as number })).rejects.toMatchObject({
          code: "configuration",
          message: expect.stringMatching(
            /^`retentionMs` must be a whole number from 1 to 3153600000000; got .+\.$/,
          ),
        });
      },
    );

    test("rejects an option that it does not have", async () => {
      const misspelt = { retention: DAY_MS } as object;
      await expect(open(misspelt)).rejects.toMatchObject({
        code: "configuration",
        message: expect.stringMatching(
          /[iI]dempotency has no option "retention"\. .*retentionMs, scope, pepper\.$/,
        ),
      });
    });

    test("can remember a result for 100 years", async () => {
      const patient = await open({ retentionMs: 36_500 * DAY_MS });
      const key = freshKey();
      await patient.begin(key, attemptOf("a"));
      await patient.finish(key, "a", { state: "succeeded", result: "R" });
      expect(await patient.begin(key, attemptOf("c"))).toMatchObject({ result: "R" });
    });
  });
}
