import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Sandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { PHONE, sandboxPageSuite } from "./sandbox-page.ts";

const run = promisify(execFile);

describe.skipIf(!hasChromium)("the sandbox's page", () => {
  const open = sandboxPageSuite();

  const statusOf = async (sandbox: Sandbox, reference: string) => {
    const url = `${sandbox.baseUrl}/payments/${reference}`;
    const headers = { "x-api-key": sandbox.keys.public };
    const { data } = await (await sandbox.fetch(url, { headers })).json();
    return data.status;
  };

  test("shows the first steps, and is updated as soon as they are done", async () => {
    const { page, served, sandbox, payments, phone } = await open();
    const { keys, webhookSecret } = sandbox;
    for (const text of [served.baseUrl, keys.secret, keys.public, keys.sandbox, webhookSecret]) {
      expect(await page.locator("#connect .settings").textContent()).toContain(text);
    }
    const curl = await page
      .locator("#connect .block [data-copy]")
      .first()
      .getAttribute("data-copy");
    // The command works as it is pasted.
    const { stdout } = await run("sh", ["-c", `${curl}`]);
    expect(JSON.parse(stdout).success).toBe(true);
    await phone.getByText("KES 1,500.00").waitFor();
    await payments.getByText("Pending").waitFor();
    expect(await page.title()).toBe("(1) malipo sandbox");
  });

  test("pays with four digits on the PIN pad", async () => {
    const { page, payments, phone, sandbox } = await open();
    await page.getByText("Or start one right here").click();
    await page.getByLabel("Description").first().fill("Viatu");
    await page.getByRole("button", { name: "Send the prompt" }).click();
    await phone.getByText("Viatu").waitFor();
    for (const key of ["1", "2", "9"]) await phone.locator(`[data-key="${key}"]`).click();
    await phone.getByRole("button", { name: "Delete the last digit" }).click();
    for (const key of ["3", "4", "5"]) await phone.locator(`[data-key="${key}"]`).click();
    expect(await phone.getByLabel("PIN", { exact: true }).inputValue()).toBe("1234");
    await phone.getByRole("button", { name: "Send", exact: true }).click();
    await phone.getByText("paid to Duka la Mfano for ORDER-42").waitFor();
    await payments.getByText("Completed").waitFor();
    // The event of the change may come before the response to the form, which has the message.
    await page.locator("#flash").getByText("Paid.", { exact: true }).waitFor();
    expect(sandbox.phone(PHONE).balance).toBe("98500.00");
  });

  test.each([
    ["Cancel", "You cancelled the request.", "1032: the customer cancelled the request"],
    ["Wrong PIN", "The PIN was wrong.", "2001: the PIN was wrong"],
  ])(
    "fails a payment by %s, tells the customer why, and the merchant",
    async (button, message, reason) => {
      const { payments, phone, pay, sandbox } = await open();
      const reference = await pay();
      await phone.getByRole("button", { name: button, exact: true }).click();
      await phone.getByText(message).waitFor();
      await payments.getByText("Failed").waitFor();
      await payments.getByText(reason).waitFor();
      expect(await statusOf(sandbox, reference)).toBe("failed");
    },
  );

  test("counts down, and lets a prompt expire when the clock is advanced", async () => {
    const { payments, phone, pay, page } = await open();
    await pay();
    await phone.getByText("60 s", { exact: true }).waitFor();
    await page.getByRole("button", { name: /10 s/ }).click();
    await phone.getByText("50 s", { exact: true }).waitFor();
    await page.getByText("virtual, advanced by 10 s").waitFor();
    await page.getByRole("button", { name: /61 s/ }).click();
    await phone.getByText("We could not reach your phone").waitFor();
    await payments.getByText("Failed").waitFor();
  });

  test("counts down in real time, and says how far it was advanced", async () => {
    const { page, phone, pay } = await open({}, { clock: "real" });
    await page.getByText("real time", { exact: true }).waitFor();
    await pay();
    await phone.getByText(/^5[0-8] s$/).waitFor();
    await page.getByRole("button", { name: /10 min/ }).click();
    await page.getByText("10 min ahead of real time").waitFor();
  });

  test("ignores, switches off and on, sets the balance and the automatic answer of a phone", async () => {
    const { page, sandbox, payments, phone, pay } = await open();
    await pay();
    await phone.getByRole("button", { name: "Ignore" }).click();
    await phone.getByText("Ignored.").waitFor();
    await page.getByRole("button", { name: /61 s/ }).click();
    await payments.getByText("Failed").waitFor();
    await phone.getByRole("button", { name: "Switch off" }).click();
    await phone.getByText("Switched off").waitFor();
    await phone.getByRole("button", { name: "Switch on" }).click();
    await phone.getByRole("button", { name: "Switch off" }).waitFor();
    await phone.getByText("Balance, auto-answer").click();
    await phone.getByLabel("Balance").fill("20");
    await phone.getByLabel("Balance").press("Enter");
    await expect.poll(() => sandbox.phone(PHONE).balance).toBe("20.00");
    await phone.getByLabel("When it rings").selectOption("approve");
    await phone.getByRole("button", { name: "Set" }).last().click();
    await page.getByText("The auto-answer is set.").waitFor();
    await pay();
    await page.getByRole("button", { name: /10 s/ }).click();
    await phone.getByText("There is not enough money").waitFor();
  });

  test("shows several phones, each with its own prompt", async () => {
    const { page, phone, pay, sandbox } = await open();
    const first = await pay({ account_reference: "FIRST" });
    await phone.getByText("FIRST").waitFor();
    await pay({ phone: "0733000000", account_reference: "SECOND" });
    const tab = page.locator("#phone nav").getByRole("link", { name: /0733 000 000.*ringing/ });
    await tab.waitFor();
    // The first ringing phone stays on the page.
    expect(await phone.locator(".dialog").textContent()).toContain("FIRST");
    await tab.click();
    await phone.locator(".dialog").getByText("SECOND").waitFor();
    await phone.getByLabel("PIN", { exact: true }).fill("0000");
    await phone.getByLabel("PIN", { exact: true }).press("Enter");
    await phone.getByText("paid to Duka la Mfano for SECOND").waitFor();
    expect(await statusOf(sandbox, first)).toBe("pending");
  });

  test("does not pay another prompt than the one on the screen", async () => {
    const { phone, pay, page, sandbox, errors } = await open();
    await pay();
    await phone.getByText("KES 1,500.00").waitFor();
    await page.route(
      ({ pathname }) => pathname === "/",
      (route) => route.abort(),
    );
    sandbox.phone(PHONE).cancel();
    const second = await pay({ amount: 99_999 });
    await phone.getByLabel("PIN", { exact: true }).fill("1234");
    await phone.getByLabel("PIN", { exact: true }).press("Enter");
    await page.getByText("That prompt is closed").waitFor();
    expect(await statusOf(sandbox, second)).toBe("pending");
    // The requests that this test aborted are errors of the page, and the last one may be under way.
    await page.unrouteAll({ behavior: "wait" });
    await page.reload();
    errors.length = 0;
  });

  test("shows the history of a payment and its HTTP requests, with the key shortened", async () => {
    const { payments, receive, pay, page, sandbox } = await open();
    await receive((_, response) => response.end(), ["payment.initiated"]);
    const reference = await pay();
    await payments.first().locator("a").first().click();
    const detail = page.locator(`#payment-detail-${reference}`);
    await detail.getByText("Started by the merchant").waitFor();
    await detail.getByText("Waiting for the customer").waitFor();
    await detail.getByRole("link", { name: "payment.initiated" }).waitFor();
    await detail.getByText("POST /mobile-money/payment/initiate").first().click();
    const wire = (await detail.locator(".raw").textContent()) ?? "";
    const body = '{"amount":1500,"phone":"0712345678","account_reference":"ORDER-42"}';
    expect(wire.replaceAll(/\s/g, "")).toContain(body);
    expect(wire).toContain(`"reference": "${reference}"`);
    expect(wire).toContain("x-api-key: sk_sandbox…");
    expect(wire).not.toContain(sandbox.keys.secret);
  });

  test("starts chaos with rates and a seed, and ends it", async () => {
    const { page, sandbox } = await open();
    await page.getByText("Chaos: random faults").click();
    await page.getByLabel("Calls fail with 429 or 5xx").selectOption("always");
    await page.getByLabel("Seed").fill("tuesday");
    await page.getByRole("button", { name: "Start chaos" }).click();
    await page.getByText("Chaos: calls fail with 429 or 5xx (always), seed tuesday").waitFor();
    const merchant = () =>
      sandbox.fetch(`${sandbox.baseUrl}/merchant`, {
        headers: { "x-api-key": sandbox.keys.public },
      });
    expect((await merchant()).status).toBeGreaterThanOrEqual(429);
    await page.getByRole("button", { name: "End chaos" }).click();
    await page.getByText("no fault is active").waitFor();
    expect((await merchant()).status).toBe(200);
  });
});
