import type { EndpointName } from "../contract/endpoints.ts";

interface EndpointNotes {
  readonly summary: string;
  /** Name of the request's schema, if the service does not document the request. */
  readonly request?: string;
  /** Name of the schema of `data`, or of each item of a list, if the contract has none. */
  readonly data?: string;
  /** What the example of `data` has in another way than that of its schema. */
  readonly example?: object;
  /** Whether it takes the number of a page. The service does not document how. */
  readonly isPaged?: true;
}

/** What the document says about each endpoint beside what the contract's table says. */
export const ENDPOINT_NOTES: Readonly<Record<EndpointName, EndpointNotes>> = {
  "merchant.get": { summary: "Read the merchant", data: "Merchant" },
  "merchant.paymentAccounts": {
    summary: "List the merchant's payment accounts",
    data: "PaymentAccount",
  },
  "payments.get": { summary: "Read a payment" },
  "payments.list": { summary: "List payments", isPaged: true },
  "payments.initiate": {
    summary: "Start a payment",
    request: "MobileMoneyPaymentParams",
    data: "MobileMoneyPayment",
  },
  "mobileMoney.initiate": { summary: "Start a payment with a prompt on a customer's phone" },
  "mobileMoney.status": {
    summary: "Read the status of a payment",
    request: "PaymentLookup",
    data: "Payment",
  },
  "mobileMoney.validatePhone": { summary: "Validate a phone number", data: "PhoneValidation" },
  "webhooks.register": { summary: "Register a webhook" },
  "webhooks.list": { summary: "List webhooks", isPaged: true },
  "webhooks.update": { summary: "Change a webhook", request: "WebhookChanges" },
  "webhooks.delete": { summary: "Delete a webhook", data: "Deletion" },
  "invoices.create": { summary: "Create an invoice", request: "InvoiceFields", data: "Invoice" },
  "invoices.list": { summary: "List invoices", data: "Invoice", isPaged: true },
  "invoices.get": { summary: "Read an invoice", data: "Invoice" },
  "invoices.update": { summary: "Change an invoice", request: "InvoiceFields", data: "Invoice" },
  "invoices.delete": { summary: "Delete an invoice", data: "Deletion" },
  "invoices.send": {
    summary: "Send an invoice",
    request: "InvoiceSendParams",
    data: "Invoice",
    example: { status: "sent" },
  },
};
