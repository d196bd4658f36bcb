import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserForSuite } from "../../browser/browser-for-suite.ts";
import { axeViolations } from "../../browser/check-look.ts";
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
    { lang: "fr", colorScheme: "dark", width: 320 },
  ] as const)("passes axe: %j", async ({ lang, colorScheme, width }) => {
    const page = await (await browser().newContext({ colorScheme })).newPage();
    for (const { name, html } of await states.shown(lang, true)) {
      await page.setViewportSize({ width, height: 720 });
      await page.setContent(html);
      await page.evaluate(axe.source);
      expect([name, await axeViolations(page)]).toEqual([name, []]);
    }
  });
});
