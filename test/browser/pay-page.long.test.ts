import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { Gateway } from "malipo";
import { type Checkout, createCheckout } from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { createSandbox } from "malipo/sandbox";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../support/chromium.ts";
import { sqliteCheckout } from "../support/stores/sqlite-checkout.ts";
import { browserForSuite } from "./browser-for-suite.ts";

/** The profile "Slow 3G" of Chrome's developer tools. */
const SLOW_3G = {
  offline: false,
  latency: 2_000,
  downloadThroughput: (500 * 1_000 * 0.8) / 8,
  uploadThroughput: (500 * 1_000 * 0.8) / 8,
};

describe.skipIf(!hasChromium)("the pay page in a browser", () => {
  const browser = browserForSuite();
  const sandbox = createSandbox({
    seed: 1,
    startAt: new Date(),
    // A shop without webhooks learns late what becomes of an old prompt, and a busy machine makes prompts old.
    deliver: async (request) => {
      const { method, headers } = request;
      const body = new Uint8Array(await request.arrayBuffer());
      const reply = await checkout.receiver.handle({ method, headers, body });
      return new Response(reply.body, reply);
    },
  });
  const db = new DatabaseSync(":memory:");
  let checkout: Checkout;
  let server: Server;
  let orders = 0;
  /** The heading of the page that the browser has got last. */
  let served: string | undefined;
  beforeAll(async () => {
    const { baseUrl, fetch, keys, webhookSecret: secret } = sandbox;
    const store = sqliteCheckout(db);
    const gateway = { apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 };
    const options = { store, gateway, secret, onPaid: () => {}, onError: () => {} };
    checkout = createCheckout({ ...options, phoneLimit: 900 });
    await checkout.start();
    const events = ["payment.completed", "payment.failed"];
    const url = "https://shop.example/webhooks";
    await new Gateway(gateway).webhooks.register({ name: "shop", url, events });
    let page: ReturnType<Checkout["page"]>;
    const isOfPage = (request: Request) => new URL(request.url).pathname.startsWith("/pay/");
    const missing = new Response(undefined, { status: 404 });
    server = createServer(
      nodeHandler(async (request) => {
        if (!isOfPage(request)) return missing.clone();
        const response = await page(request);
        const [, heading] = /<h1[^>]*>(.*?)<\/h1>/s.exec(await response.clone().text()) ?? [];
        if (heading !== undefined) served = heading.replaceAll(/<[^>]*>/g, "");
        return response;
      }),
    ).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    page = checkout.page({
      merchant: { name: "Duka la Mama Njeri", contact: "0700 111 222" },
      url: `${origin}/pay`,
      returnUrl: "https://shop.example/orders",
      secret: "a secret of the pay page",
    });
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
    await checkout?.stop();
    db.close();
  });

  // A try that fails leaves prompts that nobody answers: the next one has phones of its own.
  let phones = 0;
  let [PHONE, OTHER] = ["", ""];
  const newPhone = () => `07110${String(++phones).padStart(5, "0")}`;
  beforeEach(() => {
    [PHONE, OTHER] = [newPhone(), newPhone()];
  });
  afterEach(async () => {
    for (const context of browser().contexts()) await context.close();
  });

  const newOrder = async (): Promise<string> => {
    const id = `ORDER-${++orders}`;
    await checkout.create({ id, amount: 1500, description: "Two tickets for Saturday" });
    return id;
  };
  const openPage = async (options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> => {
    const page = await (await browser().newContext(options)).newPage();
    page.on("request", (request) => expect(request.url()).toContain("http://127.0.0.1:"));
    return page;
  };
  const pay = async (page: Page, phone: string = PHONE) => {
    await page.getByRole("textbox").fill(phone);
    await page.getByRole("button").click({ noWaitAfter: true });
  };
  const expectHeading = (page: Page, text: string) =>
    expect.poll(() => page.locator("h1").textContent()).toBe(text);

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with scripts" : "without scripts";

    test(`leads from the link to the receipt by itself, ${how}`, async () => {
      const page = await openPage({ javaScriptEnabled });
      // Without scripts, the next page is always loading, and Chromium runs no expression until it has loaded.
      const expectPending = javaScriptEnabled
        ? (text: string) => expectHeading(page, text)
        : (text: string) => expect.poll(() => served).toBe(text);
      const errors: string[] = [];
      page.on("console", (message) => errors.push(message.text()));
      await page.goto(checkout.payLink(await newOrder()));
      await pay(page);
      await expectPending("Look at your phone");
      sandbox.phone(PHONE).cancel();
      await expectHeading(page, "Not paid yet");
      await pay(page, OTHER);
      await expectPending("Look at your phone");
      sandbox.phone(OTHER).approve();
      await expectHeading(page, "Paid. Thank you.");
      expect(await page.getByRole("button").count()).toBe(javaScriptEnabled ? 1 : 0);
      expect(errors).toEqual([]);
      await page.context().close();
    });
  }

  test("goes from asked to unknown, and back, by itself", async () => {
    const id = await newOrder();
    const page = await openPage();
    await page.goto(checkout.payLink(id));
    await pay(page, OTHER);
    await expectHeading(page, "Look at your phone");
    const row = () =>
      db.prepare("SELECT state FROM malipo_checkout_orders WHERE id = ?").get(id) as {
        state: string;
      };
    // As a process leaves it that dies while it asks.
    const asked = row().state;
    const write = (state: string) =>
      db.prepare("UPDATE malipo_checkout_orders SET state = ? WHERE id = ?").run(state, id);
    write(asked.replace('"status":"pending"', '"status":"unknown"'));
    await expectHeading(page, "We are still checking");
    write(asked);
    await expectHeading(page, "Look at your phone");
    await page.context().close();
  });

  test("can be used after one request of less than 20 kB from a cold start on slow 3G", async () => {
    const cold = await launchChromium();
    const page = await (await cold.newContext()).newPage();
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", SLOW_3G);
    let bytes = 0;
    let requests = 0;
    session.on("Network.requestWillBeSent", ({ request }) => {
      if (!request.url.startsWith("data:")) requests++;
    });
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const link = checkout.payLink(await newOrder());
    const begun = performance.now();
    await page.goto(link);
    await page.getByRole("textbox").fill(PHONE);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    process.stderr.write(`slow 3G: ${requests} requests, ${bytes} bytes, ${seconds} s\n`);
    expect(requests).toBeLessThanOrEqual(3);
    expect(bytes).toBeGreaterThan(2_000);
    expect(bytes).toBeLessThan(20_000);
    await page.getByRole("button").click();
    await expectHeading(page, "Look at your phone");
    await cold.close();
  });

  test("is used by keyboard only, and a second click sends no second form", async () => {
    const page = await openPage();
    const id = await newOrder();
    await page.goto(checkout.payLink(id));
    await page.keyboard.press("Tab");
    await page.keyboard.type(OTHER);
    await page.keyboard.press("Enter");
    await expectHeading(page, "Look at your phone");
    expect((await checkout.get(id))?.attempts).toHaveLength(1);
    sandbox.phone(OTHER).approve();
    await expectHeading(page, "Paid. Thank you.");
    // A screen reader reads on from here.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  });
});
