import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserForSuite } from "../../browser/browser-for-suite.ts";
import { checkAxe } from "../../browser/check-look.ts";
import { contactSheet } from "../../browser/contact-sheet.ts";
import { hasChromium } from "../../support/chromium.ts";
import { payStates } from "./pay-states.ts";

/** Each width with the number of pages beside each other. */
const SHEETS = [
  [1280, 3],
  [768, 5],
  [390, 8],
  [320, 10],
] as const;

describe.skipIf(!hasChromium)("the pay page in every state", () => {
  const browser = browserForSuite();
  let states: Awaited<ReturnType<typeof payStates>>;
  beforeAll(async () => {
    states = await payStates();
  });
  afterAll(() => states?.close());

  test.each(["en", "sw", "fr"])("fits at each width, light and dark, in %s", async (lang) => {
    const page = await (await browser().newContext()).newPage();
    const shown = await states.shown(lang, true);
    for (const [width, columns] of SHEETS) {
      const gaps = { parts: ".order, .state, .alone", limit: 56 };
      const found = await contactSheet(page, `pay-${lang}`, shown, { width, columns, gaps });
      // The amount of an order stands in one place, whatever becomes of it, unless a logo is higher than a line.
      const sums = found.filter(({ name, sum }) => sum !== undefined && !/logo/.test(name));
      expect(new Set(sums.map(({ sum }) => sum)).size).toBe(1);
      expect(sums.length).toBeGreaterThan(30);
    }
  });

  test.each([
    { lang: "en", colorScheme: "light", width: 1280 },
    { lang: "en", colorScheme: "dark", width: 1280 },
    { lang: "sw", colorScheme: "light", width: 320 },
    { lang: "fr", colorScheme: "dark", width: 320 },
  ] as const)("passes axe: %j", async ({ lang, ...look }) => {
    const page = await (await browser().newContext()).newPage();
    await checkAxe(page, await states.shown(lang, true), look);
  });

  test("prints a receipt on one page, black on white, with the contact and nothing to press", async () => {
    const page = await (await browser().newContext({ colorScheme: "dark" })).newPage();
    await page.emulateMedia({ media: "print" });
    for (const { name, html } of await states.shown("en", true)) {
      if (!html.includes("data-print")) continue;
      await page.setContent(html);
      const text = await page.locator("body").innerText();
      for (const said of ["Duka la Mama Njeri", "Order", "KES\u00a01", "0700\u00a0111\u00a0222"])
        expect([name, text]).toEqual([name, expect.stringContaining(said)]);
      const seen = await page.evaluate(() => {
        const shown = [...document.body.querySelectorAll("*")].filter((one) =>
          one.checkVisibility(),
        );
        return {
          controls: shown.filter((one) => one.matches("button, main a, nav")).length,
          colors: [...new Set(shown.map((one) => getComputedStyle(one).color))],
        };
      });
      expect([name, seen]).toEqual([name, { controls: 0, colors: ["rgb(0, 0, 0)"] }]);
      const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
      expect([name, pdf.match(/\/Type\s*\/Page\b/g)?.length]).toEqual([name, 1]);
    }
  });
});
