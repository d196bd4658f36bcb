import { createSandbox, type Sandbox } from "malipo/sandbox";

import { describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../../src/contract/events.ts";

const INITIATE = "/mobile-money/payment/initiate";

async function send(method: string, path: string, body: unknown, sandbox: Sandbox) {
  const response = await sandbox.fetch(sandbox.baseUrl + path, {
    method,
    headers: { "x-api-key": sandbox.keys.secret },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const order = (changes: object) => ({ amount: 1, phone: "0712345678", ...changes });
const hook = (changes: object) => ({
  name: "shop",
  url: "https://shop.example.test/hook",
  events: ["payment.completed"],
  ...changes,
});

describe("an invalid field", () => {
  test.each<[field: string, method: string, path: string, body: object]>([
    ["amount", "POST", INITIATE, { phone: "0712345678" }],
    ["amount", "POST", INITIATE, order({ amount: "100" })],
    ["amount", "POST", INITIATE, order({ amount: null })],
    ["amount", "POST", INITIATE, order({ amount: 0 })],
    ["amount", "POST", INITIATE, order({ amount: -1 })],
    ["amount", "POST", INITIATE, order({ amount: 0.99 })],
    ["amount", "POST", INITIATE, order({ amount: 1.005 })],
    ["amount", "POST", INITIATE, order({ amount: 250_000.01 })],
    ["amount", "POST", INITIATE, order({ amount: 1e21 })],
    ["phone", "POST", INITIATE, { amount: 1 }],
    ["phone", "POST", INITIATE, order({ phone: 254712345678 })],
    ["phone", "POST", INITIATE, order({ phone: "" })],
    ["phone", "POST", INITIATE, order({ phone: "071234567" })],
    ["phone", "POST", INITIATE, order({ phone: "0812345678" })],
    ["phone", "POST", INITIATE, order({ phone: "+25571234567" })],
    ["phone", "POST", INITIATE, order({ phone: "call me" })],
    ["description", "POST", INITIATE, order({ description: 5 })],
    ["account_reference", "POST", INITIATE, order({ account_reference: "1234567890123" })],
    ["account_reference", "POST", INITIATE, order({ account_reference: 12 })],
    ["payment_account_id", "POST", INITIATE, order({ payment_account_id: true })],
    ["payment_account_id", "POST", INITIATE, order({ payment_account_id: 999 })],
    ["phone", "POST", "/payments/initiate", { amount: 1 }],
    ["reference", "POST", "/mobile-money/payment/status", {}],
    ["reference", "POST", "/mobile-money/payment/status", { reference: 5 }],
    ["phone", "POST", "/mobile-money/validate-phone", {}],
    ["phone", "POST", "/mobile-money/validate-phone", { phone: 712345678 }],
    ["name", "POST", "/webhooks/register", hook({ name: "" })],
    ["name", "POST", "/webhooks/register", hook({ name: undefined })],
    ["url", "POST", "/webhooks/register", hook({ url: "shop.example.test" })],
    ["url", "POST", "/webhooks/register", hook({ url: "http://shop.example.test/" })],
    ["url", "POST", "/webhooks/register", hook({ url: "http://localhost.example.test/" })],
    ["url", "POST", "/webhooks/register", hook({ url: "ftp://localhost/" })],
    ["events", "POST", "/webhooks/register", hook({ events: "payment.completed" })],
    ["events", "POST", "/webhooks/register", hook({ events: [] })],
    ["events", "POST", "/webhooks/register", hook({ events: ["payment.complete"] })],
    ["amount", "POST", "/invoices", { amount: 0 }],
    ["amount", "POST", "/invoices", { amount: "12.345" }],
    ["due_at", "POST", "/invoices", { due_at: "2026-01-31" }],
    ["due_at", "POST", "/invoices", { due_at: "2026-01-31T18:00:00" }],
    ["due_at", "POST", "/invoices", { due_at: 1_767_247_200 }],
    ["status", "POST", "/invoices", { status: "paid" }],
  ])("%s of %s %s %j returns 422, and is named", async (field, method, path, body) => {
    const response = await send(method, path, body, createSandbox());
    expect(response.status).toBe(422);
    const error = expect.stringMatching(new RegExp(`^${field}(\\.\\d+)?: expected|^${field}: `));
    expect(response.body).toEqual({ success: false, error });
  });

  test.each(["page=0", "page=-1", "page=1.5", "page=", "page=two", "per_page=0", "per_page=101"])(
    "?%s of a list returns 422, and is named",
    async (query) => {
      const sandbox = createSandbox();
      for (const path of ["/payments", "/invoices", "/webhooks", "/merchant/payment-accounts"]) {
        const response = await sandbox.fetch(`${sandbox.baseUrl}${path}?${query}`, {
          headers: { "x-api-key": sandbox.keys.public },
        });
        expect(response.status).toBe(422);
        expect((await response.json()).error).toContain(`${query.split("=")[0]}: expected`);
      }
    },
  );

  test("is not an omitted list of events: the webhook gets all kinds", async () => {
    const body = hook({ events: undefined });
    const { status, body: response } = await send(
      "POST",
      "/webhooks/register",
      body,
      createSandbox(),
    );
    expect(status).toBe(201);
    expect(response.data.events).toEqual(EVENT_KINDS);
  });

  test("of a change to a webhook leaves the webhook unchanged", async () => {
    const sandbox = createSandbox();
    const { id } = (await send("POST", "/webhooks/register", hook({}), sandbox)).body.data;
    const before = sandbox.snapshot();
    const changes = { name: "new", events: ["payment.failed", "payment.complete"] };
    expect((await send("PUT", `/webhooks/${id}`, changes, sandbox)).status).toBe(422);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test.each([{ amount: 500, status: "overdue" }, { note: "new", due_at: "soon" }, { amount: "" }])(
    "of a change to an invoice (%j) leaves the invoice unchanged",
    async (changes) => {
      const sandbox = createSandbox();
      const { id } = (await send("POST", "/invoices", {}, sandbox)).body.data;
      const before = sandbox.snapshot();
      expect((await send("PUT", `/invoices/${id}`, changes, sandbox)).status).toBe(422);
      expect(sandbox.snapshot()).toEqual(before);
    },
  );
});

describe("an amount", () => {
  test.each([
    [1, "1.00"],
    [1.1, "1.10"],
    [99.99, "99.99"],
    [100, "100.00"],
    [1_234.5, "1234.50"],
    [249_999.99, "249999.99"],
    [250_000, "250000.00"],
  ])("of %d is returned as %j", async (amount, written) => {
    const sandbox = createSandbox();
    const { reference } = (await send("POST", INITIATE, order({ amount }), sandbox)).body.data;
    const status = await send("POST", "/mobile-money/payment/status", { reference }, sandbox);
    expect(status.body.data.amount).toBe(written);
    expect((await send("POST", "/invoices", { amount }, sandbox)).body.data.amount).toBe(written);
  });

  test.each([
    [{ minAmount: 10 }, 10, 9.99],
    [{ minAmount: 1.1 }, 1.1, 1.09],
    [{ maxAmount: 70_000 }, 70_000, 70_000.01],
    [{ maxAmount: 300_000 }, 300_000, 300_000.01],
    [{ maxAmount: 1.15 }, 1.15, 1.16],
    [{ minAmount: 1, maxAmount: undefined }, 250_000, 250_001],
  ])("within the limits %j may be %d, and not %d", async (limits, inside, outside) => {
    const sandbox = createSandbox({ limits });
    expect((await send("POST", INITIATE, order({ amount: inside }), sandbox)).status).toBe(200);
    const { status, body } = await send("POST", INITIATE, order({ amount: outside }), sandbox);
    expect(status).toBe(422);
    expect(body.error).toMatch(/^amount: expected \d+\.\d\d to \d+\.\d\d /);
  });
});

describe("a phone number", () => {
  test.each([
    ["0712345678", "254712345678"],
    ["0112345678", "254112345678"],
    ["712345678", "254712345678"],
    ["254712345678", "254712345678"],
    ["+254 712 345 678", "254712345678"],
    ["0712-345-678", "254712345678"],
    ["(0712) 345 678", "254712345678"],
  ])("written %j is charged as %s", async (phone, digits) => {
    const sandbox = createSandbox();
    expect((await send("POST", INITIATE, order({ phone }), sandbox)).status).toBe(200);
    expect(sandbox.phone(digits).prompt).toBeDefined();
    expect(sandbox.phone(phone).number).toBe(digits);
  });
});

describe("an optional field", () => {
  test.each([
    ["an account reference of twelve characters", order({ account_reference: "éé🧾456789012" })],
    ["the merchant's account", order({ payment_account_id: 1 })],
    ["the merchant's account, as text", order({ payment_account_id: "1" })],
    ["an unknown field", order({ colour: "red" })],
  ])("of a payment is accepted: %s", async (_, body) => {
    expect((await send("POST", INITIATE, body, createSandbox())).status).toBe(200);
  });

  test.each([
    "https://shop.example.test/hook",
    "http://localhost:3000/hook",
    "http://shop.localhost/",
    "http://127.0.0.1:8080/",
    "http://[::1]:8080/",
  ])("of a webhook may be the address %s", async (url) => {
    const { status, body } = await send(
      "POST",
      "/webhooks/register",
      hook({ url }),
      createSandbox(),
    );
    expect(status).toBe(201);
    expect(body.data.url).toBe(url);
  });
});
