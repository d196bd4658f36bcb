import { InvalidParamsError, memory } from "malipo";
import { OrderConflictError } from "malipo/checkout";
import { describe, expect, it } from "vitest";
import { newSandbox, ORDER, openShop } from "../stage.ts";

const shopOf = (currency: string) => openShop(newSandbox(), memory().checkout(), { currency });

async function problemOf(amount: unknown, currency = "KES"): Promise<string> {
  const { checkout } = shopOf(currency);
  const paying = checkout.pay({
    ...{ id: "ORDER-1", amount: amount as number },
    phone: currency === "UGX" ? "0772 345 678" : ORDER.phone,
  });
  const error = await paying.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidParamsError);
  expect(await checkout.get("ORDER-1")).toBeUndefined();
  return (error as InvalidParamsError).message;
}

const SHILLINGS =
  "pay: `amount` is invalid: expected Kenyan shillings, not cents: a number above 0 with at most two decimals, such as 1500 or 99.50; got";

describe("an amount that cannot be used is named, with what to write", () => {
  it.each([
    [0.1 + 0.2, "0.30000000000000004. Floating-point arithmetic has added it: write 0.3, or count"],
    [
      1.1 * 1500,
      "1650.0000000000002. Floating-point arithmetic has added it: write 1650, or count",
    ],
    [99.999, "99.999. Nothing was sent."],
    [0, "0. Nothing was sent."],
    [-5, "-5. Nothing was sent."],
    [Number.NaN, "NaN. Nothing was sent."],
    [[1500], "an array. Write the amount without brackets."],
    [["50"], "an array. Write the amount without brackets."],
    ["1,500.00", '"1,500.00". Write 1500. Nothing was sent.'],
    ["1 500", '"1 500". Write 1500. Nothing was sent.'],
    ["12,50", '"12,50". Nothing was sent.'],
    ["KES 1500", "a string. Nothing was sent."],
    // A phone in the wrong place is not shown.
    ["0712345678", "a string"],
    [undefined, "undefined. Nothing was sent."],
  ])("%j", async (amount, text) => {
    const problem = await problemOf(amount);
    expect(problem.startsWith(`${SHILLINGS} ${text}`), problem).toBe(true);
    expect(problem).not.toContain("0712");
  });

  it.each([99.99, "99.50", 0.5])("%j, since UGX has no decimals", async (amount) => {
    const problem = await problemOf(amount, "UGX");
    expect(problem).toContain(
      "expected Ugandan shillings above 0 without decimals, which UGX does not have, such as 1500; got ",
    );
    expect(problem).not.toContain("Write");
  });

  it.each(["0.00", "9007199254740993", 1e21])(
    "%j, without advice to write the same",
    async (amount) => {
      expect(await problemOf(amount)).not.toMatch(/[Ww]rite/);
    },
  );
});

it.each([
  ["UGX", 1500, "1500.00"],
  ["UGX", "1500.00", "1500.00"],
  ["KES", 99.5, "99.50"],
  ["KES", "0.50", "0.50"],
])("in %s, the amount %j is taken", async (currency, given, amount) => {
  const { checkout } = shopOf(currency);
  expect(await checkout.create({ id: "ORDER-1", amount: given })).toMatchObject({ amount });
});

it("the conflict of an order whose other amount is in cents says so", async () => {
  const { checkout } = shopOf("KES");
  await checkout.create({ id: "ORDER-1", amount: 1805 });
  const conflictOf = async (amount: number) => {
    const error = await checkout.create({ id: "ORDER-1", amount }).catch((reason) => reason);
    expect(error).toBeInstanceOf(OrderConflictError);
    return (error as Error).message;
  };
  const hint = "One amount is 100 times the other: amounts are in Kenyan shillings, not in cents.";
  expect(await conflictOf(180_500)).toContain(hint);
  expect(await conflictOf(18.05)).toContain(hint);
  expect(await conflictOf(1806)).not.toContain(hint);
});
