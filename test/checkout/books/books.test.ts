import { memoryCheckout } from "malipo/checkout";
import { signWebhook } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { newSandbox, openShop } from "../stage.ts";

const DAY = { from: "2026-11-23T00:00:00+03:00", to: "2026-11-24T00:00:00+03:00" };
const NOON = Date.parse("2026-11-23T12:00:00+03:00");

interface Listed {
  reference: string;
  status: string;
  amount: string;
  currency: string;
  phone: string;
  account_reference: string;
  created_at: string;
}

/** A service with a list of payments, newest first, in pages of 100. */
function listService() {
  const payments: Listed[] = [];
  const failing = new Set<number>();
  const fetch = async (address: string | URL | Request): Promise<Response> => {
    const url = new URL(String(address));
    const headers = { date: new Date(NOON).toUTCString() };
    const [, reference] = /\/payments\/([^/]+)$/.exec(url.pathname) ?? [];
    if (reference !== undefined) {
      const found = payments.find((one) => one.reference === reference);
      const body = found ?? { message: "not found" };
      return Response.json(body, { status: found ? 200 : 404, headers });
    }
    const page = Number(url.searchParams.get("page") ?? 1);
    if (failing.has(page)) return Response.json({}, { status: 500, headers });
    const total = payments.length;
    const sorted = [...payments].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const meta = { current_page: page, per_page: 100, total, last_page: Math.ceil(total / 100) };
    const data = sorted.slice((page - 1) * 100, page * 100);
    return Response.json({ success: true, data, meta }, { headers });
  };
  return { payments, failing, fetch };
}

async function openBooks() {
  const sandbox = newSandbox();
  const service = listService();
  const store = memoryCheckout({ now: () => NOON });
  const shop = openShop(sandbox, store, { fetch: service.fetch });
  const { checkout } = shop;
  let made = 0;
  const webhook = async (data: object) => {
    const body = JSON.stringify({
      event: "payment.completed",
      timestamp: new Date(NOON).toISOString(),
      data: { payment_id: ++made, merchant_id: 1, ...data },
    });
    const headers = { "x-service-signature": signWebhook(body, sandbox.webhookSecret) };
    await checkout.receiver.handle({ method: "POST", headers, body });
  };
  const listPayment = (number: number, changes: Partial<Listed> = {}): Listed => {
    const one = {
      reference: `PAY-${number}`,
      status: "completed",
      amount: "100.50",
      currency: "KES",
      phone: `2547${String(number).padStart(8, "0")}`,
      account_reference: `O-${number}`,
      created_at: new Date(NOON - number * 1_000).toISOString(),
      ...changes,
    };
    service.payments.push(one);
    return one;
  };
  /** An order that is paid, and whose payment the service lists. */
  const paid = async (number: number, changes: Partial<Listed> = {}) => {
    const id = `O-${number}`;
    await checkout.create({ id, amount: "100.50", accountReference: id });
    const { reference, account_reference, phone } = listPayment(number, changes);
    await webhook({
      reference,
      status: "completed",
      amount: "100.50",
      currency: "KES",
      account_reference,
      phone,
    });
  };
  return { ...shop, ...service, webhook, listPayment, paid };
}

