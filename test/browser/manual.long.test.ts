import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { PAGES as MANUAL, PARTS } from "../../docs/.vitepress/parts.ts";
import { hasChromium } from "../support/chromium.ts";
import { browserForSuite } from "./browser-for-suite.ts";
import { axeViolations } from "./check-look.ts";
import { serveFolder } from "./static-site.ts";

const SITE = "docs/site";
const DESKTOP = { width: 1280, height: 900 };
const SMALL_PHONE = { width: 320, height: 640 };
/** A small phone, a phone, a tablet and a desktop. */
const VIEWPORTS = [SMALL_PHONE, { width: 390, height: 844 }, { width: 768, height: 1024 }, DESKTOP];
/** What axe looks at: colours do not change with the width, and what lies between has the parts of one of them. */
const CHECKED = { light: SMALL_PHONE, dark: DESKTOP };
const PAGES = [
  "index",
  "guides/get-started",
  "guides/webhook-frameworks",
  "reference/cli",
  "guides/daraja",
  "api/index",
];

/** Also fails for a warning of typedoc, and for a dead link. */
beforeAll(async () => {
  // The site is built as it is published, not as a part of a test.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)("npm", ["run", "docs", "--silent"], { maxBuffer: 2 ** 26, env });
});

const THROWS = /^#+ Throws\n\n(.*)$/gm;
/** A link to the class of an error, or the name of one that the language has. */
const NAMED_ERROR = /^(\[\w+\]\([\w./]+\.md\)|`\w+`)/;

test("the reference names the error of every @throws", () => {
  const texts = globSync("docs/api/**/*.md").flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(THROWS)].map(([, text = ""]) => `${page}: ${text}`),
  );
  expect(texts.length).toBeGreaterThan(50);
  expect(texts.filter((text) => !NAMED_ERROR.test(text.slice(text.indexOf(": ") + 2)))).toEqual([]);
});

