import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { PHONE, worldInBrowser } from "./page-world.ts";

const run = promisify(execFile);

describe.skipIf(!hasChromium)("the sandbox's page", () => {
  const { world, open } = worldInBrowser();

  const payments = () => world.page.locator("#payments .row");
  const phone = () => world.page.locator("#phone");
  const statusOf = async (reference: string) => {
    const url = `${world.sandbox.baseUrl}/payments/${reference}`;
    const headers = { "x-api-key": world.sandbox.keys.public };
    const { data } = await (await world.sandbox.fetch(url, { headers })).json();
    return data.status;
  };

  test("tells a newcomer what to do, and follows as soon as it is done", async () => {
    await open();
    const { page, served, sandbox } = world;
    const { keys, webhookSecret } = sandbox;
    for (const text of [served.baseUrl, keys.secret, keys.public, keys.sandbox, webhookSecret]) {
      expect(await page.locator("#connect .settings").textContent()).toContain(text);
    }
    const curl = await page
      .locator("#connect .block [data-copy]")
      .first()
      .getAttribute("data-copy");
    // What is to be pasted works as it stands.
    const { stdout } = await run("sh", ["-c", `${curl}`]);
    expect(JSON.parse(stdout).success).toBe(true);
    await phone().getByText("KES 1,500.00").waitFor();
    await payments().getByText("Pending").waitFor();
    expect(await page.title()).toBe("(1) malipo sandbox");
  });

  test("pays with four digits on the PIN pad", async () => {
    await open();
    const { page } = world;
    await page.getByText("Or start one right here").click();
    await page.getByLabel("Description").first().fill("Viatu");
    await page.getByRole("button", { name: "Send the prompt" }).click();
    await phone().getByText("Viatu").waitFor();
    for (const key of ["1", "2", "9"]) await phone().locator(`[data-key="${key}"]`).click();
    await phone().getByRole("button", { name: "Delete the last digit" }).click();
    for (const key of ["3", "4", "5"]) await phone().locator(`[data-key="${key}"]`).click();
    expect(await phone().getByLabel("PIN", { exact: true }).inputValue()).toBe("1234");
    await phone().getByRole("button", { name: "Send", exact: true }).click();
    await phone().getByText("paid to Duka la Mfano for ORDER-42").waitFor();
    await payments().getByText("Completed").waitFor();
    expect(await page.locator("#said").textContent()).toBe("Paid.");
    expect(world.sandbox.phone(PHONE).balance).toBe("98500.00");
  });

  test.each([
    ["Cancel", "You cancelled the request."],
    ["Wrong PIN", "The PIN was wrong."],
  ])("fails a payment by %s, and says what the customer reads", async (button, message) => {
    await open();
    const reference = await world.pay();
    await phone().getByRole("button", { name: button, exact: true }).click();
    await phone().getByText(message).waitFor();
    await payments().getByText("Failed").waitFor();
    expect(await statusOf(reference)).toBe("failed");
  });

  test("counts down, and lets a prompt expire when the clock is moved on", async () => {
    await open();
    await world.pay();
    await phone().getByText("60 s", { exact: true }).waitFor();
    await world.page.getByRole("button", { name: "10 s", exact: true }).click();
    await phone().getByText("50 s", { exact: true }).waitFor();
    await world.page.getByRole("button", { name: "61 s", exact: true }).click();
    await phone().getByText("We could not reach your phone").waitFor();
    await payments().getByText("Failed").waitFor();
  });

  test("counts down by itself in real time", async () => {
    await open({}, { clock: "real" });
    await world.pay();
    await phone()
      .getByText(/^5[0-8] s$/)
      .waitFor();
  });

  test("ignores, switches off and on, sets the balance and the habit of a phone", async () => {
    await open();
    const { page, sandbox } = world;
    await world.pay();
    await phone().getByRole("button", { name: "Ignore" }).click();
    await phone().getByText("Put away").waitFor();
    await page.getByRole("button", { name: "61 s" }).click();
    await payments().getByText("Failed").waitFor();
    await phone().getByRole("button", { name: "Switch off" }).click();
    await phone().getByText("Switched off").waitFor();
    await phone().getByRole("button", { name: "Switch on" }).click();
    await phone().getByRole("button", { name: "Switch off" }).waitFor();
    await phone().getByText("Balance and habit").click();
    await phone().getByLabel("Balance").fill("20");
    await phone().getByLabel("Balance").press("Enter");
    await expect.poll(() => sandbox.phone(PHONE).balance).toBe("20.00");
    await phone().getByLabel("When it rings").selectOption("approve");
    await phone().getByRole("button", { name: "Set" }).last().click();
    await page.getByText("The phone's habit is set.").waitFor();
    await world.pay();
    await page.getByRole("button", { name: "10 s" }).click();
    await phone().getByText("There is not enough money").waitFor();
  });

  test("shows several phones, each with its own prompt", async () => {
    await open();
    const { page } = world;
    const first = await world.pay({ account_reference: "FIRST" });
    await phone().getByText("FIRST").waitFor();
    await world.pay({ phone: "0733000000", account_reference: "SECOND" });
    const tab = page.locator("#phone nav").getByRole("link", { name: /0733 000 000.*ringing/ });
    await tab.waitFor();
    // The one that waits stays in hand.
    expect(await phone().locator(".dialog").textContent()).toContain("FIRST");
    await tab.click();
    await phone().locator(".dialog").getByText("SECOND").waitFor();
    await phone().getByLabel("PIN", { exact: true }).fill("0000");
    await phone().getByLabel("PIN", { exact: true }).press("Enter");
    await phone().getByText("paid to Duka la Mfano for SECOND").waitFor();
    expect(await statusOf(first)).toBe("pending");
  });

  test("does not pay another prompt than the one that was on the screen", async () => {
    await open();
    await world.pay();
    await phone().getByText("KES 1,500.00").waitFor();
    await world.page.route(
      ({ pathname }) => pathname === "/",
      (route) => route.abort(),
    );
    world.sandbox.phone(PHONE).cancel();
    const second = await world.pay({ amount: 99_999 });
    await phone().getByLabel("PIN", { exact: true }).fill("1234");
    await phone().getByLabel("PIN", { exact: true }).press("Enter");
    await world.page.getByText("That prompt is gone").waitFor();
    expect(await statusOf(second)).toBe("pending");
    (world.troubles as string[]).length = 0; // the requests that this test cut off
  });

  test("shows a payment's life and what went over the wire, its key shortened", async () => {
    await open();
    await world.receive((_, response) => response.end(), ["payment.initiated"]);
    const reference = await world.pay();
    await payments().first().locator("a").first().click();
    const detail = world.page.locator(`#payment-detail-${reference}`);
    await detail.getByText("Started by the merchant").waitFor();
    await detail.getByText("Waiting for the customer").waitFor();
    await detail.getByRole("link", { name: "payment.initiated" }).waitFor();
    await detail.getByText("POST /mobile-money/payment/initiate").first().click();
    const wire = (await detail.locator(".raw").textContent()) ?? "";
    expect(wire).toContain('{"amount":1500,"phone":"0712345678","account_reference":"ORDER-42"}');
    expect(wire).toContain(`"reference":"${reference}"`);
    expect(wire).toContain("x-api-key: sk_sandbox…");
    expect(wire).not.toContain(world.sandbox.keys.secret);
  });

  test("shows a request that was turned away, and the fault that did it", async () => {
    await open();
    const { page, served } = world;
    await world.pay();
    await fetch(`${served.baseUrl}/merchant`, { headers: { "x-api-key": "sk_wrong" } });
    await page.getByText("Requests that were turned away").click();
    await page.locator("#refused").getByText("401").first().waitFor();
    await page.getByText("Faults and chaos").click();
    await page.getByLabel("Effect").selectOption("lostResponse");
    await page.getByRole("button", { name: "Add the fault" }).click();
    await page.getByText("1 set").waitFor();
    await world.pay({ phone: "0733000000" }).catch(() => "");
    await page.locator("#refused").getByText("fault: lostResponse").first().waitFor();
    await page.locator("#payments .row").nth(1).waitFor();
  });

  test("begins chaos with rates and a seed, and ends it", async () => {
    await open();
    const { page, sandbox } = world;
    await page.getByText("Faults and chaos").click();
    await page.getByLabel("Calls fail with 429 or 5xx").selectOption("always");
    await page.getByLabel("Seed").fill("tuesday");
    await page.getByRole("button", { name: "Let chaos begin" }).click();
    await page.getByText("chaos: 1 kinds of mishap, seed tuesday").waitFor();
    const merchant = () =>
      sandbox.fetch(`${sandbox.baseUrl}/merchant`, {
        headers: { "x-api-key": sandbox.keys.public },
      });
    expect((await merchant()).status).toBeGreaterThanOrEqual(429);
    await page.getByRole("button", { name: "End chaos" }).click();
    await page.getByText("none: everything works").waitFor();
    expect((await merchant()).status).toBe(200);
  });
});
