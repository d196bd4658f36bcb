import { randomInt } from "node:crypto";
import type { EventKind, KnownWebhookEvent } from "../contract/events.ts";
import { formatTimestamp } from "../sandbox/clock/time.ts";

type Data = { readonly [Kind in EventKind]: KnownWebhookEvent<Kind>["data"] };

/**
 * `data` of each event. `payment.completed` and `payment.failed` hold the documented fields; the
 * others hold what the sandbox sends, or an example if the sandbox does not send the event.
 */
function sampleData(id: number, reference: string, now: number): Data {
  const payment = {
    payment_id: id,
    merchant_id: 1,
    reference,
    amount: "100.00",
    currency: "KES",
    phone: "254712345678",
    account_reference: "ORDER-42",
    checkout_request_id: `ws_CO_${id}`,
  };
  const invoice = {
    id: `inv_${id}`,
    number: "INV-0001",
    amount: "100.00",
    due_at: formatTimestamp(now),
    created_at: formatTimestamp(now - 14 * 24 * 3_600_000),
  };
  const subscription = { id: `sub_${id}`, plan: "monthly", amount: "100.00" };
  return {
    "payment.completed": {
      ...payment,
      status: "completed",
      transaction_id: `TX${id}`,
      provider_transaction_id: `TX${id}`,
      provider_reference: "The service request is processed successfully.",
      payer_name: "SAMPLE CUSTOMER",
    },
    "payment.failed": {
      payment_id: id,
      reference,
      amount: "100.00",
      status: "failed",
      failure_reason: "1032: the customer cancelled the request",
      user_message: "You cancelled the request.",
      retry_possible: true,
    },
    "payment.initiated": { ...payment, status: "pending" },
    "invoice.created": { ...invoice, status: "draft" },
    "invoice.paid": { ...invoice, status: "paid" },
    "invoice.overdue": { ...invoice, status: "overdue" },
    "subscription.created": { ...subscription, status: "active" },
    "subscription.canceled": { ...subscription, status: "canceled" },
  };
}

/**
 * An event as the service would send it now. Each call makes new ids and references, because a
 * receiver treats a second event about the same reference as a duplicate.
 */
export function sampleEvent(kind: string): Record<string, unknown> {
  const now = Date.now();
  const id = randomInt(1_000_000, 1_000_000_000);
  const data: Readonly<Record<string, unknown>> = sampleData(id, `PAY-SAMPLE${id}`, now);
  return { event: kind, timestamp: formatTimestamp(now), data: data[kind] ?? {} };
}
