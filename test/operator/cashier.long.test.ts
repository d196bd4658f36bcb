import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeHandler } from "malipo/node";
import { operatorHandler } from "malipo/operator";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserForSuite } from "../browser/browser-for-suite.ts";
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
});
