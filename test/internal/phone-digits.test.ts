import { describe, expect, test } from "vitest";
import { phoneToValidate } from "../../src/contract/payment.ts";
import { isPhoneDigits, maskPhones, phoneDigits } from "../../src/internal/phone-digits.ts";
import { fc } from "../support/properties.ts";

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength });

describe("phoneDigits", () => {
  test.each([
    ["+254 712 345 678", "254712345678"],
    ["+254 (712) 345-678", "254712345678"],
    ["(+254) 712345678", "254712345678"],
    ["254[712]345\u2011678", "254712345678"],
    ["0712 - 345 - 678", "0712345678"],
    ["\t0712\u00a0345678\n", "0712345678"],
    ["0712.345.678", "0712345678"],
    ["0712\u2212345\u2212678", "0712345678"],
    ["\u202a0712 345 678\u202c", "0712345678"],
    ["\u2066+254\u200b712\u00ad345\u200e678\u2069", "254712345678"],
    [
      "\uff0b\uff12\uff15\uff14 \uff08\uff10\uff09 \uff17\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18",
      "254712345678",
    ],
    ["٠٧١٢٣٤٥٦٧٨", "0712345678"],
    ["۰۷۱۲ ۳۴۵ ۶۷۸", "0712345678"],
    ["+254 (0)712 345 678", "254712345678"],
    ["(+254) (0) 712 345 678", "254712345678"],
    ["+44 (0)20 7946 0958", "442079460958"],
    ["+2540712345678", "254712345678"],
    ["2540712345678", "254712345678"],
    ["00254712345678", "254712345678"],
    ["+200100 123 4567", "201001234567"],
    ["+225 07 12 34 56 78", "2250712345678"],
    ["+242 06 123 4567", "242061234567"],
    ["(0)712 345 678", "0712345678"],
    ["0712 (0)345", "07120345"],
    ["254+712", "254+712"],
    ["++254", "+254"],
    ["", ""],
  ])("of %j is %j", (phone, expected) => {
    expect(phoneDigits(phone)).toBe(expected);
  });
});

test.each([
  ["12345678", false],
  ["123456789", true],
  ["123456789012345", true],
  ["1234567890123456", false],
  ["123456789\n", false],
  ["+123456789", false],
  ["٠٧١٢٣٤٥٦٧٨", false],
  ["", false],
])("isPhoneDigits of %j is %s", (text, expected) => {
  expect(isPhoneDigits(text)).toBe(expected);
});

describe("a phone number that the contract accepts", () => {
  const separators = fc
    .array(fc.constantFrom(" ", "-", "(", ")", "[", "]", "\u2011", "\u2013", "\u00a0"), {
      maxLength: 4,
    })
    .map((list) => list.join(""));
  const written = fc
    .tuple(
      digits(9, 15).chain((phone) =>
        fc.tuple(
          ...[...phone].map((digit) => separators.map((separator) => `${digit}${separator}`)),
        ),
      ),
      fc.constantFrom("", "+", "(+"),
    )
    .map(([parts, start]) => start + parts.join(""));

  test("is masked, however it is written", () => {
    fc.assert(
      fc.property(written, (phone) => {
        expect(phoneToValidate.safeParse({ phone }).success).toBe(true);
        const masked = maskPhones(`For ${phone}: no`);
        expect(masked.match(/\d/g)).toHaveLength(7);
      }),
    );
  });

  test("is masked in a URL, if its separators are encoded", () => {
    fc.assert(
      fc.property(written, fc.boolean(), (phone, isForm) => {
        const encoded = isForm
          ? new URLSearchParams({ phone }).toString()
          : `phone=${encodeURIComponent(phone)}`;
        const masked = maskPhones(`https://gateway.example/customers?${encoded}`);
        expect(masked).toMatch(/phone=.*\d{4}\*{2,}\d{3}/);
      }),
    );
  });
});

describe("a phone number in a text", () => {
  // Every separator that the contract accepts, and those that people and phone books put in.
  const SEPARATORS = [
    ..." -()[]./+",
    ..."\t\n\u00a0\u2002\u2009\u202f\u3000\ufeff",
    ..."\u2010\u2011\u2012\u2013\u2014\u2015\u2e3a\ufe58\uff0d",
    ..."\u200b\u200c\u200d\u200e\u202a\u202c\u2060\u2066\u2069\u00ad",
    ..."\u2212\uff0e\uff08\uff09",
  ];

  test.each(SEPARATORS)("is masked with %j between its digits, in a URL too", (separator) => {
    const phone = `254${separator}712${separator}345${separator}678`;
    expect(maskPhones(`For ${phone}: no`)).toBe("For 2547*****678: no");
    const encoded = encodeURIComponent(phone);
    expect(maskPhones(`https://a.test/x?phone=${encoded}&n=1`)).toBe(
      "https://a.test/x?phone=2547*****678&n=1",
    );
  });

  test("is masked if its digits are percent-encoded", () => {
    const encoded = [..."254712345678"].map((digit) => `%3${digit}`).join("");
    expect(maskPhones(`/customers/${encoded}/x%20y`)).toBe("/customers/2547*****678/x%20y");
  });

  test("is masked beside escapes that are not UTF-8", () => {
    expect(maskPhones("%E2%80%ff 254712345678 %zz%")).toBe("%E2%80%ff 2547*****678 %zz%");
  });
});