describe("the books of a day", () => {
  test("name each of 12 payments among 1,000 that differ in 6 ways, and open a review for each", async () => {
    const { checkout, listPayment, paid, payments, webhook } = await openBooks();
    for (let number = 1; number <= 988; number++) await paid(number);
    for (const number of [2001, 2002]) listPayment(number, { account_reference: `X${number}` });
    for (const number of [2003, 2004]) {
      await paid(number);
      payments.pop();
    }
    await paid(2005, { status: "pending" });
    await checkout.create({ id: "O-2006", amount: "100.50", accountReference: "O-2006" });
    listPayment(2006);
    await paid(2007, { amount: "100.00" });
    await paid(2008, { amount: "1005.00" });
    await paid(2009, { currency: "UGX" });
    await paid(2010, { currency: "TZS" });
    for (const number of [1, 2]) {
      const second = listPayment(2010 + number, { account_reference: `O-${number}` });
      await webhook(second);
    }
    // Not of this day, and not paid.
    listPayment(3001, { created_at: "2026-11-22T23:59:59+03:00" });
    listPayment(3002, { created_at: "2026-11-24T00:00:00+03:00" });
    listPayment(3003, { status: "failed" });

    const read: unknown[] = [];
    const report = await checkout.report({ ...DAY, onProgress: (now) => read.push(now) });
    const named = report.differences.map(({ kind, reference, orderId }) => [
      kind,
      reference,
      orderId,
    ]);
    expect(named.sort()).toEqual(
      [
        ["no_order", "PAY-2001", undefined],
        ["no_order", "PAY-2002", undefined],
        ["not_at_service", "PAY-2003", "O-2003"],
        ["not_at_service", "PAY-2004", "O-2004"],
        ["status", "PAY-2005", "O-2005"],
        ["status", "PAY-2006", "O-2006"],
        ["amount", "PAY-2007", "O-2007"],
        ["amount", "PAY-2008", "O-2008"],
        ["currency", "PAY-2009", "O-2009"],
        ["currency", "PAY-2010", "O-2010"],
        ["paid_twice", "PAY-2011", "O-1"],
        ["paid_twice", "PAY-2012", "O-2"],
      ].sort(),
    );
    expect(report.isComplete).toBe(true);
    expect(report.agrees).toEqual([{ currency: "KES", count: 988, amount: "99294.00" }]);
    expect(report.summary).toBe(
      "988 orders, KES 99,294.00, all at the service; 2 payments belong to no order; 2 paid orders are not at the service; 2 payments have another status than their orders; 2 payments have another amount; 2 payments have another currency; 2 payments are to be paid back.",
    );
    expect(JSON.stringify(report)).not.toMatch(/2547\d{8}/);
    expect(read.length).toBeGreaterThan(10);

    const reviewed = (await checkout.reviews.list()).flatMap(({ references }) => references);
    // The money of this one is brought into its order, which is then paid.
    expect((await checkout.get("O-2006"))?.status).toBe("paid");
    for (const { reference } of report.differences) {
      if (reference !== "PAY-2006") expect(reviewed).toContain(reference);
    }
    const count = (await checkout.reviews.list()).length;
    await checkout.report(DAY);
    expect(await checkout.reviews.list()).toHaveLength(count);
  });

  test("that agree are one line that an owner understands", async () => {
    const { checkout, paid } = await openBooks();
    for (const number of [1, 2, 3]) await paid(number);
    await checkout.create({ id: "OPEN", amount: 10 });
    const report = await checkout.report(DAY);
    expect(report.summary).toBe("3 orders, KES 301.50, all at the service.");
    expect(report.open).toEqual({ underAnHour: 1, underADay: 0, underAWeek: 0, older: 0 });
  });

  test("are no all-clear if the list could not be read whole, and say what was read", async () => {
    const { checkout, paid, failing } = await openBooks();
    for (let number = 1; number <= 150; number++) await paid(number);
    failing.add(2);
    const report = await checkout.report(DAY);
    expect(report.isComplete).toBe(false);
    expect(report.summary).toMatch(/^This is no all-clear: the list of payments could not be read/);
    // Those of the page that failed are asked for one by one.
    expect(report.agrees).toEqual([{ currency: "KES", count: 150, amount: "15075.00" }]);
    expect(report.differences).toEqual([]);
  });

  test("leave out the payments of another shop on the account", async () => {
    const { gateway, ...books } = await openBooks();
    await books.paid(1);
    const other = openShop(newSandbox(), memoryCheckout({ now: () => NOON }), {
      fetch: books.fetch,
      prefix: "B-",
    });
    const report = await other.checkout.report(DAY);
    expect(report.summary).toBe("0 orders, all at the service.");
    expect(await other.checkout.reviews.list()).toEqual([]);
  });

  test.each([
    [{ from: "yesterday", to: DAY.to }, "`from`"],
    [{ from: DAY.to, to: DAY.from }, "`to`"],
  ])("have a time: %j", async (query, message) => {
    const { checkout } = await openBooks();
    await expect(checkout.report(query)).rejects.toThrow(message);
  });
});
