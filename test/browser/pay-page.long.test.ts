import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import { type Checkout, createCheckout, memoryCheckout } from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { createSandbox } from "malipo/sandbox";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../support/chromium.ts";
import { browserForSuite } from "./browser-for-suite.ts";

const PHONE = "0712345678";
const SCREENSHOTS = new URL("./artefacts/", import.meta.url);
const WIDTHS = [1280, 768, 390, 320];

/** The profile "Slow 3G" of Chrome's developer tools. */
const SLOW_3G = {
  offline: false,
  latency: 2_000,
  downloadThroughput: (500 * 1_000 * 0.8) / 8,
  uploadThroughput: (500 * 1_000 * 0.8) / 8,
};

describe.skipIf(!hasChromium)("the pay page in a browser", () => {
  const browser = browserForSuite();
  const sandbox = createSandbox({ seed: 1 });
  let checkout: Checkout;
  let server: Server;
  let orders = 0;
  beforeAll(async () => {
    const { baseUrl, fetch, keys, webhookSecret: secret } = sandbox;
    const store = memoryCheckout();
    const gateway = { apiKey: keys.secret, baseUrl, fetch };
    checkout = createCheckout({ store, gateway, secret, onPaid: () => {}, phoneLimit: 900 });
    await checkout.start();
    let page = async (_: Request) => new Response();
    server = createServer(nodeHandler((request) => page(request))).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay`;
    const merchant = { name: "Duka la Mama Njeri", contact: "0700 111 222" };
    page = checkout.page({ merchant, url, secret: "a secret of the pay page" });
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
    await checkout?.stop();
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
  const pay = async (page: Page, phone = PHONE) => {
    await page.getByRole("textbox").fill(phone);
    await page.getByRole("button").click({ noWaitAfter: true });
  };
  /** Without scripts, the next page is always loading: Playwright would wait for its end. */
  const evaluate = async <Value>(session: CDPSession, expression: string): Promise<Value> => {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", options);
    expect(exceptionDetails?.text).toBeUndefined();
    return result.value;
  };
  const expectHeading = async (page: Page, text: string) => {
    const session = await page.context().newCDPSession(page);
    const read = () =>
      evaluate(session, "document.querySelector('h1')?.textContent").catch(() => "");
    await expect.poll(read).toBe(text);
  };
  const AXE = `axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`;

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with scripts" : "without scripts";

    test(`leads from the link to the receipt by itself, ${how}`, async () => {
      const page = await openPage({ javaScriptEnabled });
      const errors: string[] = [];
      page.on("console", (message) => errors.push(message.text()));
      await page.goto(checkout.payLink(await newOrder()));
      await pay(page);
      await expectHeading(page, "Look at your phone");
      sandbox.phone(PHONE).cancel();
      await expectHeading(page, "Not paid yet");
      await pay(page, "0722 000 111");
      await expectHeading(page, "Look at your phone");
      sandbox.phone("0722000111").approve();
      await expectHeading(page, "Paid. Thank you.");
      expect(await page.getByRole("button").count()).toBe(javaScriptEnabled ? 1 : 0);
      expect(errors).toEqual([]);
      await page.context().close();
    });
  }

  test.each([
    { lang: "en", colorScheme: "light" },
    { lang: "sw", colorScheme: "dark" },
    { lang: "en", colorScheme: "dark" },
    { lang: "sw", colorScheme: "light" },
  ] as const)("fits and passes axe in every state: %j", { timeout: 300_000 }, async (setting) => {
    const { lang, colorScheme } = setting;
    const page = await openPage({ colorScheme });
    // axe needs timers, which a browser without scripts has not: it looks at what such a browser shows.
    const plain = await openPage({ colorScheme });
    const session = await page.context().newCDPSession(page);
    const look = async (state: string, status: string) => {
      const shown = () => evaluate(session, "document.querySelector('main')?.dataset.status");
      await expect.poll(() => shown().catch(() => "")).toBe(status);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 720 });
        const name = `pay-${state}-${lang}-${width}-${colorScheme}`;
        const fits = "document.documentElement.scrollWidth";
        expect([name, await evaluate(session, fits)]).toEqual([name, width]);
        const found = await evaluate(session, `${axe.source};${AXE}`);
        expect([name, found]).toEqual([name, []]);
        const path = new URL(`${name}.png`, SCREENSHOTS).pathname;
        await page.screenshot({ path, fullPage: true });
      }
      const markup = await (await fetch(page.url())).text();
      await plain.setViewportSize({ width: 320, height: 720 });
      await plain.setContent(
        markup.replace(/<script>.*<\/script>/s, "").replaceAll(/<\/?noscript>/g, ""),
        { waitUntil: "commit" },
      );
      await plain.evaluate(axe.source);
      expect([state, await plain.evaluate(AXE)]).toEqual([state, []]);
    };
    const id = await newOrder();
    const link = `${checkout.payLink(id)}?lang=${lang}`;
    await page.goto(link);
    await look("new", "open");
    await pay(page, "12");
    await page.locator("#phone-error").waitFor();
    await look("wrong-number", "open");
    await page.goto(link);
    await pay(page);
    await look("asked", "pending");
    sandbox.phone(PHONE).enterWrongPin();
    await look("failed", "open");
    await pay(page, "0722000111");
    await look("asked-again", "pending");
    sandbox.phone("0722000111").approve();
    await look("paid", "paid");
    await page.goto(link.replace("/pay/", "/pay/x"));
    await look("no-link", "notice");
    const canceled = await newOrder();
    await checkout.cancel(canceled);
    await page.goto(`${checkout.payLink(canceled)}?lang=${lang}`);
    await look("canceled", "canceled");
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

  test("is used by keyboard alone, and a second click sends no second form", async () => {
    const page = await openPage();
    const id = await newOrder();
    await page.goto(checkout.payLink(id));
    await page.keyboard.press("Tab");
    await page.keyboard.type("0733000111");
    await page.keyboard.press("Enter");
    await expectHeading(page, "Look at your phone");
    expect((await checkout.get(id))?.attempts).toHaveLength(1);
    sandbox.phone("0733000111").approve();
    await expectHeading(page, "Paid. Thank you.");
    // A screen reader reads on from here.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  });
});
