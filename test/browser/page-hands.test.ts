import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { worldInBrowser } from "./page-world.ts";

describe.skipIf(!hasChromium)("the sandbox's page in other hands", () => {
  const { world, open } = worldInBrowser();

  const dialog = () => world.page.locator("#phone .dialog");
  const pin = () => dialog().getByLabel("PIN", { exact: true });
  const status = (text: string) => world.page.locator("#payments .row-head").getByText(text);

  /** Presses Tab until this has the focus. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((one) => document.activeElement?.matches(one), selector)) return;
    }
    throw new Error(`Tab never comes to ${selector}`);
  }

  test("is worked by the keyboard alone: a payment, its PIN, its detail, a delivery sent again", async () => {
    await open();
    const { page } = world;
    let answer = 500;
    await world.receive((_, response) => response.writeHead(answer).end());
    await tabTo(page, "#pay-here > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, '#connect input[name="amount"]');
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("250");
    await page.keyboard.press("Enter");
    await dialog().getByText("KES 250.00").waitFor();
    // The form has gone with the first steps, and the focus has gone to the phone.
    await tabTo(page, ".pin-field");
    await page.keyboard.type("1234");
    await page.keyboard.press("Enter");
    await status("Completed").waitFor();
    // The prompt has gone with its field, and the focus has stayed with the phone.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("phone-title");
    await tabTo(page, "#payments .row-head");
    // What one starts here is open at once; it folds, and unfolds.
    for (const state of ["detached", "visible"] as const) {
      await page.keyboard.press("Enter");
      await page.locator("#payments .timeline").waitFor({ state });
    }
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("row-head");
    answer = 200;
    await tabTo(page, "#deliveries .row-head");
    await page.keyboard.press("Enter");
    await page.locator("#deliveries .detail").waitFor();
    await tabTo(page, "#deliveries .detail form button");
    await page.keyboard.press("Enter");
    await page.locator("#deliveries .badge").getByText("Delivered").waitFor();
  });

  test("works without JavaScript, by forms", async () => {
    await open({ javaScriptEnabled: false });
    const { page } = world;
    const answers = [500, 200];
    const url = await world.receive((_, response) =>
      response.writeHead(answers.shift() ?? 200).end(),
    );
    await page.reload();
    await page.locator("#pay-here summary").click();
    await page.getByRole("button", { name: "Send the prompt" }).click();
    expect(await page.locator("#said").textContent()).toBe("A prompt went out to 0712 345 678.");
    await pin().fill("12");
    await dialog().getByRole("button", { name: "Send", exact: true }).click();
    // The browser itself says that a PIN has four digits.
    expect(await status("Pending").count()).toBe(1);
    await pin().fill("1234");
    await dialog().getByRole("button", { name: "Send", exact: true }).click();
    expect(await page.locator("#said").textContent()).toBe("Paid.");
    await status("Completed").waitFor();
    await world.sandbox.deliveries.settled();
    await page.getByRole("link", { name: "Look again" }).click();
    await page.locator("#deliveries .row-head").click();
    await page.getByText("Not 200: the receiver failed with 500").first().waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("Sent again: answered 200.").waitFor();
    await page.locator("#deliveries .badge").getByText("Delivered").waitFor();

    await world.pay();
    await page.reload();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await status("Failed").waitFor();
    await world.pay();
    await page.reload();
    await page.getByRole("button", { name: "61 s" }).click();
    await page.getByText("09:01:01").first().waitFor();
    await expect.poll(() => status("Failed").count()).toBe(2);
    await page.getByRole("button", { name: `Remove the receiver ${url}` }).click();
    await page.getByText("No receiver is registered").waitFor();
    await page.locator("#deliveries").getByLabel("Your receiver").fill("http://shop.example/hook");
    await page.locator("#deliveries").getByRole("button", { name: "Register" }).click();
    expect(await page.locator("#said.bad").textContent()).toContain("422: url:");
  });

  test("keeps what is typed, the focus, the scroll and what is unfolded while things happen", async () => {
    await open({ viewport: { width: 1280, height: 500 } });
    const { page, pay } = world;
    await pay({ account_reference: "MINE" });
    await dialog().getByText("MINE").waitFor();
    await page.getByText("Balance and habit").click();
    await page.getByText("Connect your application").click();
    await page.getByPlaceholder("2h").fill("3h");
    await page.mouse.wheel(0, 200);
    await pin().pressSequentially("12");
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(50);
    const field = await pin().elementHandle();
    const scroll = await page.evaluate(() => scrollY);
    for (let count = 1; count <= 5; count++) {
      await pay({ phone: `073300000${count}`, account_reference: `OTHER-${count}` });
      await page.locator("#payments .row").nth(count).waitFor();
    }
    await page.keyboard.type("34");
    expect(await pin().inputValue()).toBe("1234");
    expect(await field?.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await page.evaluate(() => scrollY)).toBe(scroll);
    expect(await page.getByPlaceholder("2h").inputValue()).toBe("3h");
    for (const fold of ["#phone-more", "#connect-details"]) {
      expect(await page.locator(`${fold}[open]`).count()).toBe(1);
    }
  });

  test("comes back to the view that an address names, and goes back with the browser", async () => {
    await open();
    const { page, served } = world;
    const reference = await world.pay();
    await page.locator("#payments .row-head").click();
    await page.locator("#payments .timeline").waitFor();
    await page.goBack();
    await page.locator("#payments .timeline").waitFor({ state: "detached" });
    await page.goto(
      `${served.url}/?payment=${reference}&phone=0733000000&payments=99&status=x&note=7`,
    );
    await page.getByText("No payment fits.").waitFor();
    await page.locator("#phone").getByText("Thu 1 January, Airtel").waitFor();
  });

  test("says that the sandbox has stopped, and follows again when it is back", async () => {
    await open();
    const { page, served, sandbox } = world;
    await served.close();
    await page.getByText("the sandbox has stopped").waitFor();
    const again = await sandbox.serve({ port: served.port });
    await page.getByText("live", { exact: true }).waitFor();
    await world.pay();
    await dialog().getByText("KES 1,500.00").waitFor();
    await page.close();
    await again.close();
    (world.troubles as string[]).length = 0; // the connections that this test cut off
  });
});
