import { describe, expect, test } from "vitest";
import { nextReadInMs } from "../../../src/client/waiting/poll-schedule.ts";
import { fc } from "../../support/properties.ts";

/** The times of all reads of a wait that ends at its time limit, in milliseconds. */
function readsOf(waitMs: number, random: () => number): number[] {
  const reads = [0];
  for (let at = 0; ; ) {
    const next = nextReadInMs(at, waitMs, random);
    if (next === undefined) return reads;
    at += next;
    reads.push(at);
  }
}

const early = () => 0;
const late = () => 1 - Number.EPSILON;

const timeouts = fc.integer({ min: 1, max: 900_000 });
/** Any jitter, the same for all reads or another for each. */
const jitters = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 1,
  maxLength: 30,
});
const cycling = (values: readonly number[]) => {
  let at = 0;
  return () => values[at++ % values.length] ?? 0;
};
const inAnyWait = (check: (reads: number[], waitMs: number) => void) =>
  fc.assert(
    fc.property(timeouts, jitters, (waitMs, values) =>
      check(readsOf(waitMs, cycling(values)), waitMs),
    ),
  );
const gapsOf = (reads: readonly number[]) => reads.slice(1).map((at, i) => at - (reads[i] ?? 0));

describe("without jitter", () => {
  // biome-ignore format: seconds on one line
  test.each([
    [120, [0, 2, 5, 8, 12, 16, 20, 25, 30, 45, 62, 82, 102, 118]],
    [90, [0, 2, 5, 8, 12, 16, 20, 25, 30, 45, 62, 82, 88]],
    [62, [0, 2, 5, 8, 12, 16, 20, 25, 30, 60]],
    [60, [0, 2, 5, 8, 12, 16, 20, 25, 30, 58]],
    [10, [0, 2, 5, 8]],
    [5, [0, 2, 4]],
    [1, [0, 0.8]],
    [0.5, [0]],
    [0.001, [0]],
  ])("a wait of %d s reads at %j s", (seconds, at) => {
    expect(readsOf(seconds * 1_000, early).map((ms) => ms / 1_000)).toEqual(at);
  });
});

describe("any wait", () => {
  test("reads ten times at most in its first 60 s", () => {
    inAnyWait((reads) => {
      expect(reads.filter((ms) => ms <= 60_000).length).toBeLessThanOrEqual(10);
    });
  });

  test("reads before its time limit, and never in a burst", () => {
    inAnyWait((reads, waitMs) => {
      expect(Math.max(...reads)).toBeLessThan(waitMs);
      for (const gap of gapsOf(reads)) expect(gap).toBeGreaterThanOrEqual(250);
    });
  });

  test("reads a last time shortly before its time limit", () => {
    inAnyWait((reads, waitMs) => {
      expect(waitMs - (reads.at(-1) ?? 0)).toBeLessThanOrEqual(2_600);
    });
  });

  test("leaves no more than half a minute without a read", () => {
    inAnyWait((reads) => {
      for (const gap of gapsOf(reads)) expect(gap).toBeLessThanOrEqual(31_000);
    });
  });
});

test("waits that began together read at different times, later and never earlier", () => {
  const first = readsOf(120_000, early);
  const last = readsOf(120_000, late);
  for (const [at, ms] of first.slice(1, 11).entries()) {
    expect(last[at + 1]).toBeGreaterThan(ms);
    expect(last[at + 1]).toBeLessThan(ms * 1.15);
  }
});

test("a timer that ends a little early causes no second read", () => {
  for (const at of [2_000, 5_000, 30_000, 62_000]) {
    expect(nextReadInMs(at - 1, 120_000, early)).toBeGreaterThan(2_000);
  }
  expect(nextReadInMs(117_999, 120_000, early)).toBeUndefined();
});

test("a final status in the first 30 s is known within 2 s, in the median", () => {
  // As test/bench/wait.ts measures it through a gateway; here only over the schedule.
  for (const random of [early, late, () => 0.5]) {
    const reads = readsOf(120_000, random);
    const lags = Array.from({ length: 3_000 }, (_, at) => at * 10).map(
      (finalAt) => (reads.find((at) => at >= finalAt) ?? Number.NaN) - finalAt,
    );
    lags.sort((a, b) => a - b);
    expect(lags[lags.length / 2]).toBeLessThanOrEqual(2_000);
  }
});
