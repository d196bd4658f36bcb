import { expect, test, vi } from "vitest";
import { pageAssets } from "../../scripts/page-assets.ts";
import type { CaseResult } from "../../src/drill/case-run.ts";
import { allCases } from "../../src/drill/cases.ts";
import { PROMISES } from "../../src/drill/promises.ts";
import { resultsAsPage } from "../../src/drill/results-page.ts";
import { hasChromium } from "../support/chromium.ts";
import { browserForSuite } from "./browser-for-suite.ts";
import { checkLook } from "./check-look.ts";
import { contactSheet } from "./contact-sheet.ts";

// The build puts it into the package.
vi.stubGlobal("DRILL_STYLE", JSON.parse((await pageAssets()).DRILL_STYLE ?? ""));

const browser = browserForSuite();

/** A drill in which each promise is broken by two cases of different groups. */
function badDay(): CaseResult[] {
  return allCases().map((one, index) => {
    const { name = "" } = PROMISES[Math.floor(index / 2) % PROMISES.length] ?? {};
    const text = `delivered payment.completed to ${"a".repeat(90)}: the shop returned 200`;
    return {
      case: one,
      problems: new Map(index % 11 < 2 ? [[name, "the customer paid 2 times"]] : []),
      story: [{ atMs: 20, who: "service", text }],
      skipped: index % 11 === 5 ? "--again is not given" : undefined,
    };
  });
}

test.skipIf(!hasChromium)(
  "the results of a drill fit and pass axe, wide and narrow, with their rows closed and open",
  async () => {
    const result = {
      results: badDay(),
      obstacles: [],
      hasEffects: true,
      seed: "s",
      elapsedMs: 9e4,
    };
    const page = await (await browser().newContext({ javaScriptEnabled: true })).newPage();
    await page.setContent(resultsAsPage(result, "1.2.3", new Date("2026-01-02T03:04:05Z")));
    await checkLook(page, "drill");
    const rows = page.locator("details");
    expect(await rows.count()).toBe(result.results.filter(({ problems }) => problems.size).length);
    expect(await page.locator("details[open]").count()).toBe(0);
    for (const row of (await rows.all()).slice(0, 4)) await row.locator("summary").click();
    await checkLook(page, "drill-open");
    // What decides is in the page, and nothing of it is cut off.
    const row = rows.first();
    expect(await row.locator("li").allInnerTexts()).toContainEqual(
      expect.stringContaining("The customer paid 2 times"),
    );
    const isCut = await row.evaluate((one) => one.scrollWidth > one.clientWidth);
    expect(isCut).toBe(false);
    const html = await page.content();
    const gaps = { parts: "main", limit: 72 };
    for (const width of [1280, 768, 390, 320])
      await contactSheet(page, "drill-sheet", [{ name: "drill", html }], {
        width,
        columns: 1,
        gaps,
      });
  },
);
