import { InvalidParamsError, memory } from "malipo";
import {
  type CheckoutOptions,
  type CountryCode,
  createCheckout,
  type PayPageOptions,
} from "malipo/checkout";
import { createSandbox } from "malipo/sandbox";
import { describe, expect, it } from "vitest";
import { ORDER, openShop } from "./stage.ts";

/** A shop whose sandbox is one of Kenya, as a shop that has set nothing has it, and the phones that were asked. */
function shopOf(options: Partial<CheckoutOptions>, country?: CountryCode) {
  const sandbox = createSandbox({ seed: 1, country });
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

/** Sends the form of the pay page. */
async function payOnPage({ checkout }: ReturnType<typeof shopOf>, phone: string) {
  const page = checkout.page({
    ...{ merchant: { name: "Duka" }, secret: "a secret of 16 letters" },
    url: "https://shop.example/pay",
  });
  const link = checkout.payLink(ORDER.id);
  const body = new URLSearchParams({ phone, after: "0" });
  const headers = { "sec-fetch-site": "same-origin" };
  return page(new Request(link, { method: "POST", body, headers }));
}

/** The country, its currency, three spellings of one number, and what is sent. */
const COUNTRIES = [
  ["KE", "KES", ["0712 345 678", "+254 712-345-678", "712345678"], "254712345678"],
  ["UG", "UGX", ["0772 345 678", "256772345678", "+256 (0)772 345 678"], "256772345678"],
  ["TZ", "TZS", ["0712.345.678", "255 712 345 678", "+2550712345678"], "255712345678"],
  ["RW", "RWF", ["0788 123 456", "00250788123456", "788123456"], "250788123456"],
  ["ZM", "ZMW", ["0955 123 456", "+260955123456", "\u202a0955\u200b123456\u202c"], "260955123456"],
  ["MW", "MWK", ["0991 234 567", "265991234567", "(0991) 234 567"], "265991234567"],
  ["GH", "GHS", ["024 123 4567", "+233 24 123 4567", "٠٢٤ ١٢٣ ٤٥٦٧"], "233241234567"],
  ["ET", "ETB", ["0911 234 567", "251911234567", "09 11 23 45 67"], "251911234567"],
  ["NG", "NGN", ["0802 123 4567", "+234 802 123 4567", "８０２１２３４５６７"], "2348021234567"],
  ["MZ", "MZN", ["82 123 4567", "258821234567", "+258-82-123-4567"], "258821234567"],
  ["SN", "XOF", ["77 123 45 67", "+221771234567", "00221 77 123 45 67"], "221771234567"],
  ["CI", "XOF", ["07 12 34 56 78", "2250712345678", "0712345678"], "2250712345678"],
  ["CM", "XAF", ["671 23 45 67", "+237 671 234 567", "237671234567"], "237671234567"],
  ["LR", "USD", ["077 012 3456", "+231770123456", "770123456"], "231770123456"],
] as const;

describe.each(COUNTRIES)(
  "in %s, with %s, a phone as people write it",
  (country, currency, spellings, digits) => {
    // Only where the currency does not say it.
    const named = ["XOF", "XAF", "USD"].includes(currency) ? { currency, country } : { currency };

    it.each(spellings)("rings: %s", async (phone) => {
      const shop = shopOf(named);
      const order = await shop.pay(phone);
      expect(shop.sent).toEqual([digits]);
      expect(shop.sandbox.phone(digits).prompt).toMatchObject({ amount: "1500.00" });
      expect(order).toMatchObject({ status: "pending", currency });
      expect(shop.checkout.country).toBe(country);
    });

    it.each(spellings)("rings from the pay page: %s", async (phone) => {
      const shop = shopOf(named);
      await shop.checkout.create({ id: ORDER.id, amount: ORDER.amount });
      expect(await payOnPage(shop, phone)).toMatchObject({ status: 303 });
      expect(shop.sent).toEqual([digits]);
    });

    it("is one phone for the limit and for the search", async () => {
      const { checkout, pay } = shopOf(named);
      await pay(spellings[0]);
      for (const [at, phone] of spellings.entries()) {
        expect(await pay(phone, `OTHER-${at}`)).toMatchObject({ attempts: [], canPay: false });
        expect(await checkout.find(phone)).toMatchObject([{ id: ORDER.id }]);
      }
    });

    it("is read by a sandbox of the country as the checkout reads it", () => {
      const { sandbox } = shopOf(named, country);
      for (const phone of spellings) expect(sandbox.phone(phone).number).toBe(digits);
    });
  },
);

describe("a number of another country", () => {
  it.each([
    ["UGX", "+254 712 345 678", "Uganda", "+25471 *** 678", "Kenya"],
    ["UGX", "254722987654", "Uganda", "+25472 *** 654", "Kenya"],
    ["KES", "256772987654", "Kenya", "+25677 *** 654", "Uganda"],
    ["KES", "+44 7700 900123", "Kenya", "+44770 *** 123", "another country"],
  ])("is rejected in %s, and shown masked: %s", async (currency, phone, home, masked, country) => {
    const { sent, pay } = shopOf({ currency });
    const problem = await problemOf(pay(phone));
    expect(problem).toContain(`expected a phone of ${home}, got ${masked}, a number of`);
    expect(problem).toContain(country);
    expect(problem).not.toContain(phone.slice(-6));
    expect(sent).toEqual([]);
  });

  it("is asked if `countries` lists the country", async () => {
    const { sent, checkout, pay } = shopOf({ currency: "KES", countries: ["UG"] });
    await pay("0712 345 678");
    await pay("256 772 345 678", "OTHER");
    expect(sent).toEqual(["254712345678", "256772345678"]);
    expect(await problemOf(pay("+255 712 345 678", "THIRD"))).toContain(
      'expected a phone of Kenya or Uganda, got +25571 *** 678, a number of another country (Tanzania: add "TZ" to `countries` of createCheckout to ask it)',
    );
    expect(await checkout.find("+256772345678")).toMatchObject([{ id: "OTHER" }]);
  });
});

describe("without `country`, if the currency does not say it", () => {
  it.each(["XOF", "XAF", "USD", "XXX"])("no checkout is made with %s", (currency) => {
    expect(() => shopOf({ currency })).toThrow(
      `createCheckout needs \`country\`: the currency ${currency} does not say whose phones are asked.`,
    );
  });

  it("each number needs its code if `countries` says whose phones are asked", async () => {
    const shop = shopOf({ currency: "XOF", countries: ["SN", "CI"] });
    expect(shop.checkout.country).toBeUndefined();
    expect(await problemOf(shop.pay("77 123 45 67"))).toBe(
      "expected the number of a mobile phone with its country code, such as +221701234567, got 9 digits, which begin with 77",
    );
    await shop.checkout.create({ id: "PAGE", amount: 10 });
    await shop.pay("+221 77 123 45 67");
    await shop.pay("2250712345678", "OTHER");
    expect(shop.sent).toEqual(["221771234567", "2250712345678"]);
    expect(await shop.checkout.find("77 123 45 67")).toMatchObject([{ id: ORDER.id }]);
  });
});

it.each(["07123456", "077234567899", "25677234567", "0414 123 456", "", 772345678, undefined])(
  "%j is not a mobile phone of Uganda",
  async (phone) => {
    const { sent, pay } = shopOf({ currency: "UGX" });
    expect(await problemOf(pay(phone))).toContain(
      "expected the number of a mobile phone, such as 0772345678 or +256772345678, got",
    );
    expect(sent).toEqual([]);
  },
);

it.each(["+256", "256", "ke", "DE", 256, null])("`country` cannot be %j", (country) => {
  expect(() => shopOf({ country: country as CountryCode })).toThrow(
    '`country` must be the code of a country with mobile money (ISO 3166-1), such as "KE" or "UG"; got',
  );
});

it.each(["UG", [256], ["XX"]])("`countries` cannot be %j", (countries) => {
  expect(() => shopOf({ countries: countries as CountryCode[] })).toThrow(/`countries` must be/);
});

it("the pay page has no country of its own", () => {
  const checkout = createCheckout({
    ...{ store: memory().checkout(), onPaid: () => {}, secret: "whsec_1", currency: "UGX" },
    gateway: { apiKey: "sk_1", baseUrl: "https://gateway.test" },
  });
  const page = { merchant: { name: "Duka" }, secret: "a secret of 16 letters", country: "KE" };
  expect(() => checkout.page(page as PayPageOptions)).toThrow(/no option "country"/);
});
