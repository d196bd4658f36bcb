import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import axe from "axe-core";
import { Gateway } from "malipo";
import { type Checkout, createCheckout } from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { createSandbox } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../support/chromium.ts";
import { sqliteCheckout } from "../support/stores/sqlite-checkout.ts";
import { browserForSuite } from "./browser-for-suite.ts";

const SCREENSHOTS = new URL("./artefacts/", import.meta.url);
const WIDTHS = [1280, 768, 390, 320];
/** Those of axe: what lies between has the parts of one of them. */
const ENDS = [1280, 320];

const AWAY = "ALTER TABLE malipo_checkout_orders RENAME TO away";
const BACK = "ALTER TABLE away RENAME TO malipo_checkout_orders";

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
  /** A shop on the same store whose customers are asked once. */
  let strict: Checkout;
  /** A shop on the same store whose page looks like the merchant's. */
  let styled: Checkout;
  let server: Server;
  let orders = 0;
  /** The store is away when the service has the payment. */
  let failsAfterPrompt = false;
  beforeAll(async () => {
    const { baseUrl, keys, webhookSecret: secret } = sandbox;
    const fetch: typeof sandbox.fetch = async (...given) => {
      const response = await sandbox.fetch(...given);
      const isPrompt = String(given[0]).endsWith("/initiate");
      if (isPrompt && failsAfterPrompt) db.exec(AWAY);
      return response;
    };
    const store = sqliteCheckout(db);
    const gateway = { apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 };
    const options = { store, gateway, secret, onPaid: () => {}, onError: () => {} };
    checkout = createCheckout({ ...options, phoneLimit: 900 });
    strict = createCheckout({ ...options, attemptLimit: 1 });
    styled = createCheckout(options);
    await checkout.start();
    const events = ["payment.completed", "payment.failed"];
    const url = "https://shop.example/webhooks";
    await new Gateway(gateway).webhooks.register({ name: "shop", url, events });
    const pages = new Map<string, (request: Request) => Promise<Response>>();
    server = createServer(
      nodeHandler((request) => {
        const page = pages.get(new URL(request.url).pathname.split("/")[1] ?? "");
        return page?.(request) ?? Promise.resolve(new Response(undefined, { status: 404 }));
      }),
    ).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const merchant = { name: "Duka la Mama Njeri", contact: "0700 111 222" };
    const own = { secret: "a secret of the pay page" };
    const returnUrl = "https://shop.example/orders";
    pages.set("pay", checkout.page({ merchant, url: `${origin}/pay`, returnUrl, ...own }));
    const svg =
      "<svg xmlns='http://www.w3.org/2000/svg' width='120' height='40'><rect width='120' height='40' rx='8' fill='%23c0392b'/></svg>";
    pages.set(
      "styled",
      styled.page({
        merchant: { ...merchant, logo: `data:image/svg+xml,${svg}` },
        url: `${origin}/styled`,
        color: "#ffd400",
        messages: { fr: { language: "Français", pay: "Payer {amount}" } },
        ...own,
      }),
    );
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
    failsAfterPrompt = false;
    const away = "SELECT 1 FROM sqlite_master WHERE name = 'away'";
    if (db.prepare(away).get() !== undefined) db.exec(BACK);
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
  /** A payment that the service reports for an order. */
  const report = async (id: string, amount: string) => {
    const order = await checkout.get(id);
    const data = {
      payment_id: ++orders,
      merchant_id: 1,
      reference: `PAY-${orders}`,
      status: "completed",
      amount,
      currency: "KES",
      account_reference: order?.accountReference,
    };
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: "payment.completed", timestamp, data });
    const headers = { "x-service-signature": signWebhook(body, sandbox.webhookSecret) };
    await checkout.receiver.handle({ method: "POST", headers, body });
  };

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
      await pay(page, OTHER);
      await expectHeading(page, "Look at your phone");
      sandbox.phone(OTHER).approve();
      await expectHeading(page, "Paid. Thank you.");
      expect(await page.getByRole("button").count()).toBe(javaScriptEnabled ? 1 : 0);
      expect(errors).toEqual([]);
      await page.context().close();
    });
  }

  test.each([
    { lang: "en", colorScheme: "light" },
    { lang: "sw", colorScheme: "dark" },
  ] as const)("fits and passes axe in every state: %j", async (setting) => {
    const { lang, colorScheme } = setting;
    const page = await openPage({ colorScheme });
    // axe needs timers, which a browser without scripts has not: it looks at what such a browser shows.
    const plain = await openPage({ colorScheme });
    const session = await page.context().newCDPSession(page);
    const plainSession = await plain.context().newCDPSession(plain);
    const check = async (one: Page, name: string, on: CDPSession, widths: readonly number[]) => {
      await evaluate(on, `${axe.source};0`);
      for (const width of widths) {
        await one.setViewportSize({ width, height: 720 });
        const fits = "document.documentElement.scrollWidth";
        expect([name, width, await evaluate(on, fits)]).toEqual([name, width, width]);
        if (ENDS.includes(width))
          expect([name, width, await evaluate(on, AXE)]).toEqual([name, width, []]);
        const file = `${name}-${lang}-${width}-${colorScheme}.png`;
        await one.screenshot({ path: new URL(file, SCREENSHOTS).pathname, fullPage: true });
      }
    };
    const look = async (state: string, status: string) => {
      const shown = () => evaluate(session, "document.querySelector('main')?.dataset.status");
      await expect.poll(() => shown().catch(() => "")).toBe(status);
      await check(page, `pay-${state}`, session, WIDTHS);
      const markup = await evaluate<string>(session, "document.documentElement.outerHTML");
      const whole = `<!doctype html>${markup.replace(/<script>.*<\/script>/s, "").replaceAll(/<\/?noscript>/g, "")}`;
      // The script has shown what works only with it.
      const without = whole.replace('data-print=""', 'data-print="" hidden');
      await plain.setContent(without.replace(/<meta http-equiv="refresh"[^>]*>/, ""));
      await check(plain, `pay-${state}-plain`, plainSession, [320]);
    };
    const open = (id: string, by = checkout) => page.goto(`${by.payLink(id)}?lang=${lang}`);
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
    // The same phone, for another order.
    const busy = await newOrder();
    await open(busy);
    await pay(page);
    await page.locator(".notice").waitFor();
    await look("busy", "open");
    await page.goto(link);
    sandbox.phone(PHONE).enterWrongPin();
    await look("failed", "open");
    await pay(page, OTHER);
    await look("asked-again", "pending");
    sandbox.phone(OTHER).approve();
    await look("paid", "paid");
    await page.goto(link.replace("/pay/", "/pay/x"));
    await look("no-link", "notice");
    const canceled = await newOrder();
    await checkout.cancel(canceled);
    await open(canceled);
    await look("canceled", "canceled");
    const expired = `ORDER-${++orders}`;
    await checkout.create({ id: expired, amount: 1500, expiresAt: new Date(Date.now() - 1_000) });
    await expect.poll(async () => (await checkout.get(expired))?.status).toBe("expired");
    await open(expired);
    await look("expired", "expired");
    const held = await newOrder();
    await report(held, "1.00");
    await open(held);
    await look("held", "open");
    const used = `ORDER-${++orders}`;
    // A phone of its own: the limit of a phone is over all orders.
    const usedPhone = `0733000${100 + orders}`;
    await strict.pay({ id: used, amount: 1500, phone: usedPhone });
    sandbox.phone(usedPhone).cancel();
    await expect.poll(async () => (await checkout.get(used))?.status).toBe("open");
    await open(used);
    await look("used-up", "open");
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "lostResponse" }, times: 1 });
    await open(await newOrder());
    await pay(page, `0700000${100 + orders}`);
    await expectHeading(page, lang === "en" ? "We are still checking" : "Bado tunaangalia");
    await look("unknown", "pending");
    await open(await newOrder());
    const limited = page.url();
    for (let time = 0; time < 10; time++) {
      await fetch(limited, { method: "POST", headers: { "sec-fetch-site": "same-origin" } });
    }
    await pay(page);
    await look("too-often", "notice");
    const action = checkout.payLink(await newOrder());
    await page.goto("about:blank");
    await page.setContent(
      `<form method="post" action="${action}?lang=${lang}"><button>Pay</button>`,
    );
    await page.getByRole("button").click();
    await look("other-site", "notice");
    await open(await newOrder());
    failsAfterPrompt = true;
    await pay(page, `0700000${100 + orders}`);
    await look("unsure", "notice");
    failsAfterPrompt = false;
    db.exec(BACK);
    const next = await newOrder();
    db.exec(AWAY);
    await open(next);
    db.exec(BACK);
    await look("broken", "notice");
    await open(next, styled);
    await look("styled", "open");
    await page.context().close();
    await plain.context().close();
  });

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
