import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { encodeProfile } from "../../src/profile/file-format.ts";
import { EMPTY_PROFILE } from "../../src/profile/profile-types.ts";
import { hasChromium } from "../support/chromium.ts";
import { checkSchemes } from "./check-look.ts";
import { takePictures } from "./contact-sheet.ts";
import { DESKTOP, NARROW, PHONE, type SandboxPage, sandboxPageSuite } from "./sandbox-page.ts";

/** A small phone, or a desktop at a zoom of 400 %. */
const SMALLEST = 320;

/** The states in which the page is checked. */
const STATES: Readonly<Record<string, (sandboxPage: SandboxPage) => Promise<void>>> = {
  empty: async ({ page }) => {
    await page.locator("#connect").waitFor();
  },
  "prompt open": async ({ page, pay }) => {
    const reference = await pay({ description: "Viatu, size 42" });
    await page.locator(`#payment-${reference} > a`).click();
    await page.locator(`#payment-detail-${reference}`).waitFor();
  },
  "final payments": async ({ page, pay, receive, sandbox }) => {
    await receive((_, response) => response.end(), ["payment.initiated", "payment.completed"]);
    const reference = await pay();
    sandbox.phone(PHONE).approve();
    await pay({ phone: "0733000000" });
    sandbox.phone("0733000000").cancel();
    await page.locator(`#payment-${reference} > a`).click();
    await page.locator("#deliveries .badge.good").first().waitFor();
  },
  "delivery failed": async ({ page, pay, receive, sandbox, served }) => {
    await receive((_, response) => response.writeHead(401).end('{"ResultCode":1}'));
    await fetch(`${served.baseUrl}/merchant`, { headers: { "x-api-key": "sk_wrong" } });
    await pay();
    sandbox.phone(PHONE).approve();
    sandbox.faults.add({ effect: { kind: "status", status: 503 }, after: 3 });
    await page.locator("#deliveries .row > a").click();
    await page.getByRole("button", { name: "Send again" }).waitFor();
  },
  "request open": async ({ page, pay, served }) => {
    await pay();
    const headers = { "x-api-key": "sk_wrong", "user-agent": "shop/1.4" };
    await fetch(`${served.baseUrl}/merchant`, { headers });
    await page.locator("#requests .row:has(.badge.bad) > a").click();
    await page.getByRole("button", { name: "Copy as curl" }).waitFor();
  },
  "faults active": async ({ page, pay, receive, sandbox }) => {
    await receive((_, response) => response.end(), ["payment.initiated"]);
    sandbox.chaos({ duplicate: 1, delay: 0.25, reorder: 0.1, seed: "tuesday" });
    sandbox.faults.add({ effect: { kind: "lostResponse" }, after: 1 });
    sandbox.faults.add({ effect: { kind: "latency", ms: 5 }, times: 3 });
    await pay();
    await page.locator("#deliveries .row-fault").waitFor();
  },
  scenes: async ({ page, pay }) => {
    await pay();
    for (const name of ["one order", "a scene with a name of forty characters"]) {
      await page.locator("#scenes").getByLabel("Name").fill(name);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText(`The scene ${name} is saved.`).waitFor();
    }
    await page.getByText("Start over").click();
  },
  "many phones": async ({ page, pay, sandbox }) => {
    for (const last of [1, 2, 3, 4, 5]) await pay({ phone: `073300000${last}` });
    await sandbox.clock.advance("2h");
    await page.locator("#payments .groups").getByText("5 times").waitFor();
  },
  stopped: async ({ page, pay, served }) => {
    await pay();
    await page.locator("#payments .row").waitFor();
    await served.close();
    await page.getByText("The sandbox has stopped.").waitFor();
  },
  "with a profile": async ({ page }) => {
    await page.locator("#service > details > summary").click();
    await page.getByText("parts are learned").waitFor();
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

/** A service with lists under `items`, numeric ids and a retry schedule. */
const PROFILE = encodeProfile({
  ...EMPTY_PROFILE,
  runs: { "0123abcd": { by: ["probe"], requests: 2, deliveries: 0 } },
  endpoints: {
    "GET /invoices": {
      200: {
        seen: { "0123abcd": 2 },
        headers: {},
        body: {
          $: { types: { object: { "0123abcd": 2 } } },
          items: { types: { array: { "0123abcd": 2 } } },
          total: { types: { number: { "0123abcd": 2 } }, formats: ["integer"] },
        },
      },
    },
  },
});

describe.skipIf(!hasChromium)("the layout of the sandbox's page", () => {
  const open = sandboxPageSuite();

  const widest = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

  describe.each(Object.entries(STATES))("%s", (name, arrange) => {
    test("fits and passes axe, light and dark, wide and narrow", async () => {
      const sandboxPage = await open({}, name === "with a profile" ? { profile: PROFILE } : {});
      const { page } = sandboxPage;
      await arrange(sandboxPage);
      await page.emulateMedia({ reducedMotion: "reduce" });
      for (const viewport of [DESKTOP, NARROW]) {
        await page.setViewportSize(viewport);
        expect(await widest(page)).toBe(viewport.width);
        await takePictures(page, `${name.replaceAll(" ", "-")}-${viewport.width}`);
      }
      await unfold(page);
      for (const width of [NARROW.width, SMALLEST]) {
        await page.setViewportSize({ ...NARROW, width });
        expect(await widest(page)).toBe(width);
      }
      // The policy blocks a script of the test, but not one that the debugger evaluates.
      await page.evaluate(axe.source);
      for (const viewport of [NARROW, DESKTOP]) {
        await page.setViewportSize(viewport);
        await checkSchemes(page, name);
      }
      if (name === "stopped") {
        await page.close();
        sandboxPage.errors.length = 0; // the connections that this test closed
      }
    });
  });

  test("has links to every part on a narrow screen, and shows a whole prompt without scrolling", async () => {
    const { page, pay } = await open({ viewport: NARROW, hasTouch: true });
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
    await page.setViewportSize({ width: SMALLEST, height: 640 });
    expect(await widest(page)).toBe(SMALLEST);
    await page.setViewportSize(NARROW);
    for (const [part, heading] of [
      ["Webhooks", "Webhook deliveries"],
      ["Payments", "Payments"],
    ] as const) {
      await page.locator(".shortcuts").getByRole("link", { name: part }).tap();
      await expect
        .poll(async () => (await page.getByRole("heading", { name: heading }).boundingBox())?.y)
        .toBeLessThan(NARROW.height);
    }
  });

  test("has each phone in sight, and none of them covers another", async () => {
    const { page, pay } = await open({ viewport: NARROW });
    for (const last of [1, 2, 3, 4, 5]) await pay({ phone: `073300000${last}` });
    const tabs = page.locator("#phone nav a");
    await expect.poll(() => tabs.count()).toBeGreaterThan(4);
    await tabs.last().click();
    await tabs.last().and(page.locator("[aria-current]")).waitFor();
    const boxes = await tabs.evaluateAll((all) =>
      all.map((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        // The ring of the chosen one is a pixel outside of it.
        return { left: left - 1, right: right + 1, top: top - 1, bottom: bottom + 1 };
      }),
    );
    for (const [at, one] of boxes.entries()) {
      expect(one.left).toBeGreaterThanOrEqual(0);
      expect(one.right).toBeLessThanOrEqual(NARROW.width);
      for (const other of boxes.slice(at + 1)) {
        const isBeside = one.right <= other.left || one.left >= other.right;
        expect(isBeside || one.bottom <= other.top || one.top >= other.bottom).toBe(true);
      }
    }
  });

  test("has no animation with reduced motion", async () => {
    const { pay, page } = await open({ reducedMotion: "reduce" });
    await pay();
    await page.locator(".dialog").waitFor();
    const moving = await page.evaluate(() => document.getAnimations().length);
    expect(moving).toBe(0);
  });
});
