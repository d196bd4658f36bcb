// Makes the pictures of the sandbox's page in docs/img: `npm run screenshots`.
// A fixed seed and a virtual clock give the same pictures every time.
import { readFile, writeFile } from "node:fs/promises";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { EVENT_KINDS } from "../src/contract/events.ts";
import { launchChromium } from "../test/support/chromium.ts";

const IMAGES = new URL("../docs/img/", import.meta.url);
/** The font that the manual is set in: a machine without a desktop has no good one. */
const FONT = new URL(
  "../node_modules/vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2",
  import.meta.url,
);
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
const PORT = 4010;

interface Shot {
  readonly file: string;
  readonly options: BrowserContextOptions;
  /** Without it, the whole window is taken. */
  readonly part?: string;
  arrange?(page: Page): Promise<void>;
}

const light = { viewport: WIDE, colorScheme: "light", deviceScaleFactor: 1.5 } as const;
const dark = { ...light, colorScheme: "dark" } as const;
/** High enough for every part of the page. */
const tall = { ...light, viewport: { ...WIDE, height: 2_400 } } as const;
const narrow = { ...dark, viewport: NARROW, hasTouch: true, isMobile: true } as const;

const pressTwoDigits = (page: Page) => page.locator(".pin-field").pressSequentially("12");

const openNewestPayment = async (page: Page) => {
  await page.locator("#payments .row-head").first().click();
  await page.locator("#payments .timeline").waitFor();
  await pressTwoDigits(page);
};

const SHOTS: readonly Shot[] = [
  { file: "sandbox-light.png", options: light, arrange: openNewestPayment },
  { file: "sandbox-dark.png", options: dark, arrange: openNewestPayment },
  { file: "sandbox-narrow.png", options: narrow, arrange: pressTwoDigits },
  {
    file: "sandbox-delivery.png",
    options: tall,
    part: "#deliveries",
    arrange: async (page) => {
      await page.locator("#deliveries .row.bad .row-head").first().click();
      await page.locator("#deliveries .detail").waitFor();
    },
  },
  {
    file: "sandbox-requests.png",
    options: tall,
    part: "#requests",
    arrange: async (page) => {
      await page.locator("#requests .row.bad .row-head").first().click();
      await page.locator("#requests .detail").waitFor();
    },
  },
  {
    file: "sandbox-faults.png",
    options: tall,
    part: "#faults",
    arrange: async (page) => {
      await page.getByRole("button", { name: "Response lost" }).click();
      await page.getByRole("button", { name: "Webhook twice" }).click();
      await page.getByText("2 faults are active").first().waitFor();
    },
  },
];

/** The shop's receiver. It was broken while one order was paid. */
async function receive(request: Request): Promise<Response> {
  const isBroken = (await request.text()).includes("ORDER-41");
  return new Response(isBroken ? '{"error":"wrong signature"}' : "", {
    status: isBroken ? 401 : 200,
  });
}

/** Serves the sandbox at its usual address, and plays a morning of a small shop. */
async function play(): Promise<ServedSandbox> {
  const sandbox = createSandbox({ seed: "screenshots", deliver: receive });
  const served = await sandbox.serve({ port: PORT });
  const call = (path: string, body: object, key = sandbox.keys.secret) =>
    fetch(served.baseUrl + path, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json", "user-agent": "shop/1.4" },
      body: JSON.stringify(body),
    }).catch(() => undefined);
  const pay = async (
    amount: number,
    phone: string,
    account_reference: string,
    description = "",
  ) => {
    await call("/mobile-money/payment/initiate", { amount, phone, account_reference, description });
    await sandbox.deliveries.settled();
  };
  const settle = async (time: string) => {
    await sandbox.deliveries.settled();
    await sandbox.clock.advance(time);
  };
  await call("/webhooks/register", {
    name: "shop",
    url: "http://127.0.0.1:3000/webhooks",
    events: EVENT_KINDS,
  });
  await pay(350, "0733100200", "ORDER-39", "Kahawa, 250 g");
  sandbox.phone("0733100200").approve();
  await settle("44s");
  await call("/mobile-money/payment/initiate", { amount: 0, phone: "0110555123" });
  await pay(12_999, "0110555123", "ORDER-40");
  sandbox.phone("0110555123").cancel();
  await settle("30s");
  await pay(80, "0712345678", "ORDER-41", "Mandazi");
  sandbox.phone("0712345678").approve();
  await settle("6s");
  await pay(1_500, "0712345678", "ORDER-42", "Viatu, size 42");
  await settle("7s");
  return served;
}

/** The page's policy allows no font: this context ignores the policy. */
async function setFont(page: Page): Promise<void> {
  const font = (await readFile(FONT)).toString("base64");
  await page.addStyleTag({
    content: `@font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${font}); }
:root { --sans: Inter, sans-serif; }`,
  });
  await page.evaluate(() => document.fonts.load("16px Inter"));
}

async function take(browser: Browser, { file, options, part, arrange }: Shot): Promise<void> {
  const served = await play();
  const context = await browser.newContext({
    ...options,
    reducedMotion: "reduce",
    bypassCSP: true,
  });
  const page = await context.newPage();
  await page.goto(served.url);
  await page.getByText("live", { exact: true }).waitFor();
  await setFont(page);
  await arrange?.(page);
  await page.locator("#flash:empty").waitFor({ state: "attached", timeout: 10_000 });
  const png = await (part === undefined ? page : page.locator(part)).screenshot();
  await writeFile(new URL(file, IMAGES), png);
  console.log(`docs/img/${file}`);
  await context.close();
  await served.close();
}

const browser = await launchChromium();
for (const shot of SHOTS) await take(browser, shot);
await browser.close();
