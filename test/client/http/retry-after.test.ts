import { describe, expect, test } from "vitest";
import { retryAfterMs } from "../../../src/client/http/retry-after.ts";
import { fc } from "../../support/properties.ts";

const NOW = Date.parse("2026-01-01T09:00:00Z");
const read = (value: string) => retryAfterMs(new Headers({ "retry-after": value }), true, NOW);

test("no header asks for nothing", () => {
  expect(retryAfterMs(new Headers(), true)).toBeUndefined();
});

describe("seconds", () => {
  test.each([
    ["0", 0],
    ["1", 1_000],
    ["120", 120_000],
    ["007", 7_000],
    ["0.5", 500],
    ["1.25", 1_250],
    [" 3 ", 3_000],
  ])("%j are %i ms", (value, ms) => {
    expect(read(value)).toBe(ms);
  });

  test("are milliseconds by the thousand, and never without end", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 400n }), (seconds) => {
        const ms = read(String(seconds));
        expect(ms).toBe(Math.min(Number(seconds) * 1_000, 8.64e15));
      }),
    );
  });
});

describe("a date", () => {
  test.each([
    ["Thu, 01 Jan 2026 09:00:05 GMT", 5_000],
    ["Thursday, 01-Jan-26 09:00:05 GMT", 5_000],
    ["Thu Jan  1 09:00:05 2026", 5_000],
    ["Thu, 01 Jan 2026 09:00:00 GMT", 0],
    ["Thu, 01 Jan 2026 08:59:00 GMT", 0],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Fri, 02 Jan 2026 09:00:00 GMT", 86_400_000],
  ])("%s is %i ms away", (value, ms) => {
    expect(read(value)).toBe(ms);
  });

  test("is exact to the second, and is never in the past", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (seconds) => {
        const date = new Date(NOW + seconds * 1_000).toUTCString();
        expect(read(date)).toBe(Math.max(seconds * 1_000, 0));
      }),
    );
  });
});

test.each([
  "",
  "soon",
  "Soon",
  "Soon 5",
  "Try 30",
  "Please wait 5 minutes",
  "-1",
  "+5",
  "1e3",
  "0x10",
  "5s",
  "5, 10",
  "1,5",
  ".5",
  "5.",
  "Infinity",
  "NaN",
  "2026-01-01T09:00:05Z",
  "1767258005 GMT",
  "Mon",
  "Mon 5",
  "Soon 09:00:05",
  "(soon) Thu, 01 Jan 2026 09:00:05 GMT",
  "Thu, 32 Jan 2026 09:00:05 GMT",
  "Thu, 01 Foo 2026 09:00:05 GMT",
])("%j says nothing", (value) => {
  expect(read(value)).toBeUndefined();
});

describe("reset headers", () => {
  const reset = (name: string, value: string, isLimited = true) =>
    retryAfterMs(new Headers({ [name]: value }), isLimited, NOW);

  test.each(["ratelimit-reset", "x-ratelimit-reset", "x-rate-limit-reset"])(
    "%s holds seconds, or a time as Unix seconds",
    (name) => {
      expect(reset(name, "30")).toBe(30_000);
      expect(reset(name, String(NOW / 1_000 + 30))).toBe(30_000);
      expect(reset(name, String(NOW / 1_000 - 30))).toBe(0);
    },
  );

  test("the time itself is meant from 2024 on", () => {
    const start = Date.parse("2024-01-01T00:00:00Z") / 1_000;
    expect(reset("ratelimit-reset", String(start))).toBe(0);
    expect(reset("ratelimit-reset", String(start - 1))).toBe((start - 1) * 1_000);
  });

  test("X-RateLimit-Retry-After holds seconds", () => {
    expect(reset("x-ratelimit-retry-after", "30")).toBe(30_000);
    const past = String(NOW / 1_000);
    expect(reset("x-ratelimit-retry-after", past)).toBe(NOW);
  });

  test("they count only in a response that limits the rate", () => {
    expect(reset("ratelimit-reset", "30", false)).toBeUndefined();
    expect(reset("retry-after", "30", false)).toBe(30_000);
  });

  test("Retry-After comes first, even when it is not readable", () => {
    const headers = new Headers({ "retry-after": "soon", "ratelimit-reset": "30" });
    expect(retryAfterMs(headers, true, NOW)).toBeUndefined();
  });
});
