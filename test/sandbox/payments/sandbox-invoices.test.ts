import { Gateway, type Invoice, NotFoundError } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { beforeEach, describe, expect, test } from "vitest";

const seen: string[] = [];
const sandbox = createSandbox({
  deliver: async (request) => {
    const { event, timestamp, data } = await request.json();
    seen.push(`${timestamp.slice(0, 16)} ${event} ${data.number} ${data.status}`);
    return new Response();
  },
});
const { baseUrl, fetch } = sandbox;
const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl, fetch, maxRetries: 0 });
const { invoices, mobileMoney } = gateway;
const PHONE = "0712345678";

beforeEach(async () => {
  sandbox.reset();
  seen.length = 0;
  await gateway.webhooks.register({
    name: "shop",
    url: "https://shop.example.test/hook",
    events: ["invoice.created", "invoice.paid", "invoice.overdue"],
  });
});

const idOf = ({ id }: Invoice) => String(id);
const statusOf = async (invoice: Invoice) => (await invoices.get(idOf(invoice))).status;

/** A payment with this label, approved. */
async function pay(amount: number, account_reference: string): Promise<void> {
  await mobileMoney.initiate({ amount, phone: PHONE, account_reference });
  sandbox.phone(PHONE).approve();
}

describe("an invoice", () => {
  test("goes from draft to sent, overdue and paid, and sends events", async () => {
    const due_at = "2026-01-02T09:00:00+03:00";
    const invoice = await invoices.create({ amount: 100, due_at });
    expect(invoice).toMatchObject({ status: "draft", amount: "100.00", due_at });
    expect((await invoices.send(idOf(invoice))).status).toBe("sent");
    await sandbox.clock.advance(86_400_000 - 1);
    expect(await statusOf(invoice)).toBe("sent");
    await sandbox.clock.advance(1);
    expect(await statusOf(invoice)).toBe("overdue");
    await pay(100, String(invoice.number));
    expect(await statusOf(invoice)).toBe("paid");
    await sandbox.clock.advance("30d");
    expect(await statusOf(invoice)).toBe("paid");
    expect(seen).toEqual([
      "2026-01-01T09:00 invoice.created INV-0001 draft",
      "2026-01-02T09:00 invoice.overdue INV-0001 overdue",
      "2026-01-02T09:00 invoice.paid INV-0001 paid",
    ]);
  });

  test("is due after fourteen days by default", async () => {
    const invoice = await invoices.create({});
    expect(invoice.due_at).toBe("2026-01-15T09:00:00+03:00");
    await invoices.send(idOf(invoice));
    await sandbox.clock.advance("14d");
    expect(await statusOf(invoice)).toBe("overdue");
  });

  test("accepts a due date with any offset, and returns it in its own", async () => {
    const invoice = await invoices.create({ due_at: "2026-01-02T06:00:00Z" });
    expect(invoice.due_at).toBe("2026-01-02T09:00:00+03:00");
  });

  test("keeps every field of the merchant", async () => {
    const fields = {
      customer: { name: "Asha", phones: ["0712345678"] },
      lines: [{ text: "é", price: "1.5" }],
      note: null,
    };
    const invoice = await invoices.create(fields);
    expect(await invoices.get(idOf(invoice))).toMatchObject(fields);
    await invoices.update(idOf(invoice), { note: "paid in two parts", extra: 1 });
    const changed = { ...fields, note: "paid in two parts", extra: 1 };
    expect(await invoices.get(idOf(invoice))).toMatchObject(changed);
  });

  test("keeps its own id, number and times, even if the merchant sends others", async () => {
    const given = { id: "mine", number: "A-1", created_at: "yesterday" };
    const invoice = await invoices.create(given);
    const updated = await invoices.update(idOf(invoice), given);
    for (const one of [invoice, updated]) {
      expect(one).toMatchObject({ number: "INV-0001", created_at: "2026-01-01T09:00:00+03:00" });
      expect(one.id).not.toBe("mine");
    }
  });

  test("has a number that no other invoice has or had", async () => {
    const [first] = [await invoices.create({}), await invoices.create({})];
    await invoices.delete(idOf(first));
    const third = await invoices.create({});
    await invoices.delete(idOf(third));
    expect((await invoices.create({})).number).toBe("INV-0004");
  });

  test("that is a draft is never overdue", async () => {
    const invoice = await invoices.create({ due_at: "2026-01-02T09:00:00+03:00" });
    await sandbox.clock.advance("30d");
    expect(await statusOf(invoice)).toBe("draft");
  });

  test("that is sent after its due date is overdue at once", async () => {
    const invoice = await invoices.create({ due_at: "2025-12-31T09:00:00+03:00" });
    expect((await invoices.send(idOf(invoice))).status).toBe("overdue");
  });

  test("with a later due date is due then", async () => {
    const invoice = await invoices.create({ due_at: "2026-01-02T09:00:00+03:00" });
    await invoices.send(idOf(invoice));
    await invoices.update(idOf(invoice), { due_at: "2026-01-03T09:00:00+03:00" });
    await sandbox.clock.advance("47h");
    expect(await statusOf(invoice)).toBe("sent");
    await sandbox.clock.advance("1h");
    expect(await statusOf(invoice)).toBe("overdue");
  });

  test("that is deleted is not due and cannot be paid", async () => {
    const invoice = await invoices.create({ amount: 1, due_at: "2026-01-02T09:00:00+03:00" });
    await invoices.send(idOf(invoice));
    await invoices.delete(idOf(invoice));
    await pay(1, String(invoice.number));
    await sandbox.clock.advance("30d");
    await expect(invoices.get(idOf(invoice))).rejects.toThrow(NotFoundError);
    expect(seen).toEqual(["2026-01-01T09:00 invoice.created INV-0001 draft"]);
  });

  test("that is sent again stays sent or overdue", async () => {
    const invoice = await invoices.create({});
    await invoices.send(idOf(invoice));
    expect((await invoices.send(idOf(invoice))).status).toBe("sent");
    await sandbox.clock.advance("14d");
    expect((await invoices.send(idOf(invoice))).status).toBe("overdue");
    await sandbox.deliveries.settled();
    expect(seen.filter((line) => line.includes("invoice.overdue"))).toHaveLength(1);
  });

  test("that is paid before its due date is never overdue", async () => {
    const invoice = await invoices.create({ amount: 1 });
    await invoices.send(idOf(invoice));
    await pay(1, String(invoice.number));
    await sandbox.clock.advance("30d");
    expect(await statusOf(invoice)).toBe("paid");
  });
});

