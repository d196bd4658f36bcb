import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { sandboxPageSuite } from "./sandbox-page.ts";

describe.skipIf(!hasChromium)("the requests on the sandbox's page", () => {
  const open = sandboxPageSuite();

  test("lists every request with its caller, its status and its error, and opens one", async () => {
    const { page, served, pay } = await open();
    const reference = await pay();
    await fetch(`${served.baseUrl}/merchant`, {
      headers: { "x-api-key": "sk_wrong", "user-agent": "shop/1.4" },
    });
    const rows = page.locator("#requests .row");
    await rows.nth(1).waitFor();
    expect(await rows.nth(0).textContent()).toMatch(
      /GET \/merchant.*401.*unknown key.*shop\/1\.4/s,
    );
    await rows.nth(0).getByText("key").first().waitFor();
    await rows.nth(1).getByText("POST /mobile-money/payment/initiate").click();
    const detail = page.locator("#requests .detail");
    await detail.getByText(`"reference": "${reference}"`).waitFor();
    expect(await detail.locator("pre").last().innerText()).toMatch(/\{\n {2}"/);
    await detail.getByRole("link", { name: "Payment ORDER-42" }).click();
    await page.locator(`#payment-detail-${reference}`).waitFor();
  });

  test("tells an error that came more than once in one place", async () => {
    const { page, served } = await open();
    const rows = page.locator("#requests .row");
    for (const number of [1, 2, 3]) {
      await fetch(`${served.baseUrl}/merchant`, { headers: { "x-api-key": "sk_wrong" } });
      await rows.nth(number - 1).waitFor();
    }
    await page.locator("#requests .groups").getByText("3 times").waitFor();
    expect(await page.locator("#requests .row-why").count()).toBe(0);
    await page.locator("#requests .groups a").click();
    await page.locator("#requests .row-why").nth(2).waitFor();
  });

  test("shows only those with a status, and goes on after a reload", async () => {
    const { page, served, pay } = await open();
    await pay();
    for (const path of ["/nothing", "/merchant"]) await fetch(served.baseUrl + path);
    const rows = page.locator("#requests .row");
    await rows.nth(2).waitFor();
    await page.locator("#requests .filters").getByText("4xx").click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await page.locator("#requests .filters [aria-current]").getByText("4xx").waitFor();
    expect(await rows.count()).toBe(2);
  });

  test("copies a request as a command that works", async () => {
    const { page, pay } = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    await pay();
    await page.locator("#requests .row-head").click();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByText("Copied").waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain('-H "X-API-Key: $MALIPO_API_KEY"');
    expect(command).toContain(`-d '{"amount":1500,`);
    await page.getByText("Copy as curl").waitFor();
  });

  test("says which faults a request and its payment met", async () => {
    const { page, pay, payments } = await open();
    await pay();
    await page.getByRole("button", { name: /Response lost/ }).click();
    await page.locator("#alarm").getByText("1 fault is active").waitFor();
    await pay({ phone: "0733000000" }).catch(() => "");
    await page.locator("#requests .row").first().getByText("lostResponse").waitFor();
    await payments.first().getByText("lostResponse").waitFor();
    await page.locator("#alarm").waitFor({ state: "detached" });
    await page.locator("#requests .filters").getByText("With a fault").click();
    await expect.poll(() => page.locator("#requests .row").count()).toBe(1);
  });
});
