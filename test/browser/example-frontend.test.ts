import { once } from "node:events";
import { request as createRequest, type Server } from "node:http";
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
  const seen: Promise<string>[] = [];

  beforeAll(async () => {
    service = await sandbox.serve({ port: 0 });
    shop = createShop({
      secretKey: sandbox.keys.secret,
      baseUrl: service.baseUrl,
    }).listen(0, "127.0.0.1");
    await once(shop, "listening");
    page = await browser().newPage({ viewport: { width: 375, height: 700 } });
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => seen.push(request.allHeaders().then(JSON.stringify)));
    page.on("response", (response) => seen.push(response.text().catch(() => "")));
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

  test("sends the page no key, and no address of the service", async () => {
    const texts = (await Promise.all(seen)).join();
    expect(texts).toContain("Two bags of coffee");
    for (const key of Object.values(sandbox.keys)) expect(texts).not.toContain(key);
    expect(texts).not.toContain(service.url);
    expect(errors).toEqual([]);
  });
});

describe("the shop of that page", () => {
  const sandbox = createSandbox();
  let service: ServedSandbox;
  let shop: Server;
  let url: string;

  beforeAll(async () => {
    service = await sandbox.serve({ port: 0 });
    shop = createShop({ secretKey: sandbox.keys.secret, baseUrl: service.baseUrl });
    await once(shop.listen(0, "127.0.0.1"), "listening");
    url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await service?.close();
    shop?.close();
  });

  async function order(): Promise<string> {
    const html = await (await fetch(url)).text();
    return /name="order" value="([^"]+)"/.exec(html)?.[1] ?? "";
  }
  async function pay(fields: Record<string, string>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(fields);
    return (await fetch(`${url}/pay`, { method: "POST", body, headers })).status;
  }
  async function prompts(): Promise<number> {
    const headers = { "x-api-key": sandbox.keys.secret };
    return (await (await fetch(`${service.baseUrl}/payments`, { headers })).json()).data.length;
  }

  test("sends one prompt for an order, however often the customer clicks", async () => {
    const before = await prompts();
    const fields = { order: await order(), phone: "0712000211" };
    const clicks = await Promise.all([pay(fields), pay(fields), pay(fields)]);
    expect([...clicks, await pay(fields)]).toEqual([200, 200, 200, 200]);
    expect((await prompts()) - before).toBe(1);
    sandbox.phone("0712000211").cancel();
    // The next attempt begins when the last one has failed: again, one prompt for all clicks.
    expect(await Promise.all([pay(fields), pay(fields)])).toEqual([200, 200]);
    expect((await prompts()) - before).toBe(2);
  });

  test("sends no prompt to a second phone while the first one may pay", async () => {
    const before = await prompts();
    const name = await order();
    const both = ["0712000212", "0712000213"].map((phone) => pay({ order: name, phone }));
    expect((await Promise.all(both)).sort()).toEqual([200, 409]);
    expect((await prompts()) - before).toBe(1);
  });

  test.each<[number, Record<string, string>, Record<string, string>?]>([
    [404, {}],
    [404, { order: "000000000000.00" }],
    [403, {}, { "sec-fetch-site": "cross-site" }],
  ])("sends no prompt, with status %i, for %j %j", async (status, fields, headers) => {
    const before = await prompts();
    expect(await pay({ phone: "0712000214", ...fields }, headers)).toBe(status);
    expect(await prompts()).toBe(before);
  });

  test("reads no more of a form than a form needs", async () => {
    const request = createRequest(`${url}/pay`, { method: "POST" });
    request.on("error", () => {}); // the shop closes the connection
    let written = 0;
    const more = () => {
      while (written < 30_000_000 && request.write("a".repeat(10_000))) written += 10_000;
    };
    request.on("drain", more);
    more();
    const [{ statusCode }] = await once(request, "response");
    request.destroy();
    expect(statusCode).toBe(413);
    expect(written).toBeLessThan(30_000_000);
  });

  test("shows the status of an order only by its whole name", async () => {
    const name = await order();
    await pay({ order: name, phone: "0712000215" });
    const statusOf = async (text: string) => (await fetch(`${url}/orders/${text}/payment`)).status;
    expect(await statusOf(name)).toBe(200);
    expect(await statusOf(name.split(".")[0] ?? "")).toBe(404);
    expect(await statusOf(`${name.slice(0, -1)}x`)).toBe(404);
  });
});
