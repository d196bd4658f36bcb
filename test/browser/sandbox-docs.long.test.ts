import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { browserForSuite } from "./browser-for-suite.ts";
import { checkLook } from "./check-look.ts";

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
      await checkLook(page, path.slice(1).replace("/", "-"));
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
    expect(await article.textContent()).toContain('-d \'{"amount":100,"phone":"254712345678"');
  });
});
