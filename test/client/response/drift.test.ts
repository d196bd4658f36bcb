import type { DriftView } from "malipo";
import { describe, expect, test } from "vitest";
import { gatewayWith } from "../support/gateway.ts";
import { json } from "../support/responses.ts";

const PAYMENT = {
  payment_id: 7,
  merchant_id: 1,
  reference: "PAY-1",
  amount: "100.00",
  currency: "KES",
  phone: "254712345678",
  status: "completed",
  account_reference: "ORDER-42",
  checkout_request_id: "ws_1",
  transaction_id: "TX1",
  provider_transaction_id: "TX1",
  provider_reference: "done",
  payer_name: "A",
  failure_reason: "r",
  user_message: "m",
  retry_possible: true,
};

/** A gateway whose service returns this, and the drift that it reports. */
function telling(data: unknown) {
  const drifts: DriftView[] = [];
  const { gateway } = gatewayWith([json({ success: true, data })], {
    hooks: { drift: (view) => drifts.push(view) },
  });
  return { gateway, drifts };
}

describe("a payment", () => {
  test("as documented causes no drift report", async () => {
    const { gateway, drifts } = telling(PAYMENT);
    await expect(gateway.payments.get("PAY-1")).resolves.toEqual(PAYMENT);
    expect(drifts).toEqual([]);
  });

  test("with undocumented fields and status causes no drift report", async () => {
    const { gateway, drifts } = telling({ status: "reversed", fee: 1, trail: [] });
    await gateway.payments.get("PAY-1");
    expect(drifts).toEqual([]);
  });

  const TYPES: Readonly<Record<string, unknown>> = PAYMENT;
  test.each(Object.keys(PAYMENT).filter((field) => field !== "status"))(
    "whose %s has another type passes through and is reported",
    async (field) => {
      const wrong = typeof TYPES[field] === "string" ? 100 : "100";
      const { gateway, drifts } = telling({ ...PAYMENT, [field]: wrong });
      await expect(gateway.payments.get("PAY-1")).resolves.toEqual({ ...PAYMENT, [field]: wrong });
      const expected = { string: "a string", number: "a number", boolean: "true or false" };
      expect(drifts).toEqual([
        {
          endpoint: "GET /payments/{reference}",
          path: `data.${field}`,
          expected: expected[typeof TYPES[field] as keyof typeof expected],
          received: typeof wrong,
        },
      ]);
    },
  );
});

test("the drift of a list says in which item it is", async () => {
  const { gateway, drifts } = telling([PAYMENT, { amount: 5 }, "no payment"]);
  const page = await gateway.payments.list();
  expect(page.items).toEqual([PAYMENT, { amount: 5 }, "no payment"]);
  expect(drifts.map(({ path, expected, received }) => [path, expected, received])).toEqual([
    ["data.1.status", "a string", "undefined"],
    ["data.1.amount", "a string", "number"],
    ["data.2", "an object", "string"],
  ]);
});

test.each([
  ["an array", [], "array"],
  ["null", null, "null"],
  ["an object", {}, "object"],
])("the received type is reported: %s", async (_, amount, received) => {
  const { gateway, drifts } = telling({ status: "pending", amount });
  await gateway.payments.get("PAY-1");
  expect(drifts).toMatchObject([{ path: "data.amount", received }]);
});

test("a drift report never holds the value", async () => {
  const { gateway, drifts } = telling({
    status: "pending",
    phone: 254712345678,
    payer_name: ["Wanjiru"],
  });
  await gateway.payments.get("PAY-1");
  expect(drifts).toHaveLength(2);
  expect(JSON.stringify(drifts)).not.toMatch(/254712345678|Wanjiru/);
});

test("the drift of a webhook is reported, whose id may be a number or a string", async () => {
  const { gateway, drifts } = telling([
    { id: 1, name: "a", url: "https://a.example", events: [] },
    { id: "b" },
    { id: true, events: "payment.completed" },
    "no webhook",
  ]);
  await gateway.webhooks.list();
  expect(drifts.map(({ path, expected }) => [path, expected])).toEqual([
    ["data.2.id", "an identifier (a string or a number)"],
    ["data.2.events", "an array of strings"],
    ["data.3", "an object"],
  ]);
});

test("an undocumented response cannot drift", async () => {
  const { gateway, drifts } = telling([1, null, "x", { payment_account_id: true }]);
  await gateway.merchant.paymentAccounts();
  await gateway.merchant.get();
  await gateway.invoices.list();
  await gateway.invoices.get(1);
  await gateway.mobileMoney.validatePhone("0712345678");
  expect(drifts).toEqual([]);
});
