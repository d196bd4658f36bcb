import { describe, expect, test } from "vitest";
import { mobileMoneyPaymentParams, payment, phoneToValidate } from "../../src/contract/payment.ts";
import type { Schema } from "../../src/contract/schema.ts";
import { fc } from "../support/properties.ts";

const PARAMS = { amount: 100, phone: "0712345678" };

/** The parsed value, or the paths of the issues. */
function check(schema: Schema, value: unknown): unknown {
  const result = schema.safeParse(value);
  return result.success ? result.data : result.error.issues.map(({ path }) => path.join("."));
}
const checkParams = (fields: object) => check(mobileMoneyPaymentParams, { ...PARAMS, ...fields });

describe("an amount", () => {
  test.each([1, 0.01, 0.1, 1.5, 99.99, 100, 250_000, 1e9, 1234567.89])("may be %d", (amount) => {
    expect(checkParams({ amount })).toEqual({ ...PARAMS, amount });
  });

  test.each([
    0,
    -0,
    -1,
    -0.01,
    0.001,
    0.1 + 0.2,
    1.005,
    99.999,
    Number.EPSILON,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    "100",
    "100.00",
    100n,
    null,
    undefined,
    true,
    [100],
    {},
  ])("may not be %s", (amount) => {
    expect(checkParams({ amount })).toEqual(["amount"]);
  });

  test("may be any whole number of cents above 0, and stays unchanged", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000_000_000 }), (cents) => {
        const amount = Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`);
        expect(checkParams({ amount })).toEqual({ ...PARAMS, amount });
      }),
    );
  });

  test("is rejected if it has more than two decimals", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (amount) => {
        fc.pre(!/^\d+(\.\d{1,2})?$/.test(String(amount)));
        expect(checkParams({ amount })).toEqual(["amount"]);
      }),
    );
  });
});

describe("a phone", () => {
  test.each([
    ["0712345678", "0712345678"],
    ["254712345678", "254712345678"],
    ["+254712345678", "254712345678"],
    ["+254 712 345 678", "254712345678"],
    ["0712 345 678", "0712345678"],
    ["0712-345-678", "0712345678"],
    ["+254-712-345678", "254712345678"],
    ["(0712) 345 678", "0712345678"],
    ["+254 (712) 345-678", "254712345678"],
    ["+254[712]345\u2011678", "254712345678"],
    ["\t0712\u00a0345\u00a0678\n", "0712345678"],
    ["0712.345.678", "0712345678"],
    ["\u202a+254 (0)712 345 678\u202c", "254712345678"],
    ["٠٧١٢٣٤٥٦٧٨", "0712345678"],
    ["123456789", "123456789"],
    ["123456789012345", "123456789012345"],
  ])("%j is sent as %s", (phone, digits) => {
    expect(checkParams({ phone })).toEqual({ ...PARAMS, phone: digits });
    expect(check(phoneToValidate, { phone })).toEqual({ phone: digits });
  });

  test.each([
    "",
    "12345678",
    "1234567890123456",
    "07123456ab",
    "0712345678x",
    "tel:0712345678",
    "0712345678,0712345679",
    "+",
    "++254712345678",
    "254+712345678",
    712345678,
    null,
    undefined,
    ["0712345678"],
  ])("%j is rejected", (phone) => {
    expect(checkParams({ phone })).toEqual(["phone"]);
    expect(check(phoneToValidate, { phone })).toEqual(["phone"]);
  });

  // A zero after a calling code may be left out: see test/internal/phone-digits.test.ts.
  test("of 9 to 15 digits is sent as digits, whatever separators it has", () => {
    const digits = fc.string({
      unit: fc.constantFrom(..."123456789"),
      minLength: 9,
      maxLength: 15,
    });
    const separators = fc.array(fc.constantFrom("", " ", "-", "(", ")", "\u2013", "  "), {
      minLength: 15,
      maxLength: 15,
    });
    fc.assert(
      fc.property(digits, separators, fc.boolean(), (phone, gaps, plus) => {
        const spaced = (plus ? "+" : "") + [...phone].map((digit, at) => digit + gaps[at]).join("");
        expect(check(phoneToValidate, { phone: spaced })).toEqual({ phone });
      }),
    );
  });

  test("is either sent as 9 to 15 digits or rejected", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (phone) => {
        const result = phoneToValidate.safeParse({ phone });
        if (result.success) expect((result.data as typeof PARAMS).phone).toMatch(/^[0-9]{9,15}$/);
      }),
    );
  });
});

describe("an account reference", () => {
  test.each(["", "ORDER-42", "123456789012", "écran\u0301 vert", "🧾🧾🧾🧾🧾🧾🧾🧾🧾🧾🧾🧾"])(
    "of up to 12 characters is accepted: %j",
    (account_reference) => {
      expect(checkParams({ account_reference })).toEqual({ ...PARAMS, account_reference });
    },
  );

  test.each(["1234567890123", "🧾".repeat(13), 42, null])("%j is rejected", (account_reference) => {
    expect(checkParams({ account_reference })).toEqual(["account_reference"]);
  });

  test("is accepted if and only if it has at most 12 characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 20 }), (account_reference) => {
        const fits = Array.from(account_reference).length <= 12;
        expect(mobileMoneyPaymentParams.safeParse({ ...PARAMS, account_reference }).success).toBe(
          fits,
        );
      }),
    );
  });
});

describe("the parameters of an initiation", () => {
  test("need an amount and a phone, and report every issue at once", () => {
    expect(check(mobileMoneyPaymentParams, {})).toEqual(["amount", "phone"]);
    expect(checkParams({ amount: -1, phone: "x", account_reference: "1234567890123" })).toEqual([
      "amount",
      "phone",
      "account_reference",
    ]);
  });

  test.each([undefined, null, "x", 1, []])("are an object, not %j", (body) => {
    expect(check(mobileMoneyPaymentParams, body)).toEqual([""]);
  });

  test.each([
    { payment_account_id: 7 },
    { payment_account_id: "acc_7" },
    { description: "Two mangoes" },
    { description: undefined, account_reference: undefined, payment_account_id: undefined },
    { a_field_of_next_year: { nested: [1] } },
  ])("may hold %j", (fields) => {
    expect(checkParams(fields)).toEqual({ ...PARAMS, ...fields });
  });

  test.each([
    [{ payment_account_id: null }, "payment_account_id"],
    [{ payment_account_id: {} }, "payment_account_id"],
    [{ description: 7 }, "description"],
  ])("may not hold %j", (fields, path) => {
    expect(checkParams(fields)).toEqual([path]);
  });
});

describe("a payment in a response", () => {
  test("keeps undocumented fields and statuses", () => {
    const given = { status: "reversed_in_part", fee: "1.00", trail: [{ at: 1 }] };
    expect(check(payment, given)).toEqual(given);
  });
});
