import { expect, test } from "vitest";
import { DEFAULT_PACE, retentionFor } from "../../../src/webhooks/inbox/pace.ts";
import { fc } from "../../support/properties.ts";

test("attempts wait for up to a second, doubling, and at most five minutes", () => {
  const longest = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 11 }), (attempt) => {
      const waits = Array.from({ length: 50 }, () => DEFAULT_PACE.backoffMs(attempt));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...waits)).toBeLessThanOrEqual(longest[attempt - 1] as number);
      // Full jitter: the whole span is used.
      expect(new Set(waits).size).toBeGreaterThan(10);
    }),
  );
});

test("an event is remembered for one day at least, and for 14 days by default", () => {
  const DAY_MS = 86_400_000;
  expect(retentionFor(1, DEFAULT_PACE)).toBe(DAY_MS);
  expect(retentionFor(3 * DAY_MS, DEFAULT_PACE)).toBe(3 * DAY_MS);
  expect(retentionFor(undefined, DEFAULT_PACE)).toBe(14 * DAY_MS);
});
