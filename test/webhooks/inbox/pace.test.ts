import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_PACE } from "../../../src/webhooks/inbox/pace.ts";

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
