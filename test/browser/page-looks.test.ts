import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { DESKTOP, NARROW, type PageWorld, PHONE, worldInBrowser } from "./page-world.ts";

const ARTEFACTS = new URL("./artefacts/", import.meta.url);
const SCHEMES = ["light", "dark"] as const;

/** What the page looks like when; each opens all that is folded there. */
const STATES: Readonly<Record<string, (world: PageWorld) => Promise<void>>> = {
  empty: async ({ page }) => {
    await page.locator("#connect").waitFor();
  },
  "prompt open": async ({ page, pay }) => {
    const reference = await pay({ description: "Viatu, size 42" });
    await page.locator(`#payment-${reference} > a`).click();
    await page.locator(`#payment-detail-${reference}`).waitFor();
  },
  settled: async ({ page, pay, receive, sandbox }) => {
    await receive((_, response) => response.end(), ["payment.initiated", "payment.completed"]);
    const reference = await pay();
    sandbox.phone(PHONE).approve();
    await pay({ phone: "0733000000" });
    sandbox.phone("0733000000").cancel();
    await page.locator(`#payment-${reference} > a`).click();
    await page.locator("#deliveries .badge.good").first().waitFor();
  },
  "delivery refused": async ({ page, pay, receive, sandbox, served }) => {
    await receive((_, response) => response.writeHead(401).end('{"ResultCode":1}'));
    await fetch(`${served.baseUrl}/merchant`, { headers: { "x-api-key": "sk_wrong" } });
    await pay();
    sandbox.phone(PHONE).approve();
    sandbox.faults.add({ effect: { kind: "status", status: 503 }, after: 3 });
    await page.locator("#deliveries .row > a").click();
    await page.getByRole("button", { name: "Send again" }).waitFor();
  },
  "switched off": async ({ page, sandbox }) => {
    sandbox.phone(PHONE).switchOff();
    await page.getByText("Switched off").waitFor();
  },
};

const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll("details")) one.open = true;
  });

describe.skipIf(!hasChromium)("the looks of the sandbox's page", () => {
  const { world, open } = worldInBrowser();

  const widest = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

  describe.each(Object.entries(STATES))("%s", (name, arrange) => {
    test("passes axe by day and by night, folded and unfolded, wide and narrow, and fits", async () => {
      await open();
      const { page } = world;
      await arrange(world);
      for (const viewport of [DESKTOP, NARROW]) {
        await page.setViewportSize(viewport);
        expect(await widest(page)).toBe(viewport.width);
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          const file = `${name.replaceAll(" ", "-")}-${viewport.width}-${colorScheme}.png`;
          await page.screenshot({ path: new URL(file, ARTEFACTS).pathname, fullPage: true });
        }
      }
      await unfold(page);
      expect(await widest(page)).toBe(NARROW.width);
      // The policy lets no script of ours in; the debugger is above it.
      await page.evaluate(axe.source);
      for (const viewport of [NARROW, DESKTOP]) {
        await page.setViewportSize(viewport);
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          const found = await page.evaluate(async () => {
            const { violations } = await (
              globalThis as unknown as { axe: typeof import("axe-core") }
            ).axe.run();
            return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
          });
          expect([viewport.width, colorScheme, found]).toEqual([viewport.width, colorScheme, []]);
        }
      }
    });
  });

  test("has every part within reach on a narrow screen, and a prompt whole above the fold", async () => {
    await open({ viewport: NARROW, hasTouch: true });
    const { page, pay } = world;
    await pay({ description: "Unbreakable".repeat(50), account_reference: "WWWWWWWWWWWW" });
    const send = page.locator("#phone").getByRole("button", { name: "Send", exact: true });
    await send.waitFor();
    await expect
      .poll(async () => {
        const box = await send.boundingBox();
        return (box?.y ?? 999) + (box?.height ?? 0);
      })
      .toBeLessThan(NARROW.height - 50);
    expect(await send.evaluate((one) => one.getBoundingClientRect().right)).toBeLessThan(350);
    expect(await widest(page)).toBe(NARROW.width);
    // As large as a phone of 2016 shows it, or a desk at 400 %.
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await widest(page)).toBe(320);
    await page.setViewportSize(NARROW);
    for (const [part, heading] of [
      ["Deliveries", "Webhook deliveries"],
      ["Payments", "Payments"],
    ] as const) {
      await page.locator(".shortcuts").getByRole("link", { name: part }).tap();
      await expect
        .poll(async () => (await page.getByRole("heading", { name: heading }).boundingBox())?.y)
        .toBeLessThan(NARROW.height);
    }
  });

  test("holds still where motion is to be reduced", async () => {
    await open({ reducedMotion: "reduce" });
    await world.pay();
    await world.page.locator(".dialog").waitFor();
    const moving = await world.page.evaluate(() => document.getAnimations().length);
    expect(moving).toBe(0);
  });
});
