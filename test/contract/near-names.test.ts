import { describe, expect, test } from "vitest";
import { nearNames } from "../../src/contract/near-names.ts";

const DOCUMENTED = {
  amount: 1,
  phone: 1,
  description: 1,
  account_reference: 1,
  payment_account_id: 1,
};

describe("nearNames", () => {
  test.each([
    ["accountReference", "account_reference"],
    ["account-reference", "account_reference"],
    ["AccountReference", "account_reference"],
    ["account_ref", "account_reference"],
    ["acount_reference", "account_reference"],
    ["account_refrence", "account_reference"],
    ["acconut_reference", "account_reference"],
    ["phoneNumber", "phone"],
    ["phone_number", "phone"],
    ["phnoe", "phone"],
    ["Amount", "amount"],
    ["ammount", "amount"],
    ["descripton", "description"],
    ["paymentAccountId", "payment_account_id"],
    ["payment_account", "payment_account_id"],
  ])("%s must have meant %s", (given, meant) => {
    expect(nearNames({ [given]: "x" }, DOCUMENTED)).toEqual([{ given, meant }]);
  });

  test.each([
    "currency",
    "metadata",
    "callback_url",
    "msisdn",
    "customer",
    "id",
    "ref",
    "order_id",
    "account",
    "desc",
  ])("%s is left to the service", (name) => {
    expect(nearNames({ amount: 1, phone: "1", [name]: "x" }, DOCUMENTED)).toEqual([]);
  });

  test("a similar name beside the documented one is left to the service", () => {
    expect(nearNames({ phone: "1", phone_country: "KE" }, DOCUMENTED)).toEqual([]);
    expect(nearNames({ amount: 1, amounts: [1] }, DOCUMENTED)).toEqual([]);
  });

  test("another case is wrong beside the documented name too", () => {
    const both = { account_reference: "a", accountReference: "b" };
    expect(nearNames(both, DOCUMENTED)).toHaveLength(1);
  });

  test("a name without a value is left out, as JSON leaves it out", () => {
    expect(nearNames({ accountReference: undefined }, DOCUMENTED)).toEqual([]);
  });

  test("short names differ by one letter", () => {
    expect(nearNames({ uri: "x" }, { name: 1, url: 1 })).toEqual([{ given: "uri", meant: "url" }]);
    expect(nearNames({ time: "x" }, { name: 1, url: 1 })).toEqual([]);
  });
});
