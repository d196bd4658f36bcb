import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import { nodeHandler } from "malipo/node";
import { operatorHandler } from "malipo/operator";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shopNight } from "../operator/shop-night.ts";
import { nightShift } from "../operator/stage.ts";
import { hasChromium } from "../support/chromium.ts";
import { browserForSuite } from "./browser-for-suite.ts";
import { checkSchemes } from "./check-look.ts";

/** What lies between has the parts of one of them. Each width is on the sheets of cashier.long.test.ts. */
const WIDTHS = [1280, 320];

/** Expects an open page to fit, and to pass axe, light and dark. */
async function checkPage(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 860 });
    expect([name, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
      name,
      width,
    ]);
    await checkSchemes(page, name);
  }
}

describe.skipIf(!hasChromium)("the operator's page in a browser", () => {
  const browser = browserForSuite();
  let night: Awaited<ReturnType<typeof nightShift>>;
  let server: Server;
  let address: string;
  beforeAll(async () => {
    night = await nightShift({}, { orders: 8 });
    const shop = await shopNight();
    const handler = operatorHandler({
      checkout: shop.checkout,
      receiver: night.receiver,
      gateway: night.gateway,
      authorize: () => ({ operator: "Amina" }),
      actions: true,
      takeBackMs: 3_600_000,
    });
    server = createServer(nodeHandler(handler)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/operator`;
  });
  afterAll(() => server?.close());

  test("fits at every width and passes axe, light and dark, with nothing from elsewhere", async () => {
    const page = await (await browser().newContext()).newPage();
    const errors: string[] = [];
    page.on("console", (message) => errors.push(message.text()));
    page.on("request", (request) => expect(request.url()).toContain("http://127.0.0.1:"));
    const conflict = (await night.receiver.conflicts.list())[0]?.id ?? "";
    const item = `?list=conflicts&item=${conflict}`;
    const looks = {
      operator: "",
      "operator-list": "?list=failing",
      "operator-conflict": item,
      "operator-confirm": `${item}&do=drop`,
      "operator-reason": "?list=twice&item=review%3ATWICE-1%3Aoverpaid%3APAY-TWICE-1&do=refunded",
      "operator-order": "?order=TWICE-1",
      "operator-search": "?q=ORDER-1",
    };
    for (const [name, query] of Object.entries(looks)) {
      await page.goto(address + query);
      await checkPage(page, name);
    }
    // The icon that a browser asks for on its own has another path.
    expect(errors.filter((text) => !text.includes("404"))).toEqual([]);
  });

  test.each([true, false])("is used by keyboard, with scripts: %s", async (javaScriptEnabled) => {
    const page = await (await browser().newContext({ javaScriptEnabled })).newPage();
    const press = async (name: string | RegExp, role: "link" | "button" = "link") => {
      await page.getByRole(role, { name }).first().focus();
      await page.keyboard.press("Enter");
    };
    await page.goto(address);
    await press(/^Conflicts/);
    await press(/^ORDER-1/);
    await press("Drop…");
    await press("Drop", "button");
    const shown = page.getByRole("status").filter({ hasText: "without being processed" });
    await shown.waitFor();
    expect(await night.receiver.conflicts.list()).toHaveLength(1);
    await press("Take back", "button");
    await page.getByText("Taken back: nothing was changed.").waitFor();
    expect(await night.receiver.conflicts.list()).toHaveLength(1);
  });

  test.each([true, false])(
    "notes a refund by keyboard, with scripts: %s",
    async (javaScriptEnabled) => {
      const page = await (await browser().newContext({ javaScriptEnabled })).newPage();
      await page.goto(`${address}?order=TWICE-2`);
      const amount = page.getByRole("textbox", { name: /^Amount in KES, at most 3,000\.00/ });
      await page.getByText("Note a refund").press("Enter");
      expect(await amount.inputValue()).toBe("");
      await amount.fill("5000");
      await page.getByRole("textbox", { name: /^Reference/ }).fill("RB7Q2M9X4K");
      await amount.press("Enter");
      await page.getByRole("alert").filter({ hasText: "is more than" }).waitFor();
      expect(await page.getByRole("textbox", { name: /^Reference/ }).inputValue()).toBe(
        "RB7Q2M9X4K",
      );
      await amount.fill("500");
      await page.getByRole("button", { name: "Note as paid back" }).press("Enter");
      const shown = page.getByRole("status").filter({ hasText: "KES 500.00 will be noted" });
      await shown.waitFor();
      await page.getByRole("button", { name: "Take back" }).first().press("Enter");
      await page.getByText("Taken back: nothing was changed.").waitFor();
    },
  );
});
