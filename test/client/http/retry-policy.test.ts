import fc from "fast-check";
import { expect, test } from "vitest";
import { retryDelayMs } from "../../../src/client/http/retry-policy.ts";

const failure = (retryAfterMs?: number) => ({
  outcome: "rejected" as const,
  retryAfterMs,
  toError: () => expect.unreachable(),
});

test.each([
  [1, 250],
  [2, 500],
  [3, 1_000],
  [4, 2_000],
  [5, 4_000],
  [6, 8_000],
  [7, 8_000],
  [2_000, 8_000],
])("after attempt %i the wait is below %i ms, and may be any part of that", (attempt, most) => {
  expect(retryDelayMs(failure(), attempt, () => 0)).toBe(0);
  expect(retryDelayMs(failure(), attempt, () => 0.5)).toBe(most / 2);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
      const delay = retryDelayMs(failure(), attempt, () => random);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThan(most);
    }),
  );
});

test("what the service asks for comes before any backoff, with no jitter", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 50 }), (asked, attempt) => {
      expect(retryDelayMs(failure(asked), attempt)).toBe(asked);
    }),
  );
});
