import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { span } from "../../../src/internal/span.ts";
import { clipped, dateOf, money, quoted, timeOf } from "../../../src/sandbox/page/page-format.ts";
import { fc } from "../../support/properties.ts";

describe("what the page writes", () => {
  test.each([
    [0, "KES 0.00"],
    [5, "KES 0.05"],
    [99_999, "KES 999.99"],
    [100_000, "KES 1,000.00"],
    [123_456_789, "KES 1,234,567.89"],
  ])("%i cents as %s", (cents, text) => {
    expect(money(cents, "KES")).toBe(text);
  });

  test("times and dates in Nairobi, across midnight", () => {
    const lateEvening = Date.parse("2026-02-28T23:59:59+03:00");
    expect([timeOf(lateEvening), dateOf(lateEvening)]).toEqual([
      "23:59:59",
      "Sat 28 February 2026",
    ]);
    expect(dateOf(lateEvening + 1_000)).toBe("Sun 1 March 2026");
  });

  test.each([
    [-5, "0 s"],
    [48_000, "48 s"],
    [300_000, "5 min"],
    [7_500_000, "2 h 5 min"],
    [7_200_000, "2 h"],
    [26_000_000_000, "301 days"],
  ])("%i ms as %s", (ms, text) => {
    expect(span(ms)).toBe(text);
  });

  test("long text cut to a line", () => {
    expect(clipped("abc", 3)).toBe("abc");
    expect(clipped("abcd", 3)).toBe("ab…");
  });

  test("text quoted for a shell, which reads it back unchanged", () => {
    const text = fc.string({ unit: fc.constantFrom(..."'\"$`\\ ;&|<>*a\n") });
    const words = fc.sample(text, 50);
    const script = words.map((word) => `printf '%s\\0' ${quoted(word)}`).join("\n");
    expect(
      execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1),
    ).toEqual(words);
  });
});