describe("a payment with the number of an invoice", () => {
  test.each([
    [100, "INV-0001", "paid"],
    [100.01, "INV-0001", "paid"],
    [99.99, "INV-0001", "sent"],
    [100, "INV-0002", "sent"],
    [100, "inv-0001", "sent"],
  ])("of %d, labelled %s, leaves the invoice %s", async (amount, label, status) => {
    const invoice = await invoices.create({ amount: 100 });
    await invoices.send(idOf(invoice));
    await pay(amount, label);
    expect(await statusOf(invoice)).toBe(status);
  });

  test("pays it when it completes, and not when it fails", async () => {
    const invoice = await invoices.create({ amount: 100 });
    const order = { amount: 100, phone: PHONE, account_reference: String(invoice.number) };
    await mobileMoney.initiate(order);
    expect(await statusOf(invoice)).toBe("draft");
    sandbox.phone(PHONE).cancel();
    expect(await statusOf(invoice)).toBe("draft");
    await mobileMoney.initiate(order);
    sandbox.phone(PHONE).approve();
    expect(await statusOf(invoice)).toBe("paid");
  });

  test("sends one event, however often it is paid", async () => {
    const invoice = await invoices.create({ amount: 100 });
    await pay(100, String(invoice.number));
    await pay(100, String(invoice.number));
    await invoices.update(idOf(invoice), { status: "paid" });
    await sandbox.deliveries.settled();
    expect(seen.filter((line) => line.includes("invoice.paid"))).toHaveLength(1);
  });
});

describe("the status of an invoice", () => {
  test("can be set to paid", async () => {
    const invoice = await invoices.create({});
    expect((await invoices.update(idOf(invoice), { status: "paid" })).status).toBe("paid");
    await sandbox.deliveries.settled();
    expect(seen.at(-1)).toBe("2026-01-01T09:00 invoice.paid INV-0001 paid");
  });

  test("cannot be set to anything else, and a paid invoice is not sent again", async () => {
    const invoice = await invoices.create({});
    for (const status of ["sent", "overdue", "cancelled", 5]) {
      await expect(invoices.update(idOf(invoice), { status })).rejects.toThrow(/status/);
    }
    expect(await statusOf(invoice)).toBe("draft");
    await invoices.update(idOf(invoice), { status: "paid" });
    await expect(invoices.send(idOf(invoice))).rejects.toThrow(/status/);
    expect(await statusOf(invoice)).toBe("paid");
  });
});
