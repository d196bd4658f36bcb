import { expect, test } from "vitest";
import { durationMs, parseDuration } from "../../src/internal/duration.ts";

test.each([
  [250, 250],
  [0, 0],
  ["500ms", 500],
  ["61s", 61_000],
  ["1.5s", 1_500],
  ["5m", 300_000],
  ["5 min", 300_000],
  ["2h", 7_200_000],
  ["1d", 86_400_000],
])("%s is %d ms", (duration, ms) => {
  expect(durationMs(duration)).toBe(ms);
});

test.each(["5", "", "s", "-5s", "5 weeks", "1e3ms", -1, Number.NaN, Number.POSITIVE_INFINITY])(
  "%s is not a duration",
  (duration) => {
    expect(parseDuration(duration)).toBeUndefined();
    expect(() => durationMs(duration)).toThrow(/^A duration must be milliseconds, or a number/);
  },
);
