import { describe, expect, test } from "vitest";
import { signedTimeOf } from "../../../src/webhooks/receiver/retention.ts";

const AT = Date.UTC(2026, 0, 31, 6, 30, 15);
const HOUR_MS = 3_600_000;

describe("the time at which an event was signed", () => {
  test.each<[text: unknown, time: number]>([
    ["2026-01-31T09:30:15+03:00", AT],
    ["2026-01-31T06:30:15Z", AT],
    ["2026-01-31t06:30:15z", AT],
    ["2026-01-31 06:30:15 UTC", AT],
    ["2026-01-31T06:30:15.25Z", AT + 250],
    ["2026-01-31T06:30:15,999999999Z", AT + 999],
    ["2026-01-31T09:30:15+0300", AT],
    ["2026-01-31T09:30:15+03", AT],
    ["2026-01-31 09:30:15 +03:00", AT],
    ["2026-01-31T01:00:15-05:30", AT],
    ["2026-01-31T01:00:15\u221205:30", AT],
    ["20260131T063015Z", AT],
    ["20260131T0930+0300", AT - 15_000],
    ["2026-01-31T06:30Z", AT - 15_000],
    ["2026-01-30T24:00:00Z", Date.UTC(2026, 0, 31)],
    ["2026-06-30T23:59:60Z", Date.UTC(2026, 6, 1)],
    ["Sat, 31 Jan 2026 09:30:15 +0300", AT],
    ["31 Jan 2026 06:30:15 GMT", AT],
    [1_769_841_015, AT],
    ["1769841015", AT],
    [1_769_841_015_000, AT],
    ["1769841015.5", AT + 500],
  ])("is read from %j", (text, time) => {
    expect(signedTimeOf(text)).toBe(time);
  });

  test.each<[text: string, time: number]>([
    ["2026-01-31T06:30:15", AT - 14 * HOUR_MS],
    ["2026-01-31", Date.UTC(2026, 0, 31) - 14 * HOUR_MS],
  ])("is the earliest possible moment without an offset: %s", (text, time) => {
    expect(signedTimeOf(text)).toBe(time);
  });

  test.each([
    undefined,
    null,
    "",
    "yesterday",
    {},
    true,
    0,
    71,
    Number.NaN,
    "0001-01-01T00:00:00Z",
    "1970-01-01T00:00:00Z",
    "2019-12-31T23:59:59Z",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-31T25:00:00Z",
    "2026-01-31T06:30:15+3",
    "31/01/2026",
    `2026-01-31T06:30:15.${"1".repeat(1_000)}Z`,
  ])("is unknown for %j", (text) => {
    expect(signedTimeOf(text)).toBe(undefined);
  });

  test("takes no longer for a long text", () => {
    for (const part of ["1", " ", "2026-01-31T", "+"]) {
      expect(signedTimeOf(part.repeat(100_000))).toBe(undefined);
    }
  });
});
