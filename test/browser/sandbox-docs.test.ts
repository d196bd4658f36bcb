import axe from "axe-core";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { browserForSuite } from "./browser-for-suite.ts";
import { DESKTOP, NARROW } from "./sandbox-page.ts";

const SCREENSHOTS = new URL("./artefacts/", import.meta.url);

describe.skipIf(!hasChromium)("the API page of a served sandbox", () => {
  const browser = browserForSuite();
  let served: ServedSandbox;
  beforeAll(async () => {
    served = await createSandbox().serve({ port: 0 });
  });
  afterAll(() => served?.close());

  test.each(["/docs", "/docs/control"])(
    "%s fits and passes axe, light and dark, wide and narrow, with nothing from elsewhere",
    async (path) => {
      const page = await (await browser().newContext()).newPage();
      const errors: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => errors.push(message.text()));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(served.url + path);
      await page.evaluate(axe.source);
      for (const viewport of [DESKTOP, NARROW]) {
        await page.setViewportSize(viewport);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(width).toBe(viewport.width);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          const name = `${path.slice(1).replace("/", "-")}-${viewport.width}-${colorScheme}.png`;
          await page.screenshot({ path: new URL(name, SCREENSHOTS).pathname });
          const found = await page.evaluate(async () => {
            const { violations } = await (
              globalThis as unknown as { axe: typeof import("axe-core") }
            ).axe.run();
            return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
          });
          expect([viewport.width, colorScheme, found]).toEqual([viewport.width, colorScheme, []]);
        }
      }
      expect(errors).toEqual([]);
      for (const url of requests) expect(url).toMatch(/^(?:data:|http:\/\/127\.0\.0\.1:)/);
    },
  );

  test("leads from an operation in the list to its place", async () => {
    const page = await (await browser().newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(`${served.url}/docs`);
    const link = page.getByRole("navigation", { name: "Operations" });
    await link.getByRole("link", { name: "POST /mobile-money/payment/initiate" }).click();
    const article = page.getByRole("article", { name: "POST /mobile-money/payment/initiate" });
    await expect.poll(async () => (await article.boundingBox())?.y ?? -1).toBeLessThan(200);
    expect(await article.textContent()).toContain('-d \'{"amount":100,"phone":"0712345678"');
  });
});
