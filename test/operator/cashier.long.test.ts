import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeHandler } from "malipo/node";
import { operatorHandler } from "malipo/operator";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserForSuite } from "../browser/browser-for-suite.ts";
import { checkAxe } from "../browser/check-look.ts";
import { contactSheet } from "../browser/contact-sheet.ts";
import { hasChromium } from "../support/chromium.ts";
import { CASHIER_CASES } from "./cashier-cases.ts";
import { shopNight } from "./shop-night.ts";

describe.skipIf(!hasChromium)("the operator's page, for a cashier who is new", () => {
  const browser = browserForSuite();
  let page: Page;
  let counter: Server;
  let at: string;
  beforeAll(async () => {
    const shop = await shopNight();
    shop.restock();
    const { checkout } = shop;
    const authorize = () => ({ operator: "Wanjiru" });
    const handler = operatorHandler({ checkout, authorize, actions: true, takeBackMs: 0 });
    counter = createServer(nodeHandler(handler)).listen(0, "127.0.0.1");
    await new Promise((resolve) => counter.once("listening", resolve));
    at = `http://127.0.0.1:${(counter.address() as AddressInfo).port}/`;
    page = await (await browser().newContext({ javaScriptEnabled: false })).newPage();
  });
  afterAll(() => counter?.close());

  test.each(CASHIER_CASES)("$told", async ({ query, row, reads, answer, done }) => {
    await page.goto(at);
    await page.getByRole("searchbox").fill(query);
    await page.keyboard.press("Enter");
    await page.getByRole("main").getByRole("link").filter({ hasText: row }).first().click();
    const item = (await page.locator("#item").innerText()).replaceAll(/\s+/g, " ");
    for (const words of reads) expect(item).toContain(words);
    // One thing is to be done, and it stands there once.
    expect(await page.locator("#item .todo").count()).toBe(1);
    await page.getByRole("link", { name: `${answer}…`, exact: true }).click();
    await page.getByRole("link", { name: "Go back" }).waitFor();
    await page.getByRole("button", { name: answer, exact: true }).click();
    expect(await page.getByRole("status").innerText()).toContain(done);
  });

  test("what she has decided stands there with her name", async () => {
    await page.goto(`${at}?decisions=1`);
    const made = page.getByRole("main").getByRole("listitem").filter({ hasText: "Wanjiru done" });
    expect(await made.count()).toBe(CASHIER_CASES.length);
  });

  test("every page fits at each width and passes axe, light and dark", async () => {
    const night = await shopNight();
    const { checkout } = night;
    const authorize = () => ({ operator: "Wanjiru", mayReadPhones: true });
    const handler = operatorHandler({ checkout, authorize, actions: true, takeBackMs: 3_600_000 });
    const get = async (query: string) => (await handler(new Request(at + query))).text();
    const style = `<style>${await get("?asset=style")}</style>`;
    await checkout.refunds.add("TWICE-3", {
      amount: "500.00",
      reference: "SGR5K1TT0P",
      by: "Amina",
    });
    const twice = "?list=twice&item=review%3ATWICE-1%3Aoverpaid%3APAY-TWICE-1";
    const pages = {
      everything: "",
      list: "?list=late",
      case: twice,
      question: `${twice}&do=refunded`,
      goods:
        /\?list=goods&amp;item=[^"]+/.exec(await get("?list=goods"))?.[0].replace("&amp;", "&") ??
        "",
      order: "?order=TWICE-3",
      "order, whole number": "?order=TWICE-3&whole=1",
      search: "?q=0712345678",
      "nothing found": "?q=NOTHING-9",
      decisions: "?decisions=1",
    };
    const shown = await Promise.all(
      Object.entries(pages).map(async ([name, query]) => {
        const html = await get(query);
        return { name, html: html.replace('<link rel="stylesheet" href="?asset=style">', style) };
      }),
    );
    const gaps = { parts: ".card", limit: 60 };
    // A page of its own: the policy of the operator's page allows no style of a sheet.
    const sheet = await (await browser().newContext()).newPage();
    for (const [width, columns] of [
      [1280, 3],
      [768, 4],
      [390, 5],
      [320, 5],
    ] as const) {
      await contactSheet(sheet, "operator", shown, { width, columns, gaps });
    }
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1280, 320]) await checkAxe(sheet, shown, { width, colorScheme });
  });
});
