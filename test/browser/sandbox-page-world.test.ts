import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { PHONE, sandboxPageSuite } from "./sandbox-page.ts";

describe.skipIf(!hasChromium)("what a person sets up on the sandbox's page", () => {
  const open = sandboxPageSuite();

  test("says at the field why an address is rejected, and completes one without a scheme", async () => {
    const { page, pay, prompt, sandbox } = await open();
    const form = page.getByRole("form", { name: "Register a receiver" });
    const field = form.getByLabel("Address of your receiver");
    await field.fill("http://shop.example/hook");
    await form.getByRole("button", { name: "Register" }).click();
    await form.getByRole("alert").getByText("422: url").waitFor();
    expect(await page.locator("#flash").isVisible()).toBe(false);
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect(await field.inputValue()).toBe("http://shop.example/hook");
    // It stays during an update, until it is corrected.
    sandbox.phone(PHONE).setBalance(1);
    await page.getByText("KES 1.00").waitFor({ state: "attached" });
    await form.getByRole("alert").getByText("422: url").waitFor();
    await field.fill("localhost:3999/hook");
    await expect.poll(() => form.locator("[data-error]").textContent()).toBe("");
    await field.press("Enter");
    await page.locator("#deliveries").getByText("http://localhost:3999/hook").waitFor();
    await pay();
    await prompt.waitFor();
  });

  test("sends a test event, and says what the receiver returned", async () => {
    const { page, receive, deliveries } = await open();
    let status = 401;
    await receive((_, response) => response.writeHead(status).end());
    const send = page.getByRole("button", { name: /^Send test event to/ });
    await send.click();
    await page.getByText("payment.completed was sent, and the receiver returned 401.").waitFor();
    await page.locator("#deliveries .detail").getByText("Wrong secret, most likely").waitFor();
    status = 200;
    await send.click();
    await page.getByText("payment.completed was sent, and the receiver returned 200.").waitFor();
    await deliveries.first().getByText("Delivered").waitFor();
    await deliveries.first().getByText("TEST").waitFor();
  });

  test("sends everything again that failed", async () => {
    const { page, receive, pay, deliveries } = await open();
    let status = 500;
    await receive((_, response) => response.writeHead(status).end(), ["payment.initiated"]);
    await pay();
    await pay({ phone: "0733000000" });
    const groups = page.locator("#deliveries .groups");
    await groups.getByText("the receiver failed with 500").waitFor();
    await deliveries.nth(1).waitFor();
    status = 200;
    await page.locator("#deliveries .filters").getByText("Retrying").click();
    await page.getByRole("button", { name: /Resend undelivered/ }).click();
    await page.getByText("Sent 2 again; 2 of them are delivered.").waitFor();
    await page.getByRole("button", { name: /Resend undelivered/ }).waitFor({ state: "detached" });
    await page.getByText("Nothing matches.").waitFor();
  });

  test("says which deliveries chaos touched", async () => {
    const { page, receive, pay, deliveries } = await open();
    await receive((_, response) => response.end(), ["payment.initiated"]);
    const twice = page.getByRole("button", { name: /Webhook twice/ });
    await twice.click();
    await page.locator("#faults").getByText("deliveries are sent twice (always)").waitFor();
    expect(await twice.getAttribute("aria-pressed")).toBe("true");
    await pay();
    await deliveries.first().getByText("chaos: duplicate").waitFor();
    await twice.click();
    await page.locator("#faults").getByText("no fault is active").waitFor();
  });

  test("shows only the fields that the effect of a fault has", async () => {
    const { page } = await open();
    await page.getByText("Another fault").click();
    const visible = async () => [
      await page.getByLabel("Status", { exact: true }).isVisible(),
      await page.getByLabel("Delay, ms").isVisible(),
    ];
    expect(await visible()).toEqual([true, false]);
    await page.getByLabel("Effect").selectOption("latency");
    expect(await visible()).toEqual([false, true]);
    await page.getByLabel("Effect").selectOption("hang");
    expect(await visible()).toEqual([false, false]);
  });

  test("saves a scene, resets after a question, keeps the receivers, and returns", async () => {
    const { page, receive, pay, payments } = await open();
    const url = await receive((_, response) => response.end());
    await pay();
    const scenes = page.locator("#scenes");
    await scenes.getByLabel("Name").fill("one order");
    await scenes.getByRole("button", { name: "Save" }).click();
    await scenes.getByText("one order", { exact: true }).waitFor();
    await pay({ phone: "0733000000" });
    await payments.nth(1).waitFor();
    await scenes.getByText("Start over").click();
    await scenes.getByRole("button", { name: "Reset the sandbox" }).click();
    await page.getByText("Make your first payment").waitFor();
    await page.locator("#deliveries").getByText(url).waitFor();
    await page.getByRole("button", { name: "Load the scene before the reset" }).click();
    await payments.nth(1).waitFor();
    await page.getByRole("button", { name: "Load the scene one order" }).click();
    await expect.poll(() => payments.count()).toBe(1);
    await page.getByRole("button", { name: "Remove the scene one order" }).click();
    await scenes.getByText("one order", { exact: true }).waitFor({ state: "detached" });
  });

  test("copies what an application needs as .env", async () => {
    const { page, sandbox, served } = await open({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: "Copy as .env" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `MALIPO_BASE_URL=${served.baseUrl}\nMALIPO_API_KEY=${sandbox.keys.secret}\nMALIPO_WEBHOOK_SECRET=${sandbox.webhookSecret}\n`,
    );
  });

  test("does all of this without JavaScript", async () => {
    const { page, receive, served, sandbox } = await open({ javaScriptEnabled: false });
    await receive((_, response) => response.end());
    await page.reload();
    const register = page.locator("#connect").getByRole("form", { name: "Register a receiver" });
    await register.getByLabel("Address of your receiver").fill("http://shop.example/hook");
    await register.getByRole("button", { name: "Register" }).click();
    await register.getByText("422: url").waitFor();
    expect(await register.getByLabel("Address of your receiver").inputValue()).toBe(
      "http://shop.example/hook",
    );
    await page.locator("#requests .filters").getByText("4xx").click();
    expect(new URL(page.url()).searchParams.get("requests-only")).toBe("4xx");
    await page.getByText("The same as .env").click();
    await page.getByText(`MALIPO_BASE_URL=${served.baseUrl}`).waitFor();
    await page.getByRole("button", { name: /^Send test event/ }).click();
    await page.getByText("the receiver returned 200").waitFor();
    await page.getByRole("button", { name: /Gateway down/ }).click();
    await page.locator("#alarm").waitFor();
    await page.getByRole("button", { name: "Clear all faults" }).click();
    await page.locator("#scenes").getByLabel("Name").fill("no/good");
    await page.locator("#scenes").getByRole("button", { name: "Save" }).click();
    await page.locator("#scenes").getByText("The name of a scene must have").waitFor();
    await page.locator("#scenes").getByText("Start over").click();
    await page.getByRole("button", { name: "Reset the sandbox" }).click();
    await page.getByText("To undo it, load the scene").first().waitFor();
    await page.getByRole("button", { name: "Load the scene before the reset" }).click();
    expect(sandbox.deliveries.all()).toHaveLength(1);
  });
});
