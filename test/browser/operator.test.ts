import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onNode, operatorHandler } from "malipo/operator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nightShift } from "../operator/stage.ts";
import { hasChromium } from "../support/chromium.ts";
import { browserForSuite } from "./browser-for-suite.ts";
import { checkLook } from "./check-look.ts";

describe.skipIf(!hasChromium)("the operator's page in a browser", () => {
  const browser = browserForSuite();
  let night: Awaited<ReturnType<typeof nightShift>>;
  let server: Server;
  let address: string;
  beforeAll(async () => {
    night = await nightShift();
    const { receiver, gateway } = night;
    const handler = operatorHandler({ receiver, gateway, authorize: () => true, actions: true });
    server = createServer(onNode(handler)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/operator`;
  });
  afterAll(() => server?.close());

  test("fits and passes axe, light and dark, wide and narrow, with nothing from elsewhere", async () => {
    const page = await (await browser().newContext()).newPage();
    const errors: string[] = [];
    page.on("console", (message) => errors.push(message.text()));
    page.on("request", (request) => expect(request.url()).toContain("http://127.0.0.1:"));
    await page.goto(address);
    await checkLook(page, "operator");
    await page.goto(`${address}?payment=${night.reference}`);
    await checkLook(page, "operator-payment");
    // The icon that a browser asks for on its own has another path.
    expect(errors.filter((text) => !text.includes("404"))).toEqual([]);
  });

  test("leads from an event to its payment, and works without JavaScript", async () => {
    const page = await (await browser().newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(address);
    await page.getByRole("link", { name: night.reference }).first().click();
    expect(await page.getByRole("heading", { level: 2 }).first().textContent()).toBe(
      `Payment ${night.reference}`,
    );
    await page.getByRole("link", { name: "Everything" }).click();
    const conflicts = page.getByRole("region", { name: "Conflicts" });
    await conflicts.getByRole("button", { name: "Drop" }).click();
    expect(await page.getByRole("status").textContent()).toBe(
      "What you chose was taken off the list.",
    );
    expect(await night.receiver.conflicts.list()).toHaveLength(0);
  });
});
