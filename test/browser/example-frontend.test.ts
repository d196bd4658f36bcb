import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createShop } from "../../examples/frontend/server.ts";
import { hasChromium } from "../support/chromium.ts";
import { browserForSuite } from "./browser-for-suite.ts";

describe.skipIf(!hasChromium)("the example of a page that takes a payment", () => {
  const sandbox = createSandbox();
  const browser = browserForSuite();
  let service: ServedSandbox;
  let shop: Server;
  let page: Page;
  const errors: string[] = [];
  const sent: string[] = [];

  beforeAll(async () => {
    service = await sandbox.serve({ port: 0 });
    shop = createShop({
      secretKey: sandbox.keys.secret,
      publicKey: sandbox.keys.public,
      baseUrl: service.baseUrl,
    }).listen(0, "127.0.0.1");
    await once(shop, "listening");
    page = await browser().newPage({ viewport: { width: 375, height: 700 } });
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => sent.push(JSON.stringify(request.headers())));
  });
  afterAll(async () => {
    await service?.close();
    shop?.close();
  });

  async function pay(phone: string): Promise<void> {
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
    await page.getByLabel("Your mobile-money number").fill(phone);
    await page.getByRole("button", { name: "Pay" }).click();
  }
  const says = (text: RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor();

  test("follows a payment until it is paid", async () => {
    await pay("0712 000 201");
    await says(/enter your PIN/);
    sandbox.phone("0712000201").approve();
    await says(/Paid\. Thank you!/);
  });

  test("says why it was not paid, and lets the customer try again", async () => {
    await pay("0712 000 202");
    await says(/enter your PIN/);
    sandbox.phone("0712000202").cancel();
    await says(/Not paid: .*cancelled/i);
    expect(await page.getByRole("button", { name: "Pay" }).isEnabled()).toBe(true);
  });

  test("asks for another number if this one cannot be", async () => {
    await pay("12");
    await says(/Is that number right/);
  });

  test("asks no customer to pay again whose prompt may have been sent", async () => {
    sandbox.faults.add({ match: { endpoint: "mobileMoney.initiate" }, effect: { kind: "reset" } });
    await pay("0712 000 203");
    await says(/do not pay again/);
    expect(await page.getByRole("button", { name: "Pay" }).isDisabled()).toBe(true);
  });

  test("shows the page no secret key", async () => {
    expect(sent.join()).toContain(sandbox.keys.public);
    expect(sent.join() + (await page.content())).not.toContain(sandbox.keys.secret);
    expect(errors).toEqual([]);
  });
});
