import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let sandbox: Sandbox;
let served: ServedSandbox;
beforeEach(async () => {
  sandbox = createSandbox();
  served = await sandbox.serve({ port: 0 });
});
afterEach(() => served.close());

async function pay(more: object = {}, key = sandbox.keys.secret): Promise<string> {
  const response = await sandbox.fetch(`${sandbox.baseUrl}/mobile-money/payment/initiate`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({ amount: 1, phone: "0712345678", ...more }),
  });
  return (await response.json()).data?.reference ?? "";
}
const read = (reference: string) =>
  sandbox.fetch(`${sandbox.baseUrl}/payments/${reference}`, {
    headers: { "x-api-key": sandbox.keys.public },
  });
const shown = async (query: string) => (await fetch(`${served.url}/?${query}`)).text();
const count = (text: string, part: string) => text.split(part).length - 1;

describe("the log of requests and responses", () => {
  test("has those of a payment, in process and over HTTP, with keys shortened", async () => {
    const reference = await pay();
    await fetch(`${served.baseUrl}/payments/${reference}`, {
      headers: { "x-api-key": sandbox.keys.public },
    });
    const page = await shown(`payment=${reference}`);
    const [, detail = ""] = page.split(`id="payment-detail-${reference}"`);
    expect(detail).toContain("<code>POST /mobile-money/payment/initiate</code>");
    expect(detail).toContain("authorization: Bearer sk_sandbox…");
    expect(detail).toContain(`<code>GET /payments/${reference}</code>`);
    expect(detail).toContain("x-api-key: pk_sandbox…");
    expect(detail).not.toContain(sandbox.keys.secret);
  });

  test("is bounded: it keeps the first and the last few of a payment", async () => {
    const reference = await pay();
    for (let times = 0; times < 50; times++) await read(reference);
    const page = await shown(`payment=${reference}`);
    expect(count(page, "<code>POST /mobile-money/payment/initiate</code>")).toBe(1);
    expect(count(page, `<code>GET /payments/${reference}</code>`)).toBe(5);
  });

  test("is bounded: a long body is cut", async () => {
    const reference = await pay({ description: "x".repeat(500_000) });
    const page = await shown(`payment=${reference}`);
    expect(page.length).toBeLessThan(100_000);
    expect(page).toMatch(/… \(\d{6} characters in all\)/);
  });

  test("is bounded: it keeps the latest two hundred, and thirty older ones that failed", async () => {
    const fail = (times: number) =>
      sandbox.fetch(`${sandbox.baseUrl}/nothing/${times}`, {
        headers: { "x-api-key": "nonsense-key-of-mine" },
      });
    for (let times = 0; times < 40; times++) await fail(times);
    const reference = await pay();
    for (let times = 0; times < 450; times++) await read(reference);
    const page = await shown("requests-only=4xx");
    expect(page).toContain("All <small>230</small>");
    expect(page).toContain("4xx <small>30</small>");
    expect(page.indexOf("/nothing/39<")).toBeLessThan(page.indexOf("/nothing/38<"));
    expect(page).not.toContain("/nothing/9<");
    // An unknown key may be a real key of another system.
    const [, id = ""] = /id="request-(\d+)"/.exec(page) ?? [];
    const open = await shown(`requests-only=4xx&request=${id}`);
    expect(open).toContain("x-api-key: nonsense-k…");
    expect(open).not.toContain("nonsense-key-of-mine");
  });

  test("names faults, also those without a response", async () => {
    await pay();
    sandbox.faults.add({ effect: { kind: "reset" } });
    await pay().catch(() => "");
    const [, requests = ""] = (await shown("requests-only=fault")).split('id="requests"');
    expect(requests).toContain("no response");
    expect(requests).toMatch(/row-fault.*fault: reset</);
  });

  test("is empty after the state was replaced", async () => {
    const reference = await pay();
    const snapshot = sandbox.snapshot();
    expect(await shown("")).toContain('id="request-1"');
    sandbox.restore(snapshot);
    const page = await shown(`payment=${reference}`);
    expect(page).toContain("No request yet.");
    expect(page).toContain("Its requests are no longer in the log");
  });
});
