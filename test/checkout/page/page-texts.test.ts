import { memory } from "malipo";
import { expect, test } from "vitest";
import { languageOf, textsOf } from "../../../src/checkout/page/page-texts.ts";
import { moneyText, type Words } from "../../../src/checkout/page/words.ts";
import { RESULT_CODES } from "../../../src/contract/result-codes.ts";
import { deliver, referenceOf } from "../../suites/checkout-stage.ts";
import { newSandbox, ORDER, openShop } from "../stage.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

/** The page of an order whose payment has failed, in a language. */
async function failedPage(
  failure: Readonly<Record<string, string>>,
  lang: string,
  messages: Parameters<typeof textsOf>[0] = {},
) {
  const sandbox = newSandbox();
  const { checkout } = openShop(sandbox, memory().checkout());
  const url = "https://shop.example/pay";
  const page = checkout.page({ merchant: { name: "Duka" }, secret: SECRET, url, messages });
  const order = await checkout.pay(ORDER);
  const event = { reference: referenceOf(order), status: "failed", ...failure };
  expect((await deliver(checkout, sandbox, "payment.failed", event)).status).toBe(200);
  const response = await page(new Request(`${checkout.payLink(ORDER.id)}?lang=${lang}`));
  return response.text();
}

test.each(Object.entries(RESULT_CODES))(
  "the result code %s is told in English, in Swahili and in French",
  async (code, { customerMessage }) => {
    const reason = { failure_reason: code };
    expect(await failedPage(reason, "en")).toContain(customerMessage);
    for (const lang of ["sw", "fr"]) {
      const told = await failedPage(reason, lang);
      expect(told).not.toContain(customerMessage);
      expect(told).toContain(
        textsOf().get(lang)?.reasons[`network_${code as keyof typeof RESULT_CODES}`],
      );
    }
  },
);

const NAMES = /\{\w+\}/g;
const [english, ...others] = [...textsOf()];

test.each(others)("%s fills the same names into each text as English does", (_, texts) => {
  const namesIn = (all: object) =>
    Object.fromEntries(
      Object.entries(all).flatMap(([key, text]) =>
        typeof text === "string" ? [[key, [...new Set(text.match(NAMES))].sort()]] : [],
      ),
    );
  expect(namesIn(texts)).toEqual(namesIn(english?.[1] ?? {}));
});

test("French has its spaces before double marks, at which no line breaks, and its own apostrophe", () => {
  const french = JSON.stringify(textsOf().get("fr"));
  expect(french.match(/[^\u00a0"]:(?=[^/"])|[^\u202f][;?!]/g) ?? []).toEqual([]);
  expect(french).not.toMatch(/\w'\w/);
});

test.each([
  ["KES", "1500.00", "1\u202f500,00\u00a0KES"],
  ["XOF", "5000.00", "5\u202f000\u00a0FCFA"],
  ["XAF", "1250000.50", "1\u202f250\u202f000,50\u00a0FCFA"],
  ["CDF", "900.00", "900,00\u00a0CDF"],
])("%s %s is %s in French", (currency, amount, text) => {
  const texts = textsOf().get("fr");
  expect(moneyText({ texts } as Words, { currency, amount })).toBe(text);
});

test("a locale that no time can be written in is a wrong option", () => {
  expect(() => textsOf({ pt: { locale: "no locale" } })).toThrow(/messages\.pt\.locale/);
});

test("a failure without a reason is told in both languages", async () => {
  expect(await failedPage({}, "en")).toContain("The payment did not go through.");
  expect(await failedPage({}, "sw")).toContain("Malipo hayakukamilika.");
});

test("words of the service are shown as they are, and as English", async () => {
  const failure = { user_message: "Ask the bank." };
  expect(await failedPage(failure, "sw")).toContain('<span lang="en">Ask the bank.</span>');
  expect(await failedPage(failure, "en")).toContain(">Ask the bank.<");
  const known = { ...failure, failure_reason: "1032" };
  expect(await failedPage(known, "sw")).toContain("Ulikataa ombi la malipo.");
  expect(await failedPage(known, "en")).toContain("Ask the bank.");
});

test("one reason of a merchant leaves the others of its language as they were", async () => {
  const messages = { sw: { reasons: { network_1032: "Umekataa." } } };
  expect(await failedPage({ failure_reason: "1032" }, "sw", messages)).toContain("Umekataa.");
  expect(await failedPage({ failure_reason: "2001" }, "sw", messages)).toContain(
    "PIN haikuwa sahihi.",
  );
  const english = { en: { reasons: { network_1032: "You said no." } } };
  expect(await failedPage({ failure_reason: "1032" }, "en", english)).toContain("You said no.");
});

test("a language of a merchant is English where it has no words", async () => {
  const messages = { pt: { language: "Português", reasons: { payment_failed: "Falhou." } } };
  expect(await failedPage({}, "pt", messages)).toContain("Falhou.");
  expect(await failedPage({ failure_reason: "2001" }, "pt", messages)).toContain(
    '<span lang="en">The PIN was wrong. Please try again.</span>',
  );
  expect(languageOf(null, "pt-MZ, en;q=0.5", textsOf(messages))).toBe("pt");
});

test("a payment that could not be checked before the next attempt is told, and no failure of it", async () => {
  const sandbox = newSandbox();
  let isDown = false;
  const fetch = async (url: string, init: RequestInit) =>
    isDown ? Response.json({ message: "Down." }, { status: 500 }) : sandbox.fetch(url, init);
  const { checkout } = openShop(sandbox, memory().checkout(), { fetch });
  const url = "https://shop.example/pay";
  const page = checkout.page({ merchant: { name: "Duka" }, secret: SECRET, url });
  const event = { reference: referenceOf(await checkout.pay(ORDER)), status: "failed" };
  await deliver(checkout, sandbox, "payment.failed", event);
  isDown = true;
  const order = await checkout.pay(ORDER);
  expect(order).toMatchObject({ canPay: true, messageCode: "last_payment_unchecked" });
  const shown = async (lang: string) =>
    (await page(new Request(`${checkout.payLink(ORDER.id)}?lang=${lang}`))).text();
  expect(await shown("en")).toContain("We could not check your last payment.");
  expect(await shown("sw")).toContain("Hatukuweza kuangalia malipo yako ya mwisho.");
  expect(await shown("sw")).not.toContain("Malipo hayakukamilika.");
});
