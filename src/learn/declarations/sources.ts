import type { EventKind } from "../../contract/events.ts";

/** An interface of the package that users widen, and where its resource was seen. */
export interface Source {
  readonly name: string;
  /** Endpoints whose unwrapped `data`, or whose items, are the resource. */
  readonly endpoints: readonly string[];
  /** The fields that the package declares itself: an interface cannot declare them a second time. */
  readonly declared: readonly string[];
}

const PAYMENT_FIELDS = [
  ...["status", "payment_id", "merchant_id", "reference", "amount", "currency", "phone"],
  ...["account_reference", "checkout_request_id", "transaction_id", "provider_transaction_id"],
  ...["provider_reference", "payer_name", "failure_reason", "user_message", "retry_possible"],
];

/** The interfaces of `malipo`. */
export const RESOURCE_SOURCES: readonly Source[] = [
  { name: "Merchant", endpoints: ["GET /merchant"], declared: [] },
  {
    name: "PaymentAccount",
    endpoints: ["GET /merchant/payment-accounts"],
    declared: ["payment_account_id"],
  },
  {
    name: "Payment",
    endpoints: ["GET /payments/{reference}", "GET /payments"],
    declared: PAYMENT_FIELDS,
  },
  { name: "InitiatedPayment", endpoints: ["POST /payments/initiate"], declared: [] },
  {
    name: "MobileMoneyPayment",
    endpoints: ["POST /mobile-money/payment/initiate"],
    declared: ["reference", "checkout_request_id"],
  },
  { name: "MobileMoneyStatus", endpoints: ["POST /mobile-money/payment/status"], declared: [] },
  { name: "PhoneValidation", endpoints: ["POST /mobile-money/validate-phone"], declared: [] },
  {
    name: "Webhook",
    endpoints: ["POST /webhooks/register", "GET /webhooks", "PUT /webhooks/{id}"],
    declared: ["id", "name", "url", "events"],
  },
  {
    name: "Invoice",
    endpoints: [
      "POST /invoices",
      "GET /invoices",
      "GET /invoices/{invoice}",
      "PUT /invoices/{invoice}",
      "POST /invoices/{invoice}/send",
    ],
    declared: [],
  },
];

/** The interfaces of `malipo/webhooks`, by the kind of event whose `data` they are. */
export const EVENT_SOURCES: Readonly<
  Record<EventKind, { readonly name: string; readonly declared: readonly string[] }>
> = {
  "payment.completed": {
    name: "PaymentCompletedData",
    declared: PAYMENT_FIELDS.slice(0, 13),
  },
  "payment.failed": {
    name: "PaymentFailedData",
    declared: [
      ...["payment_id", "reference", "amount", "status"],
      ...["failure_reason", "user_message", "retry_possible"],
    ],
  },
  "payment.initiated": { name: "PaymentInitiatedData", declared: [] },
  "invoice.created": { name: "InvoiceCreatedData", declared: [] },
  "invoice.paid": { name: "InvoicePaidData", declared: [] },
  "invoice.overdue": { name: "InvoiceOverdueData", declared: [] },
  "subscription.created": { name: "SubscriptionCreatedData", declared: [] },
  "subscription.canceled": { name: "SubscriptionCanceledData", declared: [] },
};
