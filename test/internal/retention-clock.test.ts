import { describe, expect, test } from "vitest";
import { type RetentionClock, retentionTime } from "../../src/internal/retention-clock.ts";
import { fc } from "../support/properties.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 31, 9);
const UPTIME = 400 * DAY_MS;

const stored: RetentionClock = { wallMs: START, uptimeMs: UPTIME, nowMs: START };
/** The time since the clock was stored, by each clock. */
const later = (wallMs: number, uptimeMs: number) =>
  retentionTime(stored, { wallMs: START + wallMs, uptimeMs: UPTIME + uptimeMs });
/** After a restart of the machine, with so much on each clock. */
const restarted = (wallMs: number, uptimeMs: number) =>
  retentionTime(stored, { wallMs: START + wallMs, uptimeMs });
const passedIn = ({ clock }: { clock: RetentionClock }) => clock.nowMs - START;

describe("a retention clock", () => {
  test("starts with the wall clock, and is to be written", () => {
    const clocks = { wallMs: START, uptimeMs: UPTIME };
    expect(retentionTime(undefined, clocks)).toEqual({
      clock: stored,
      isDue: true,
      warning: undefined,
    });
  });

  test.each([0, 1, DAY_MS, 400 * DAY_MS])("advances by %i ms when both clocks did", (ms) => {
    expect(passedIn(later(ms, ms))).toBe(ms);
    expect(later(ms, ms).warning).toBeUndefined();
  });

  test.each([
    ["set 31 days ahead", later(31 * DAY_MS + 5, 5), "set 31 days ahead"],
    ["set 2 hours ahead", later(2 * HOUR_MS + 5, 5), "set 2 h ahead"],
    ["set 31 days back", later(5 - 31 * DAY_MS, 5), "set 31 days back"],
  ])("does not follow a wall clock that was %s, and says so", (_, time, message) => {
    expect(passedIn(time)).toBeLessThanOrEqual(5);
    expect(time.warning).toContain(message);
    expect(time.warning).toContain("Nothing is forgotten");
    expect(time.isDue).toBe(true);
  });

  test("does not follow a correction of a wall clock that was behind at its start", () => {
    const behind = retentionTime(undefined, { wallMs: START - 31 * DAY_MS, uptimeMs: 1_000 });
    const right = retentionTime(behind.clock, { wallMs: START, uptimeMs: 2_000 });
    expect(right.clock.nowMs - behind.clock.nowMs).toBe(1_000);
    expect(right.warning).toContain("set 31 days ahead");
  });

  test.each([-HOUR_MS, HOUR_MS])("does not tell a correction by %i ms", (ms) => {
    expect(later(DAY_MS + ms, DAY_MS).warning).toBeUndefined();
  });

  test.each([
    ["the time for which the machine was off", 40 * DAY_MS],
    ["a wrong date, 3,000 days ahead", 3_000 * DAY_MS],
  ])("does not count %s, which a start leaves open", (_, wallMs) => {
    const time = restarted(wallMs, 90_000);
    expect(passedIn(time)).toBe(90_000);
    expect(time).toMatchObject({ isDue: true, warning: undefined });
  });

  test("tells that the date is in the past after a start", () => {
    const time = restarted(-31 * DAY_MS, 90_000);
    expect(passedIn(time)).toBe(0);
    expect(time.warning).toContain("set 31 days back");
  });

  test("is to be written once a minute", () => {
    expect(later(59_999, 59_999).isDue).toBe(false);
    expect(later(60_000, 60_000).isDue).toBe(true);
  });

  test("never advances further than the time that has passed, nor goes back, whatever is set", () => {
    const step = fc.record({
      passedMs: fc.integer({ min: 0, max: 2 * DAY_MS }),
      setMs: fc.oneof(fc.constant(0), fc.integer({ min: -4_000 * DAY_MS, max: 4_000 * DAY_MS })),
      restarts: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let trueMs = 0;
        let wallMs = START;
        let uptimeMs = UPTIME;
        let clock: RetentionClock | undefined = stored;
        for (const { passedMs, setMs, restarts } of steps) {
          trueMs += passedMs;
          wallMs += passedMs + setMs;
          // A machine that was off for some of the time.
          uptimeMs = restarts ? Math.floor(passedMs / 2) : uptimeMs + passedMs;
          const next: RetentionClock = retentionTime(clock, { wallMs, uptimeMs }).clock;
          expect(next.nowMs).toBeGreaterThanOrEqual(clock.nowMs);
          expect(next.nowMs - START).toBeLessThanOrEqual(trueMs);
          clock = next;
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