test.each(["%", "100%", "%E2%82%AC 100", "a%20b%2Fc", "😀%F0%9F%98%80😀"])(
  "a text without a phone number is not changed: %s",
  (given) => {
    expect(maskPhones(given)).toBe(given);
  },
);

/** What people, programs and attackers put between the digits of a phone number. */
const BETWEEN = [
  ..." -()[]./+_,:;|~'·•\\",
  "*",
  "–",
  "—",
  " / ",
  " - ",
  "\u00a0",
  "\u202f",
  "\u3000",
  "\u2800",
  "\u3164",
  "\u115f",
  "\u200b",
  "\u200d",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\ufe0f",
  "\ufe0f\u20e3",
  "\u0301",
  "\u0000",
  "\u0007",
  "\u{e0020}",
];

/** The first digit of other scripts: Arabic, Persian, Devanagari, Bengali, full-width, mathematical. */
const ZEROS = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xff10, 0x1d7ce];

test("a phone is masked with any separators, invisible characters and digits of other scripts", () => {
  const part = fc.tuple(
    fc.constantFrom(...ZEROS),
    fc.array(fc.constantFrom(...BETWEEN), { maxLength: 3 }),
  );
  const phone = fc.constantFrom("0712987654", "254712987654", "+254712987654", "256772345678");
  fc.assert(
    fc.property(
      phone.chain((digits) =>
        fc.tuple(fc.constant(digits), fc.array(part, { minLength: 13, maxLength: 13 })),
      ),
      ([digits, parts]) => {
        const written = [...digits]
          .map((one, at) => {
            const [zero, between] = parts[at] ?? [0x30, []];
            const shown = one === "+" ? one : String.fromCodePoint(zero + Number(one));
            // Two stars are what a mask leaves.
            return shown + between.join("").replaceAll(/\*[* ]*\*/g, "*");
          })
          .join("");
        const masked = maskPhones(`Failed for ${written} today`);
        expect(masked.match(/\p{Nd}/gu)?.length, JSON.stringify(written)).toBeLessThanOrEqual(7);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("a masked text is not changed when it is masked again", () => {
  const text = "For 0712 *** 678, 0713 *** 679; 2547*****678/2547*****679.";
  expect(maskPhones(text)).toBe(text);
  expect(maskPhones(maskPhones("0712.987.654 0712.987.655"))).toBe(
    maskPhones("0712.987.654 0712.987.655"),
  );
});

test.each([
  "KES 1,500.00",
  "KES 1,500,000.00 is over the limit of 250,000.00",
  "1500000.00",
  "12,345,678.90",
  "2026-11-27 12:34",
  "2026-11-27 12:34:56",
  "2026-11-27 12:34:56.789",
  "2026-11-27T12:34:56.789+03:00",
  "2026/11/27, 12:34:56",
  "27/11/2026 14:30:00",
  "27.11.2026, 14.30",
  "11/27/2026 2:30",
  "12:34:56.789",
  "connect ECONNREFUSED 127.0.0.1:54321",
  "connect ECONNREFUSED 10.0.12.134:5432",
])("an amount, a date and an address stay: %s", (text) => {
  expect(maskPhones(text)).toBe(text);
});

test("any amount and any time stay", () => {
  const grouped = new Intl.NumberFormat("en", { minimumFractionDigits: 2 });
  const amount = fc.integer({ min: 1, max: 9_999_999_999 }).map((cents) => cents / 100);
  const time = fc.date({
    min: new Date("1990-01-01"),
    max: new Date("2090-01-01"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(amount, time, (sum, at) => {
      const iso = at.toISOString();
      const [day, clock] = iso.slice(0, -1).split("T");
      const text = `Of ${sum.toFixed(2)} or ${grouped.format(sum)} at ${iso} and ${day} ${clock}.`;
      expect(maskPhones(text)).toBe(text);
    }),
  );
});

test.each([
  ["100 of 2500", "100 of 2500"],
  ["12345678", "12345678"],
  ["PAY-7Q3ZKX9M2B4T", "PAY-7Q3ZKX9M2B4T"],
  ["2026-01-01T09:00:00Z", "2026-01-01T09:00:00Z"],
  ["0712345678, 0712345679", "0712***678, 0712***679"],
  ["0712.345.678", "0712***678"],
  ["٠٧١٢٣٤٥٦٧٨", "0712***678"],
  ["\uff10\uff17\uff11\uff12 345 678", "0712***678"],
])("maskPhones of %j is %j", (text, masked) => {
  expect(maskPhones(text)).toBe(masked);
});

test.each([" ", "0", "1 ", "12345678 ", "1.", "1,", "%20", "1*", "712 345 67\u200b", "1,500.00, "])(
  "a long text of %j is masked in proportion to its length",
  (part) => {
    // A pattern whose time is the square of the length would take minutes.
    const text = `${part.repeat(200_000)}x`;
    expect(maskPhones(text).length).toBeLessThanOrEqual(text.length);
  },
);
