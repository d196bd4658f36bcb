// Makes pictures of every page: `npm run screenshots`. Those of the manual go to docs/img, and are the
// same every time; the others, for a person to look at, go to test/browser/artefacts.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "../../test/support/chromium.ts";
import { folderServer } from "../../test/support/folder-server.ts";
import { serveNight } from "./operator-night.ts";
import { serveEvening } from "./shop-evening.ts";
import { serveMorning } from "./shop-morning.ts";

const ROOT = new URL("../../", import.meta.url);
const IMAGES = new URL("docs/img/", ROOT);
const ARTEFACTS = new URL("test/browser/artefacts/", ROOT);
/** The font that the manual is set in: a machine without a desktop has no good one. */
const FONT = new URL(
  "node_modules/vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2",
  ROOT,
);
const MANUAL = new URL("docs/site/", ROOT);

const light = {
  viewport: { width: 1280, height: 900 },
  colorScheme: "light",
  deviceScaleFactor: 1.5,
} as const;
const dark = { ...light, colorScheme: "dark" } as const;
const narrow = {
  ...dark,
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
} as const;
const LOOKS = { light, dark, narrow, "narrow-light": { ...narrow, colorScheme: "light" } } as const;
/** Those of the manual's first page: a phone, and a screen that is wide enough for the list. */
const PHONE = { ...light, viewport: { width: 390, height: 560 } } as const;
const SCREEN = { ...light, viewport: { width: 900, height: 720 } } as const;

interface Shot {
  readonly file: URL;
  readonly options: BrowserContextOptions;
  readonly address: string;
  /** The part to show. Without it, the whole window is taken, or the whole page. */
  readonly part?: string;
  readonly fullPage?: boolean;
  arrange?(page: Page): Promise<void>;
}

const browser = await launchChromium();

/** The page's policy allows no font: this context ignores the policy. */
async function setFont(page: Page): Promise<void> {
  const font = (await readFile(FONT)).toString("base64");
  await page.addStyleTag({
    content: `@font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${font}); }
:root { --sans: Inter, sans-serif; }`,
  });
  await page.evaluate(() => document.fonts.load("16px Inter"));
}

async function take({ file, options, address, part, fullPage = false, arrange }: Shot) {
  const context = await browser.newContext({
    ...options,
    reducedMotion: "reduce",
    bypassCSP: true,
  });
  const page = await context.newPage();
  await page.goto(address, { waitUntil: "load" });
  await setFont(page);
  await arrange?.(page);
  await page.mouse.move(0, 0); // what was clicked last is not shown as under the mouse
  const png = await (part === undefined
    ? page.screenshot({ fullPage })
    : page.locator(part).screenshot());
  await writeFile(file, png);
  console.log(file.pathname.slice(ROOT.pathname.length));
  await context.close();
}

const pressTwoDigits = (page: Page) => page.locator(".pin-field").pressSequentially("12");

const openNewestPayment = async (page: Page) => {
  await page.locator("#payments .row-head").first().click();
  await page.locator("#payments .timeline").waitFor();
  await pressTwoDigits(page);
};

/** The pictures that the manual shows. */
const SANDBOX: readonly (Omit<Shot, "file" | "address"> & { readonly name: string })[] = [
  { name: "light", options: light, arrange: openNewestPayment },
  { name: "dark", options: dark, arrange: openNewestPayment },
];

async function takeSandbox(): Promise<void> {
  for (const { name, arrange, ...shot } of SANDBOX) {
    const served = await serveMorning();
    const file = new URL(`sandbox-${name}.png`, IMAGES);
    const arranged = async (page: Page) => {
      await page.getByText("live", { exact: true }).waitFor();
      await arrange?.(page);
      await page.locator("#flash:empty").waitFor({ state: "attached", timeout: 10_000 });
    };
    await take({ ...shot, file, address: served.url, arrange: arranged });
    await served.close();
  }
}

async function takeShop(): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const { asked, operator, close } = await serveEvening();
    const shots = [
      { name: "pay-page", options: PHONE, address: asked },
      { name: "operator-page", options: SCREEN, address: operator },
    ];
    for (const { name, options, address } of shots) {
      const file = new URL(`${name}-${colorScheme}.png`, IMAGES);
      await take({ file, options: { ...options, colorScheme }, address });
    }
    await close();
  }
}

/** Each page in every look, as a whole. */
async function takeLooks(address: string, pages: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, path] of Object.entries(pages)) {
    for (const [look, options] of Object.entries(LOOKS)) {
      const file = new URL(`${name}-${look}.png`, ARTEFACTS);
      await take({ file, options, address: address + path, fullPage: name !== "manual-home" });
    }
  }
}

async function takeOperator(): Promise<void> {
  const { address, reference, close } = await serveNight();
  await takeLooks(address, {
    operator: "/operator",
    "operator-payment": `/operator?payment=${reference}`,
  });
  await close();
}

async function takeManual(): Promise<void> {
  if (!existsSync(MANUAL)) throw new Error("Build the manual first: npm run docs");
  const server = folderServer(MANUAL.pathname).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await takeLooks(`http://127.0.0.1:${port}`, {
    "manual-home": "/index.html",
    "manual-start": "/guides/get-started.html",
    "manual-sandbox": "/reference/sandbox.html",
    "manual-reference": "/api/index.html",
  });
  server.closeAllConnections();
  server.close();
}

await mkdir(ARTEFACTS, { recursive: true });
await takeSandbox();
await takeShop();
await takeOperator();
await takeManual();
await browser.close();
