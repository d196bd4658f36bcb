import { InvalidParamsError, memory } from "malipo";
import { type CheckoutOptions, createCheckout } from "malipo/checkout";
import { describe, expect, it } from "vitest";
import { newSandbox, ORDER, openShop } from "./stage.ts";

/** A shop, and the phones that its prompts were sent to. */
function shopOf(options: Partial<CheckoutOptions>) {
  const sandbox = newSandbox();
  const sent: unknown[] = [];
  const fetch = (url: string, init: RequestInit) => {
    if (url.includes("payment/initiate")) sent.push(JSON.parse(String(init.body)).phone);
    return sandbox.fetch(url, init);
  };
  const { checkout } = openShop(sandbox, memory().checkout(), { ...options, fetch });
  const pay = (phone: unknown, id = ORDER.id) =>
    checkout.pay({ ...ORDER, id, phone: phone as string });
  return { sandbox, sent, checkout, pay };
}

const problemOf = async (paying: Promise<unknown>): Promise<string> => {
  const error = await paying.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidParamsError);
  return (error as InvalidParamsError).issues[0]?.message ?? "";
};

const COUNTRIES = [
  ["KES", "0712 345 678", "254712345678"],
  ["UGX", "0772 345 678", "256772345678"],
  ["TZS", "0712 345 678", "255712345678"],
  ["RWF", "0788 123 456", "250788123456"],
  ["ZMW", "0955 123 456", "260955123456"],
  ["MWK", "0991 234 567", "265991234567"],
  ["GHS", "024 123 4567", "233241234567"],
  ["ETB", "0911 234 567", "251911234567"],
  ["NGN", "0802 123 4567", "2348021234567"],
  ["MZN", "82 123 4567", "258821234567"],
  ["GMD", "301 2345", "2203012345"],
] as const;

describe("a number without its country code", () => {
  it.each(COUNTRIES)("is one of the country of %s", async (currency, phone, digits) => {
    const { sandbox, sent, pay } = shopOf({ currency });
    const order = await pay(phone);
    expect(sent).toEqual([digits]);
    expect(sandbox.phone(digits).prompt).toMatchObject({ amount: "1500.00", currency });
    expect(order).toMatchObject({ status: "pending", currency });
  });

  it.each([
    ["XOF", "225", "07 12 34 56 78", "2250712345678"],
    ["XOF", "221", "77 123 45 67", "221771234567"],
    ["XAF", "242", "06 123 4567", "242061234567"],
    ["XAF", "237", "671 23 45 67", "237671234567"],
    ["USD", "231", "077 012 3456", "231770123456"],
    ["KES", "256", "0772 345 678", "256772345678"],
  ])(
    "in %s is one of the country %s that the shop names",
    async (currency, country, phone, digits) => {
      const { sent, checkout, pay } = shopOf({ currency, country });
      await pay(phone);
      expect(sent).toEqual([digits]);
      expect(checkout.country).toBe(country);
    },
  );

  it.each(["XOF", "XAF", "USD", "XXX"])(
    "is rejected if no one country has %s",
    async (currency) => {
      const { sent, checkout, pay } = shopOf({ currency });
      expect(checkout.country).toBeUndefined();
      expect(await problemOf(pay("70 12 34 56"))).toMatch(
        /got 8 digits.*Write it with its country code, such as \+226\.\.\., or set `country`/,
      );
      expect(sent).toEqual([]);
      await pay("+226 70 12 34 56");
      await pay("22671123456", "OTHER");
      expect(sent).toEqual(["22670123456", "22671123456"]);
    },
  );
});

describe("a number with its country code", () => {
  it.each([
    "256772345678",
    "+256772345678",
    "00256 772 345 678",
    "+256 (0)772 345 678",
    "+2560772345678",
    "2560772345678",
  ])("is taken in any notation: %s", async (phone) => {
    const { sent, pay } = shopOf({ currency: "UGX" });
    const order = await pay(phone);
    expect(sent).toEqual(["256772345678"]);
    expect(order.attempts[0]?.phone).toBe("0772 *** 678");
  });

  it.each([
    ["UGX", "+254 712 345 678"],
    ["UGX", "254722987654"],
    ["KES", "+256 772 345 678"],
    ["KES", "256772987654"],
    ["KES", "+44 7700 900123"],
  ])("is rejected in %s if it is one of another country: %s", async (currency, phone) => {
    const { sent, pay } = shopOf({ currency });
    const problem = await problemOf(pay(phone));
    expect(problem).toContain("a number of another country");
    expect(problem).not.toContain(phone.slice(-6));
    expect(sent).toEqual([]);
  });

  it("has one limit, however it is written", async () => {
    const { checkout, pay } = shopOf({ currency: "TZS" });
    await pay("0712 345 678");
    const others = ["+2550712345678", "+255712345678", "+255 (0)712 345 678"];
    for (const [at, phone] of others.entries()) {
      expect(await pay(phone, `OTHER-${at}`)).toMatchObject({ attempts: [], canPay: false });
    }
    expect(await checkout.find("+2550712345678")).toMatchObject([{ id: ORDER.id }]);
  });
});

it.each(["07123456", "077234567899", "25677234567", "", 772345678, undefined])(
  "%j is not a phone of Uganda",
  async (phone) => {
    const { sent, pay } = shopOf({ currency: "UGX" });
    expect(await problemOf(pay(phone))).toContain(
      "expected the number of a mobile phone, such as 0772345678 or +256772345678, got",
    );
    expect(sent).toEqual([]);
  },
);

it("orders are found by a number without its country code", async () => {
  const { checkout, pay } = shopOf({ currency: "UGX" });
  await pay("0772 345 678");
  for (const text of ["0772 345 678", "256772345678", "+256 772 345 678"]) {
    expect(await checkout.find(text)).toMatchObject([{ id: ORDER.id }]);
  }
  expect(await checkout.find("+254 772 345 678")).toEqual([]);
});

it.each(["+256", "KE", "0", 256, "2560", null])("`country` cannot be %j", (country) => {
  expect(() => shopOf({ country: country as string })).toThrow(/`country`/);
});

it("the pay page asks phones of the country of the checkout, and no others", () => {
  const checkout = createCheckout({
    ...{ store: memory().checkout(), onPaid: () => {}, secret: "whsec_1", currency: "UGX" },
    gateway: { apiKey: "sk_1", baseUrl: "https://gateway.test" },
  });
  const page = { merchant: { name: "Duka" }, secret: "a secret of 16 letters" };
  expect(() => checkout.page({ ...page, country: "254" })).toThrow(
    /`country` of checkout.page is 254.*256.*createCheckout/,
  );
  expect(() => checkout.page({ ...page, country: "256" })).not.toThrow();
});
