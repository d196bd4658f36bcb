import { createSandbox } from "malipo/sandbox";
import type { EndpointName } from "malipo/types";
import { beforeEach, describe, expect, test } from "vitest";
import { ROWS } from "../../support/endpoints.ts";

const sandbox = createSandbox();
const HOOK = { name: "shop", url: "https://shop.example.test/hook", events: ["payment.completed"] };

async function call(method: string, path: string, body?: unknown) {
  const response = await sandbox.fetch(sandbox.baseUrl + path, {
    method,
    headers: { "x-api-key": sandbox.keys.secret, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    body: await response.json(),
  };
}

beforeEach(() => sandbox.reset());

/** A sandbox with one of each, and their names. */
async function oneOfEach() {
  const order = { amount: 100, phone: "0712345678", account_reference: "order-1" };
  const [payment, webhook, invoice] = [
    await call("POST", "/mobile-money/payment/initiate", order),
    await call("POST", "/webhooks/register", HOOK),
    await call("POST", "/invoices", { amount: 250, customer: "Asha" }),
  ];
  return {
    reference: payment.body.data.reference,
    checkout: payment.body.data.checkout_request_id,
    webhook: webhook.body.data.id,
    invoice: invoice.body.data.id,
  };
}

type Names = Awaited<ReturnType<typeof oneOfEach>>;

const payment = ({ reference, checkout }: Names) => ({
  payment_id: 1,
  merchant_id: 1,
  reference,
  amount: "100.00",
  currency: "KES",
  phone: "254712345678",
  status: "pending",
  account_reference: "order-1",
  checkout_request_id: checkout,
});
const webhook = ({ webhook: id }: Names, changes: object = {}) => ({ id, ...HOOK, ...changes });
const invoice = ({ invoice: id }: Names, changes: object = {}) => ({
  id,
  number: "INV-0001",
  customer: "Asha",
  amount: "250.00",
  status: "draft",
  due_at: "2026-01-15T09:00:00+03:00",
  created_at: "2026-01-01T09:00:00+03:00",
  ...changes,
});
const meta = { page: 1, per_page: 20, total: 1 };
const name = expect.stringMatching(/^\S+$/);
const started = { reference: name, checkout_request_id: name };
const other = { amount: 5, phone: "0112345678" };

interface Case {
  readonly body?: (names: Names) => unknown;
  readonly status?: 201;
  readonly data: (names: Names) => unknown;
  readonly meta?: object;
}

// biome-ignore format: a table is read across
const CASES: Readonly<Record<EndpointName, readonly Case[]>> = {
  "merchant.get": [{ data: () => expect.objectContaining({ merchant_id: 1 }) }],
  "merchant.paymentAccounts": [{ data: () => [1, 2].map((id) => expect.objectContaining({ payment_account_id: id })), meta: { ...meta, total: 2 } }],
  "payments.get": [{ data: payment }],
  "payments.list": [{ data: (of) => [payment(of)], meta }],
  "payments.initiate": [{ body: () => other, data: () => started }],
  "mobileMoney.initiate": [{ body: () => other, data: () => started }],
  "mobileMoney.status": [{ body: ({ reference }) => ({ reference }), data: payment }, { body: (of) => ({ checkout_request_id: of.checkout }), data: payment }],
  "mobileMoney.validatePhone": [{ body: () => ({ phone: "0712 345 678" }), data: () => ({ valid: true, phone: "254712345678", network: "Safaricom" }) }],
  "webhooks.register": [{ body: () => HOOK, status: 201, data: () => ({ id: name, ...HOOK }) }],
  "webhooks.list": [{ data: (of) => [webhook(of)], meta }],
  "webhooks.update": [{ body: () => ({ name: "new" }), data: (of) => webhook(of, { name: "new" }) }],
  "webhooks.delete": [{ data: (of) => ({ id: of.webhook, deleted: true }) }],
  "invoices.create": [{ body: () => ({}), status: 201, data: () => expect.objectContaining({ id: name, status: "draft" }) }],
  "invoices.list": [{ data: (of) => [invoice(of)], meta }],
  "invoices.get": [{ data: invoice }],
  "invoices.update": [{ body: () => ({ amount: 300, customer: "Juma" }), data: (of) => invoice(of, { amount: "300.00", customer: "Juma" }) }],
  "invoices.delete": [{ data: (of) => ({ id: of.invoice, deleted: true }) }],
  "invoices.send": [{ data: (of) => invoice(of, { status: "sent" }) }],
};

describe.each(ROWS)("$method $route", ({ name, method, path }) => {
  test.each(CASES[name])("returns the envelope, with the promised fields: case %#", async (one) => {
    const names = await oneOfEach();
    const { status, type, body } = await call(method, path(names), one.body?.(names));
    expect(status).toBe(one.status ?? 200);
    expect(type).toBe("application/json");
    const expected = { success: true, data: one.data(names) };
    expect(body).toEqual({ ...expected, ...(one.meta && { meta: one.meta }) });
  });
});

describe("a change or a deletion", () => {
  test("is stored: a webhook", async () => {
    const { webhook: id } = await oneOfEach();
    const events = ["payment.failed", "invoice.paid"];
    await call("PUT", `/webhooks/${id}`, { events });
    expect((await call("GET", "/webhooks")).body.data).toEqual([{ id, ...HOOK, events }]);
    await call("DELETE", `/webhooks/${id}`);
    expect((await call("GET", "/webhooks")).body.data).toEqual([]);
    expect((await call("DELETE", `/webhooks/${id}`)).status).toBe(404);
  });

  test("is stored: an invoice", async () => {
    const { invoice: id } = await oneOfEach();
    await call("PUT", `/invoices/${id}`, { customer: "Juma" });
    expect((await call("GET", `/invoices/${id}`)).body.data.customer).toBe("Juma");
    await call("DELETE", `/invoices/${id}`);
    expect((await call("GET", `/invoices/${id}`)).status).toBe(404);
    expect((await call("GET", "/invoices")).body.meta.total).toBe(0);
  });
});

describe("a list", () => {
  test.each([
    ["", [1, 20], [25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6]],
    ["?page=2", [2, 20], [5, 4, 3, 2, 1]],
    ["?page=3", [3, 20], []],
    ["?per_page=3", [1, 3], [25, 24, 23]],
    ["?page=9&per_page=3", [9, 3], [1]],
    ["?page=2&per_page=100", [2, 100], []],
    ["?colour=red&per_page=1", [1, 1], [25]],
  ])("%s holds its page, the newest first", async (query, [page, per_page], numbers) => {
    for (let number = 1; number <= 25; number++) await call("POST", "/invoices", { mine: number });
    const { body } = await call("GET", `/invoices${query}`);
    expect(body.meta).toEqual({ page, per_page, total: 25 });
    expect(body.data.map(({ mine }: { mine: number }) => mine)).toEqual(numbers);
  });

  test("of a hundred is the longest", async () => {
    for (let number = 1; number <= 101; number++) await call("POST", "/invoices", {});
    expect((await call("GET", "/invoices?per_page=100")).body.data).toHaveLength(100);
  });
});

describe("the status of a payment", () => {
  test.each(["reference", "checkout_request_id"])("is 404 for an unknown %s", async (field) => {
    const { status, body } = await call("POST", "/mobile-money/payment/status", { [field]: "X-1" });
    expect(status).toBe(404);
    expect(body).toEqual({ success: false, error: expect.stringContaining(field) });
  });

  test("is found by each identifier only in its own field", async () => {
    const { reference, checkout } = await oneOfEach();
    const swapped = { reference: checkout };
    expect((await call("POST", "/mobile-money/payment/status", swapped)).status).toBe(404);
    expect((await call("GET", `/payments/${checkout}`)).status).toBe(404);
    expect((await call("GET", `/payments/${reference}`)).status).toBe(200);
  });
});

describe("the validation of a phone", () => {
  test.each([
    ["0722000000", { valid: true, phone: "254722000000", network: "Safaricom" }],
    ["0110000000", { valid: true, phone: "254110000000", network: "Safaricom" }],
    ["0733000000", { valid: true, phone: "254733000000", network: "Airtel" }],
    ["0756000000", { valid: true, phone: "254756000000", network: "Airtel" }],
    ["0785000000", { valid: true, phone: "254785000000", network: "Airtel" }],
    ["0100000000", { valid: true, phone: "254100000000", network: "Airtel" }],
    ["0102000000", { valid: true, phone: "254102000000", network: "Airtel" }],
    ["0772000000", { valid: true, phone: "254772000000", network: "Telkom" }],
    ["+44 20 7946 0958", { valid: false, phone: "442079460958" }],
    ["0812345678", { valid: false, phone: "0812345678" }],
  ])("of %s returns %j", async (phone, data) => {
    const { status, body } = await call("POST", "/mobile-money/validate-phone", { phone });
    expect([status, body]).toEqual([200, { success: true, data }]);
  });
});