describe.skipIf(!hasChromium)("the manual as a site", () => {
  const browser = browserForSuite();
  const address = serveFolder(SITE);

  /** One for all tests that only look: what takes the time is the start of a page. */
  let page: Page;
  beforeAll(async () => {
    page = await browser().newPage({ viewport: DESKTOP });
  });

  const open = (path: string) =>
    page.goto(`${address()}/${path}.html`, { waitUntil: "networkidle" });

  /** Opens the search if it is not open, and resolves with the results for some words. */
  async function searchFor(words: string): Promise<Locator> {
    const box = page.getByRole("searchbox");
    const results = page.locator("#localsearch-list .result");
    // A page that is not ready yet does not hear the key.
    const opened = async () => {
      if (!(await box.isVisible())) await page.keyboard.press("Control+k");
      return box.isVisible();
    };
    await expect.poll(opened, { interval: 1_000 }).toBe(true);
    // None is left of the words before.
    await box.fill("");
    await expect.poll(() => results.count()).toBe(0);
    await box.fill(words);
    await expect.poll(() => results.count()).toBeGreaterThan(0);
    return results;
  }

  describe("its search", () => {
    beforeAll(() => open("index").then(() => {}));

    test.each([
      ["express", /Express/],
      ["callback", /Daraja|webhook/i],
      ["stk push", /first payment|Daraja|STK/i],
      ["nest", /Nest/],
      ["timeout", /timeout/i],
      ["dead letter", /fail|dead letter/i],
      ["duplicate", /duplicate/i],
      ["explainFailure", /explainFailure|failed payment/i],
    ])("finds %s, and leads there", async (words, title) => {
      const results = await searchFor(words);
      const texts = await results.allInnerTexts();
      expect(texts.slice(0, 5).join("\n")).toMatch(title);
      const address = await results.first().evaluate((one: HTMLAnchorElement) => one.href);
      await results.first().click();
      await expect.poll(() => page.url()).toBe(address);
      await page.locator(".vp-doc h1").waitFor();
    });

    test.each([
      ["next", /Next\.js/],
      ["MCP", /mcp/i],
      ["till", /till/i],
      ["paybill", /paybill/i],
      ["C2B", /C2B/],
      ["Daraja", /Daraja/],
      ["pagination", /[Pp]agination/],
      ["sandbox to live", /sandbox to live/],
      ["refund", /Refund/],
      ["vercel", /Vercel/],
      ["prisma", /Prisma/],
      ["dbos", /DBOS/],
      ["mongodb", /MongoDB/],
      ["litestream", /SQLite/],
      ["neon", /PostgreSQL/],
      ["galera", /MariaDB/],
      ["pm2", /Deploy/],
      ["jsdom", /Test/],
      ["nuxt", /Receive webhooks/],
      ["oversell", /overselling/],
      ["cents", /Questions/],
      ["uganda", /outside Kenya/],
    ])("finds the page for %s first", async (words, title) => {
      const results = await searchFor(words);
      expect(await results.first().innerText()).toMatch(title);
    });
  });

  test.each(PAGES)(
    "the page %s fits at four widths, and passes axe on a small phone and, dark, on a desktop",
    async (path) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize(DESKTOP);
        await open(path);
        for (const viewport of VIEWPORTS) {
          await page.setViewportSize(viewport);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          expect([path, viewport.width, width]).toEqual([path, viewport.width, viewport.width]);
          if (viewport !== CHECKED[colorScheme]) continue;
          await page.evaluate(axe.source);
          const found = await axeViolations(page, {
            // The key beside the label of the search button is for those who see it.
            rules: { "label-content-name-mismatch": { enabled: false } },
          });
          expect([colorScheme, viewport.width, found]).toEqual([colorScheme, viewport.width, []]);
        }
      }
    },
  );

  test("a wide table scrolls in its own box on a phone", async () => {
    await open("guides/daraja");
    await page.setViewportSize(SMALL_PHONE);
    const tables = await page.locator(".vp-doc table").evaluateAll((found) =>
      found.map((table) => ({
        isWider: table.scrollWidth > table.clientWidth,
        overflow: getComputedStyle(table).overflowX,
      })),
    );
    const wide = tables.filter(({ isWider }) => isWider);
    expect(wide.length).toBeGreaterThan(0);
    expect(wide.filter(({ overflow }) => overflow !== "auto")).toEqual([]);
  });

  test("shows its mark, its version, and how to install and call it on the first page", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    await page.setViewportSize(DESKTOP);
    await open("index");
    await expect.poll(() => page.locator(".VPNavBarMenu").innerText()).toContain(version);
    const logo = page.locator("img.logo");
    expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe("/logo.svg");
    const code = (await page.locator(".vp-doc pre").allInnerTexts()).join("\n");
    expect(code).toContain("npm install malipo");
    expect(code).toContain("checkout.pay");
  });

  test("loads nothing from anywhere else, and prints no error", async () => {
    // Its own, which has nothing in its cache.
    const fresh = await browser().newPage();
    const asked: string[] = [];
    const errors: string[] = [];
    fresh.on("request", (request) => asked.push(new URL(request.url()).origin));
    fresh.on("pageerror", (error) => errors.push(error.message));
    fresh.on("console", (line) => line.type() === "error" && errors.push(line.text()));
    await fresh.goto(`${address()}/guides/get-started.html`, { waitUntil: "networkidle" });
    expect(new Set(asked)).toEqual(new Set([address()]));
    expect(errors).toEqual([]);
    await fresh.close();
  });

  test("its side bar has the parts in their order, with the titles of the pages", async () => {
    await page.setViewportSize(DESKTOP);
    await open("guides/get-started");
    const texts = await page.locator(".VPSidebar h2.text").allInnerTexts();
    expect(texts).toEqual(PARTS.map(({ title }) => title));
    const links = await page.locator(".VPSidebar a .text").allInnerTexts();
    expect(links).toContain("Take a first payment");
    expect(links.filter((text) => /\.md$|^[a-z-]+$/.test(text))).toEqual([]);
  });

  test("llms.txt lists every page, and llms-full.txt has their text", () => {
    const list = readFileSync(`${SITE}/llms.txt`, "utf8");
    for (const { path } of MANUAL) expect(list).toContain(`${path}.md`);
    expect(readFileSync(`${SITE}/llms-full.txt`, "utf8")).toContain("Take a first payment");
  });
});
