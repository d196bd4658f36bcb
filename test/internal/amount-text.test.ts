import { describe, expect, test } from "vitest";
import { groupedAmount } from "../../src/internal/amount-text.ts";
import { fc } from "../support/properties.ts";

describe("groupedAmount", () => {
  test.each([
    ["0.00", "0.00"],
    ["999.5", "999.50"],
    ["1500", "1,500.00"],
    ["486200.00", "486,200.00"],
    ["12345678901234567.89", "12,345,678,901,234,567.89"],
    ["", ""],
    ["-1", "-1"],
    ["1,500.00", "1,500.00"],
    ["soon", "soon"],
    ["9".repeat(21), `${"9".repeat(20)}…`],
    ["x".repeat(60_000), `${"x".repeat(20)}…`],
  ])("of %j is %j", (amount, expected) => {
    expect(groupedAmount(amount)).toBe(expected);
  });

  test("changes no digit of an amount", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n - 1n }), fc.nat(99), (whole, cents) => {
        const amount = `${whole}.${String(cents).padStart(2, "0")}`;
        const grouped = groupedAmount(amount);
        expect(grouped.replaceAll(",", "")).toBe(amount);
        expect(grouped).toMatch(/^\d{1,3}(,\d{3})*\.\d\d$/);
      }),
    );
  });
});
