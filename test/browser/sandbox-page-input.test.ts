import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { sandboxPageSuite } from "./sandbox-page.ts";

describe.skipIf(!hasChromium)("input on the sandbox's page", () => {
  const open = sandboxPageSuite();

  const status = (page: Page, text: string) => page.locator("#payments .row-head").getByText(text);

  /** Presses Tab until this has the focus. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((one) => document.activeElement?.matches(one), selector)) return;
    }
    throw new Error(`Tab never reaches ${selector}.`);
  }

  test("works with only the keyboard: a payment, its PIN, its detail, a delivery that is sent again", async () => {
    const { page, prompt, receive } = await open();
    let responseStatus = 500;
    await receive((_, response) => response.writeHead(responseStatus).end());
    await tabTo(page, "#pay-here > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, '#connect input[name="amount"]');
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("250");
    await page.keyboard.press("Enter");
    await prompt.getByText("KES 250.00").waitFor();
    // The form is gone with the first steps, and the phone has the focus.
    await tabTo(page, ".pin-field");
    await page.keyboard.type("1234");
    await page.keyboard.press("Enter");
    await status(page, "Completed").waitFor();
    // The prompt is gone with its field, and the phone still has the focus.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("phone-title");
    await tabTo(page, "#payments .row-head");
    // A payment that is started here is open at once. It folds and unfolds.
    for (const state of ["detached", "visible"] as const) {
      await page.keyboard.press("Enter");
      await page.locator("#payments .timeline").waitFor({ state });
    }
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("row-head");
    responseStatus = 200;
    await tabTo(page, "#deliveries .row-head");
    await page.keyboard.press("Enter");
    await page.locator("#deliveries .detail").waitFor();
    await tabTo(page, "#deliveries .detail form button");
    await page.keyboard.press("Enter");
    await page.locator("#deliveries .badge").getByText("Delivered").waitFor();
  });

  test("works with only the keyboard: a scene, a reset that is undone, and where the focus goes", async () => {
    const { page, pay, payments } = await open();
    await pay();
    await payments.first().waitFor();
    const focusedPane = () =>
      page.evaluate(() => document.activeElement?.closest("section[id]")?.id);
    await tabTo(page, '#scenes input[name="name"]');
    await page.keyboard.type("one");
    await page.keyboard.press("Enter");
    await page.locator("#scenes li").getByText("one", { exact: true }).waitFor();
    await tabTo(page, "#reset-more > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, "#reset-more button");
    await page.keyboard.press("Enter");
    await page.getByText("Make your first payment").waitFor();
    expect(await focusedPane()).toBe("scenes");
    await tabTo(page, '[aria-label="Remove the scene one"]');
    await page.keyboard.press("Enter");
    await page
      .locator("#scenes li")
      .getByText("one", { exact: true })
      .waitFor({ state: "detached" });
    await expect.poll(focusedPane).toBe("scenes");
    await page.keyboard.press("Shift+Tab");
    await tabTo(page, '[aria-label="Load the scene before the reset"]');
    await page.keyboard.press("Enter");
    await payments.first().waitFor();
  });

  test("works without JavaScript", async () => {
    const { page, prompt, pin, receive, sandbox, pay } = await open({ javaScriptEnabled: false });
    const statuses = [500, 200];
    const url = await receive((_, response) => response.writeHead(statuses.shift() ?? 200).end());
    await page.reload();
    await page.locator("#pay-here summary").click();
    await page.getByRole("button", { name: "Send the prompt" }).click();
    expect(await page.locator("#flash").textContent()).toBe("A prompt was sent to 0712 345 678.");
    await pin.fill("12");
    await prompt.getByRole("button", { name: "Send", exact: true }).click();
    // The browser checks that a PIN has four digits.
    expect(await status(page, "Pending").count()).toBe(1);
    await pin.fill("1234");
    await prompt.getByRole("button", { name: "Send", exact: true }).click();
    expect(await page.locator("#flash").textContent()).toBe("Paid.");
    await status(page, "Completed").waitFor();
    await sandbox.deliveries.settled();
    await page.getByRole("link", { name: "Reload" }).click();
    await page.locator("#deliveries .row-head").click();
    await page.getByText("Not 200: the receiver failed with 500").first().waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("Sent again, and the receiver returned 200.").waitFor();
    await page.locator("#deliveries .badge").getByText("Delivered").waitFor();

    await pay();
    await page.reload();
    await prompt.getByRole("button", { name: "Cancel" }).click();
    await status(page, "Failed").waitFor();
    await pay();
    await page.reload();
    await page.getByRole("button", { name: /61 s/ }).click();
    await page.getByText("09:01:01").first().waitFor();
    await expect.poll(() => status(page, "Failed").count()).toBe(2);
    await page.getByRole("button", { name: `Remove the receiver ${url}` }).click();
    await page.getByText("No receiver is registered").waitFor();
    await page
      .locator("#deliveries")
      .getByLabel("Address of your receiver")
      .fill("http://shop.example/hook");
    await page.locator("#deliveries").getByRole("button", { name: "Register" }).click();
    expect(await page.locator("#flash.bad").textContent()).toContain("422: url:");
  });

  test("keeps what is typed, the focus, the scroll and what is unfolded during updates", async () => {
    const { page, pay, prompt, pin } = await open({ viewport: { width: 1280, height: 500 } });
    await pay({ account_reference: "MINE" });
    await prompt.getByText("MINE").waitFor();
    await page.getByText("Balance, auto-answer").click();
    await page.getByText("Connect your application").click();
    await page.getByPlaceholder("2h").fill("3h");
    await page.mouse.wheel(0, 200);
    await pin.pressSequentially("12");
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(50);
    const field = await pin.elementHandle();
    const scroll = await page.evaluate(() => scrollY);
    for (let count = 1; count <= 5; count++) {
      await pay({ phone: `073300000${count}`, account_reference: `OTHER-${count}` });
      await page.locator("#payments .row").nth(count).waitFor();
    }
    await page.keyboard.type("34");
    expect(await pin.inputValue()).toBe("1234");
    expect(await field?.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await page.evaluate(() => scrollY)).toBe(scroll);
    expect(await page.getByPlaceholder("2h").inputValue()).toBe("3h");
    for (const fold of ["#phone-more", "#connect-details"]) {
      expect(await page.locator(`${fold}[open]`).count()).toBe(1);
    }
  });

  test("opens the view that an address names, and goes back with the browser", async () => {
    const { page, served, pay } = await open();
    const reference = await pay();
    await page.locator("#payments .row-head").click();
    await page.locator("#payments .timeline").waitFor();
    await page.goBack();
    await page.locator("#payments .timeline").waitFor({ state: "detached" });
    await page.goto(
      `${served.url}/?payment=${reference}&phone=0733000000&payments=99&payments-only=x&flash=7`,
    );
    await page.getByText("Nothing matches.").waitFor();
    await page.locator("#phone").getByText("Thu 1 January, Airtel").waitFor();
  });

  test("takes only digits for a PIN", async () => {
    const { pay, pin } = await open();
    await pay();
    await pin.pressSequentially("1a2 b-3456");
    expect(await pin.inputValue()).toBe("1234");
  });

  test("disables its controls when the sandbox has stopped, says how to start it, and goes on when it is back", async () => {
    const { page, served, sandbox, prompt, pin, pay, errors } = await open();
    await pay({ account_reference: "FIRST" });
    await pin.waitFor();
    await served.close();
    await page.getByText("The sandbox has stopped.").waitFor();
    await page.getByText("npm run sandbox").waitFor();
    const controls = page.locator("#live form :is(button, input, select)");
    for (const control of await controls.all()) expect(await control.isDisabled()).toBe(true);
    await page.locator("#payments .row-head").click();
    expect(new URL(page.url()).search).toBe("");
    sandbox.phone("0712345678").cancel();
    const again = await sandbox.serve({ port: served.port });
    await page.getByText("live", { exact: true }).waitFor();
    expect(await page.getByText("The sandbox has stopped.").isVisible()).toBe(false);
    await pay();
    await prompt.getByText("KES 1,500.00").waitFor();
    await pin.fill("1234");
    await pin.press("Enter");
    await page.getByText("Paid.", { exact: true }).waitFor();
    await page.close();
    await again.close();
    errors.length = 0; // the connections that this test closed
  });
});
