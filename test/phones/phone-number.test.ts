import { InvalidParamsError } from "malipo";
import { normalizePhone } from "malipo/checkout";
import { describe, expect, test } from "vitest";

describe("a phone number is normalised", () => {
  test.each([
    "0712345678",
    "0712 345 678",
    "0712-345-678",
    "0712.345.678",
    "(0712) 345678",
    "712345678",
    "254712345678",
    "254 712 345 678",
    "+254712345678",
    "+254 712 345 678",
    "+254-712-345-678",
    "+254 (0) 712 345 678",
    "(+254) 712 345678",
    "00254712345678",
    " 0712345678\n",
    "0712\u2013345\u00a0678",
    "0712\u2212345\u2212678",
    "\u202a+254\u200b 712\u00ad 345 678\u202c",
    "\u2066\uff10\uff17\uff11\uff12 345 678\u2069",
    "٠٧١٢ ٣٤٥ ٦٧٨",
    "+2540712345678",
  ])("from %j to its international digits", (phone) => {
    expect(normalizePhone(phone)).toBe("254712345678");
  });

  test.each(["0110345678", "110345678", "+254 110 345 678", "254110345678"])(
    "from %j, a number that begins with 01",
    (phone) => {
      expect(normalizePhone(phone)).toBe("254110345678");
    },
  );

  test("of another country, if it says which", () => {
    expect(normalizePhone("+256 772 345 678")).toBe("256772345678");
    expect(normalizePhone("00256 772 345 678")).toBe("256772345678");
    expect(normalizePhone("+1 (212) 555-0123")).toBe("12125550123");
  });

  test("of the country that is the default", () => {
    for (const phone of ["0772 345 678", "772345678", "256772345678", "+256 772 345 678"]) {
      expect(normalizePhone(phone, { country: "UG" })).toBe("256772345678");
    }
    expect(normalizePhone("+254 712 345 678", { country: "UG" })).toBe("254712345678");
    expect(normalizePhone("254 712 345 678", { country: "UG" })).toBe("254712345678");
  });

  test.each([
    ["CI", "07 12 34 56 78", "2250712345678"],
    ["BJ", "01 95 12 34 56", "2290195123456"],
    ["GM", "220 1234", "2202201234"],
    ["GH", "0244 123 456", "233244123456"],
    ["GA", "062 12 34 56", "24162123456"],
    ["KE", "000 254 712 345 678", "254712345678"],
  ] as const)("of the country %s, as its numbers are: %s", (country, phone, digits) => {
    expect(normalizePhone(phone, { country })).toBe(digits);
    expect(normalizePhone(digits, { country })).toBe(digits);
    expect(normalizePhone(`+${digits}`)).toBe(digits);
  });

  // The metadata of today may not know a range that a network gets tomorrow.
  test("of a range that no network has yet, if the plan of the country allows it", () => {
    expect(normalizePhone("0729 999 999", { country: "UG" })).toBe("256729999999");
    expect(normalizePhone("0199 999 999")).toBe("254199999999");
  });

  test.each(["07723456789", "25677234567", "2567723456789"])(
    "of a country whose numbers are known, only with as many digits: %s",
    (phone) => {
      expect(() => normalizePhone(phone, { country: "UG" })).toThrow("0772345678 or +256772345678");
    },
  );

  test("once: the result is its own normal form", () => {
    expect(normalizePhone(normalizePhone("0712 345 678"))).toBe("254712345678");
  });
});

describe("anything but the number of a mobile phone is rejected", () => {
  test.each([
    "",
    "   ",
    "0",
    "071234567",
    "07123456789",
    "0212345678",
    "0812345678",
    "25471234567",
    "2547123456789",
    "+254212345678",
    "+712345678",
    "00712345678",
    "0202345678",
    "+254202345678",
    "0800720000",
    "+0712345678",
    "0712345678 ext. 4",
    "07123x5678",
    "0712*****8",
    "++254712345678",
    "sk_live_0712345678",
  ])("%j", (phone) => {
    expect(() => normalizePhone(phone)).toThrow(InvalidParamsError);
  });

  test.each([712345678, null, undefined, {}, ["0712345678"]])(
    "%j, which is not a text",
    (phone) => {
      expect(() => normalizePhone(phone as string)).toThrow(InvalidParamsError);
    },
  );

  test("with a message that shows neither the number nor a secret", () => {
    const messageOf = (phone: unknown) => {
      try {
        return normalizePhone(phone as string);
      } catch (error) {
        return (error as InvalidParamsError).message;
      }
    };
    const expected =
      "normalizePhone: `phone` is invalid: expected the number of a mobile phone, such as 0712345678 or +254712345678, got";
    expect(messageOf("071234567")).toBe(`${expected} 9 digits, which begin with 07.`);
    expect(messageOf("sk_live_0899345678")).toBe(
      `${expected} 10 digits among other characters, which begin with 08.`,
    );
    expect(messageOf("1234")).toBe(`${expected} 4 digits.`);
    expect(messageOf("")).toBe(`${expected} an empty string.`);
    expect(messageOf(799999999)).toBe(`${expected} a number.`);
  });

  test.each([
    { country: "+254" },
    { country: 254 },
    { country: "254" },
    { country: "DE" },
    { land: "254" },
  ])("with the options %j", (options) => {
    expect(() => normalizePhone("0712345678", options as object)).toThrow(
      expect.objectContaining({ code: "configuration" }),
    );
  });
});
