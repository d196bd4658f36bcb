import { memory } from "malipo";
import type { Order } from "malipo/checkout";
import { signWebhook } from "malipo/webhooks";
import { describe, expect, it } from "vitest";
import { labelsLike, MAX_LABELS } from "../../../src/checkout/orders/typed-label.ts";
import { newSandbox, openShop } from "../stage.ts";

/** Someone pays by hand, with a label; the webhook reaches the shop. */
async function typed(label: string, ids: readonly string[], prefix = "") {
  const sandbox = newSandbox();
  const { checkout, given } = openShop(sandbox, memory().checkout(), { prefix });
  for (const id of ids) await checkout.create({ id, amount: 1500 });
  const data = {
    ...{ reference: "PAY-HAND", payment_id: 9, status: "completed", account_reference: label },
    ...{ amount: "1500.00", currency: "KES", phone: "254712345678" },
  };
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ event: "payment.completed", timestamp, data });
  const headers = { "x-service-signature": signWebhook(body, sandbox.webhookSecret) };
  expect(await checkout.receiver.handle({ method: "POST", headers, body })).toMatchObject({
    status: 200,
  });
  await checkout.reconcile();
  const orders = await Promise.all(ids.map((id) => checkout.inspect(id)));
  return { given, orders: orders as Order[], reviews: await checkout.reviews.list() };
}

describe("a label that was typed by hand", () => {
  it.each([
    ["ORDER-42", "ORDER 42"],
    ["ORDER-42", "order_42"],
    ["ORDER-42", "Order42"],
    ["ORDER-42", "42"],
    ["ORDER-42", "#42"],
    ["ORDER-42", "ref order 42"],
    ["ORDER-42", "ODA 42"],
    ["42", "Order 42"],
    ["INV-7", "invoice 7"],
    ["K7Q2-M9X4", "k7q2 m9x4"],
    ["K7Q2M9X4KD1T", "k7q2 m9x4"],
  ])("pays the one open order that fits, %s: %j", async (id, label) => {
    const isWhole = id !== "K7Q2M9X4KD1T";
    const { orders, reviews, given } = await typed(label, [id, "OTHER-9"]);
    expect(orders.map(({ status }) => status)).toEqual([isWhole ? "paid" : "open", "open"]);
    expect(given).toEqual(isWhole ? [id] : []);
    expect(reviews).toHaveLength(isWhole ? 0 : 1);
  });

  it("pays none if two open orders fit, and the review names both", async () => {
    const { orders, reviews } = await typed("42", ["ORDER-42", "INV-42"]);
    expect(orders.map(({ status }) => status)).toEqual(["open", "open"]);
    expect(reviews).toMatchObject([{ kind: "unmatched" }]);
    expect(reviews[0]?.message).toMatch(
      /Its account reference is "42"\. Orders with one like it: (?:ORDER-42 \(open\), INV-42|INV-42 \(open\), ORDER-42) \(open\)\./,
    );
  });

  it.each([
    ["invoice 42", "ORDER-42"],
    ["43", "ORDER-42"],
    ["ORDER 4 2", "ORDER-42"],
    ["A 42", "ORDER-42"],
  ])("%j is not the order %s", async (label, id) => {
    const { orders, reviews } = await typed(label, [id]);
    expect(orders[0]?.status).toBe("open");
    expect(reviews[0]?.message).toBe(
      `The payment belongs to no order, or to one that has 50 such payments already. Its account reference is "${label}". No order has one like it.`,
    );
  });

  it("is not shown whole if it is a phone", async () => {
    const { reviews } = await typed("0722987654", ["ORDER-42"]);
    expect(reviews[0]?.message).toContain('Its account reference is "0722***654".');
  });

  it("with a prefix, differs only in case and separators", async () => {
    expect((await typed("a 42", ["42"], "A-")).orders[0]?.status).toBe("paid");
    for (const label of ["42", "A42-1", "AB-42", "order a-42"]) {
      const { orders, reviews } = await typed(label.slice(0, 12), ["42"], "A-");
      expect(orders[0]?.status, label).toBe("open");
      expect(reviews, label).toEqual([]);
    }
  });
});

it("a typed text stands for a few labels", () => {
  expect(labelsLike("ORDER-42", "")).not.toContain("ORDER-42");
  for (const text of ["order 42", "42", "a b c d e", "ref no 4/2", "", "???", "x".repeat(500)]) {
    expect(labelsLike(text, "").length).toBeLessThan(MAX_LABELS);
  }
});
