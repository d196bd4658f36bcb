import type { EndpointName } from "../contract/endpoints.ts";

interface EndpointNotes {
  readonly summary: string;
  /** The parts that the service does not document. */
  readonly undocumented: readonly ("scope" | "query" | "request" | "response")[];
  /** Name of the request's schema, if the contract accepts any object. */
  readonly requestSchema?: string;
  /** Name of the schema of `data`, or of each item of a list, if the contract has none. */
  readonly dataSchema?: string;
}

/** What the document says about each endpoint beside what the contract's table says. */
export const ENDPOINT_NOTES: Readonly<Record<EndpointName, EndpointNotes>> = {
  "merchant.get": {
    summary: "Read the merchant",
    undocumented: ["response"],
    dataSchema: "Merchant",
  },
  "merchant.paymentAccounts": {
    summary: "List the merchant's payment accounts",
    undocumented: ["response"],
    dataSchema: "PaymentAccount",
  },
  "payments.get": { summary: "Read a payment", undocumented: [] },
  "payments.list": { summary: "List payments", undocumented: ["query", "response"] },
  "payments.initiate": {
    summary: "Start a payment",
    undocumented: ["scope", "request", "response"],
    requestSchema: "MobileMoneyPaymentParams",
    dataSchema: "MobileMoneyPayment",
  },
  "mobileMoney.initiate": {
    summary: "Start a payment with a prompt on a customer's phone",
    undocumented: [],
  },
  "mobileMoney.status": {
    summary: "Read the status of a payment",
    undocumented: ["request", "response"],
    requestSchema: "PaymentLookup",
    dataSchema: "Payment",
  },
  "mobileMoney.validatePhone": {
    summary: "Validate a phone number",
    undocumented: ["response"],
    dataSchema: "PhoneValidation",
  },
  "webhooks.register": { summary: "Register a webhook", undocumented: ["response"] },
  "webhooks.list": { summary: "List webhooks", undocumented: ["query", "response"] },
  "webhooks.update": { summary: "Change a webhook", undocumented: ["request", "response"] },
  "webhooks.delete": {
    summary: "Delete a webhook",
    undocumented: ["response"],
    dataSchema: "Deletion",
  },
  "invoices.create": {
    summary: "Create an invoice",
    undocumented: ["request", "response"],
    requestSchema: "InvoiceFields",
    dataSchema: "Invoice",
  },
  "invoices.list": {
    summary: "List invoices",
    undocumented: ["query", "response"],
    dataSchema: "Invoice",
  },
  "invoices.get": { summary: "Read an invoice", undocumented: ["response"], dataSchema: "Invoice" },
  "invoices.update": {
    summary: "Change an invoice",
    undocumented: ["request", "response"],
    requestSchema: "InvoiceFields",
    dataSchema: "Invoice",
  },
  "invoices.delete": {
    summary: "Delete an invoice",
    undocumented: ["response"],
    dataSchema: "Deletion",
  },
  "invoices.send": {
    summary: "Send an invoice",
    undocumented: ["request", "response"],
    requestSchema: "InvoiceSendParams",
    dataSchema: "Invoice",
  },
};
