import type { EndpointName } from "../contract/endpoints.ts";
import type { EventKind } from "../contract/events.ts";
import type { Json } from "./fields.ts";

// The sandbox returns values like these. For undocumented fields the service may differ.

const TIMESTAMP = "2026-01-01T09:00:00+03:00";
const REFERENCE = "PAY-7Q3ZKX9M2B4T";
const CHECKOUT_REQUEST_ID = "ws_CO_27013951806423397510";

const PAYMENT_PARAMS: Json = { amount: 100, phone: "0712345678", account_reference: "ORDER-17" };
const INITIATED: Json = { reference: REFERENCE, checkout_request_id: CHECKOUT_REQUEST_ID };

const COMPLETED: Json = {
  payment_id: 1,
  merchant_id: 1,
  reference: REFERENCE,
  amount: "100.00",
  currency: "KES",
  phone: "254712345678",
  status: "completed",
  account_reference: "ORDER-17",
  checkout_request_id: CHECKOUT_REQUEST_ID,
  transaction_id: "TX93K0B7QA",
  provider_transaction_id: "TX93K0B7QA",
  provider_reference: "The service request is processed successfully.",
  payer_name: "JANE DOE",
};

const FAILED: Json = {
  payment_id: 1,
  reference: REFERENCE,
  amount: "100.00",
  status: "failed",
  failure_reason: "1032: the customer cancelled the request",
  user_message: "You cancelled the request.",
  retry_possible: true,
};

const REGISTRATION: Json = {
  name: "shop",
  url: "https://shop.example/webhooks",
  events: ["payment.completed", "payment.failed"],
};
const WEBHOOK: Json = { id: "wh_3kQ9vTz7LmXa", ...REGISTRATION };

const INVOICE: Json = {
  title: "May",
  id: "inv_8hWc2RtYp4Ks",
  number: "INV-0001",
  status: "draft",
  amount: "250.00",
  due_at: "2026-01-15T09:00:00+03:00",
  created_at: TIMESTAMP,
};

const META: Json = { page: 1, per_page: 20, total: 1 };

interface EndpointExample {
  /** The request body, if there is one. */
  readonly request?: Json;
  /** `data` of the response. */
  readonly data: unknown;
  /** `meta` of the response, if it is a list. */
  readonly meta?: Json;
}

export const ENDPOINT_EXAMPLES: Readonly<Record<EndpointName, EndpointExample>> = {
  "merchant.get": { data: { merchant_id: 1, name: "Duka la Mfano", country: "KE" } },
  "merchant.paymentAccounts": { data: [{ payment_account_id: 1, name: "Till" }], meta: META },
  "payments.get": { data: COMPLETED },
  "payments.list": { data: [COMPLETED], meta: META },
  "payments.initiate": { request: PAYMENT_PARAMS, data: INITIATED },
  "mobileMoney.initiate": { request: PAYMENT_PARAMS, data: INITIATED },
  "mobileMoney.status": { request: { reference: REFERENCE }, data: COMPLETED },
  "mobileMoney.validatePhone": {
    request: { phone: "0712345678" },
    data: { valid: true, phone: "254712345678", network: "Safaricom" },
  },
  "webhooks.register": { request: REGISTRATION, data: WEBHOOK },
  "webhooks.list": { data: [WEBHOOK], meta: META },
  "webhooks.update": { request: { name: "till" }, data: { ...WEBHOOK, name: "till" } },
  "webhooks.delete": { data: { id: WEBHOOK.id, deleted: true } },
  "invoices.create": { request: { title: "May", amount: 250 }, data: INVOICE },
  "invoices.list": { data: [INVOICE], meta: META },
  "invoices.get": { data: INVOICE },
  "invoices.update": { request: { title: "June" }, data: { ...INVOICE, title: "June" } },
  "invoices.delete": { data: { id: INVOICE.id, deleted: true } },
  "invoices.send": { request: {}, data: { ...INVOICE, status: "sent" } },
};

const EVENT_DATA: Readonly<Record<EventKind, Json>> = {
  "payment.completed": COMPLETED,
  "payment.failed": FAILED,
  "payment.initiated": { payment_id: 1, reference: REFERENCE, amount: "100.00", status: "pending" },
  "invoice.created": INVOICE,
  "invoice.paid": { ...INVOICE, status: "paid" },
  "invoice.overdue": { ...INVOICE, status: "overdue" },
  "subscription.created": { id: 1 },
  "subscription.canceled": { id: 1 },
};

/** An example of the body of a delivery. */
export const eventExample = (kind: EventKind): Json => ({
  event: kind,
  timestamp: TIMESTAMP,
  data: EVENT_DATA[kind],
});
