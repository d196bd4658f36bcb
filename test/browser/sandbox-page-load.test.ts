import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { PHONE, sandboxPageSuite } from "./sandbox-page.ts";

describe.skipIf(!hasChromium)("the sandbox's page with many changes and with hostile text", () => {
  const open = sandboxPageSuite();

  test("loads once for many changes", async () => {
    const { page, sandbox } = await open();
    let loads = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/") loads++;
    });
    for (let count = 0; count < 300; count++) sandbox.phone(PHONE).setBalance(count);
    await page.getByText("KES 299.00").waitFor({ state: "attached" });
    expect(loads).toBeLessThan(10);
  });

  test("shows what a merchant writes as text", async () => {
    const { page, call, pay, sandbox, prompt, receive, served } = await open();
    const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>'">&amp;</textarea>`;
    await receive((_, response) => response.writeHead(500).end(evil));
    await call("/webhooks/register", {
      name: evil,
      url: `http://127.0.0.1:4999/${encodeURIComponent(evil)}`,
      events: ["payment.completed"],
    });
    const reference = await pay({ description: evil, account_reference: "<b>'\"&" });
    await prompt.getByText("<img src=x onerror").waitFor();
    await prompt.getByText("<b>'\"&", { exact: true }).waitFor();
    sandbox.phone(PHONE).approve();
    await sandbox.deliveries.settled();
    sandbox.faults.add({ match: { path: `/${evil}` }, effect: { kind: "reset" } });
    await fetch(`${sandbox.baseUrl.replace(/^.*(?=\/api)/, served.url)}/merchant?x=${evil}`, {
      headers: { "x-api-key": "sk_<i>evil</i>" },
    });
    const delivery = sandbox.deliveries.all()[0]?.id;
    await page.goto(
      `${served.url}/?payment=${reference}&delivery=${delivery}&payments-find=${encodeURIComponent("PAY")}`,
    );
    await page.locator("#deliveries .detail").getByText("<img src=x onerror").first().waitFor();
    await page
      .locator("#payments .detail")
      .getByText(evil.slice(0, 40))
      .first()
      .waitFor({ state: "attached" });
    expect(await page.title()).not.toContain("owned");
    expect(
      await page
        .locator("img, #live script, #live b:not([data-seconds]), #live i, textarea")
        .count(),
    ).toBe(0);
  });

  test("stays usable with 5,000 payments: it has pages, filters and a search", async () => {
    const { page, sandbox, prompt, pay, served } = await open();
    const reference = await pay({ account_reference: "NEEDLE", phone: "0700000001" });
    sandbox.phone("0700000001").approve();
    const snapshot = structuredClone(sandbox.snapshot()) as unknown as { payments: object[] };
    const [first] = snapshot.payments;
    for (let count = 1; count < 5_000; count++) {
      const change = {
        reference: `PAY-${count}`,
        payment_id: count,
        account_reference: `ORDER-${count}`,
      };
      snapshot.payments.push({
        ...first,
        ...change,
        status: count % 2 ? "failed" : "completed",
        failure: { reason: "1", userMessage: "no", retryPossible: true },
      });
    }
    sandbox.restore(snapshot as never);
    await page.getByText("1–10 of 5,000").waitFor();
    expect(await page.locator("#payments .row").count()).toBe(10);
    await page.locator("#payments .row").first().getByText("ORDER-4999").waitFor();
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByText("11–20 of 5,000").waitFor();
    await page.locator("#payments .row").first().getByText("ORDER-4989").waitFor();
    await page.locator(".filters").getByText("Failed").click();
    await page.getByText("1–10 of 2,500").waitFor();
    await page.locator(".filters").getByText("All").click();
    await page.getByPlaceholder("Reference, phone or account").fill("needle");
    await page.getByRole("button", { name: "Find" }).click();
    await page.locator(`#payment-${reference} .row-head`).click();
    await page.getByText("Paid. Receipt").waitFor();
    await pay();
    await prompt.getByText("KES 1,500.00").waitFor();
    // The page has the size of one page of the list, not of all payments.
    expect((await (await fetch(served.url)).text()).length).toBeLessThan(200_000);
  });
});
