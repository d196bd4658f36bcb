import type { EndpointName } from "../contract/endpoints.ts";

/** What the document says of a row beside what the contract's table says. */
interface RowNotes {
  readonly summary: string;
  /** What of it the interface does not show. */
  readonly open: readonly ("scope" | "query" | "request" | "response")[];
  /** The schema of the request, where the contract takes any object. */
  readonly request?: string;
  /** The schema of `data`, or of each item of a list, where the contract has none. */
  readonly data?: string;
}

export const ROWS: Readonly<Record<EndpointName, RowNotes>> = {
  "merchant.get": { summary: "The merchant", open: ["response"], data: "Merchant" },
  "merchant.paymentAccounts": {
    summary: "The merchant's payment accounts",
    open: ["response"],
    data: "PaymentAccount",
  },
  "payments.get": { summary: "One payment", open: [] },
  "payments.list": { summary: "Payments", open: ["query", "response"] },
  "payments.initiate": {
    summary: "Start a payment",
    open: ["scope", "request", "response"],
    request: "MobileMoneyPaymentParams",
    data: "MobileMoneyPayment",
  },
  "mobileMoney.initiate": { summary: "Prompt a customer's phone for a payment", open: [] },
  "mobileMoney.status": {
    summary: "How a payment stands",
    open: ["request", "response"],
    request: "PaymentLookup",
    data: "Payment",
  },
  "mobileMoney.validatePhone": {
    summary: "Validate a phone number",
    open: ["response"],
    data: "PhoneValidation",
  },
  "webhooks.register": { summary: "Register a webhook", open: ["response"] },
  "webhooks.list": { summary: "Webhooks", open: ["query", "response"] },
  "webhooks.update": { summary: "Change a webhook", open: ["request", "response"] },
  "webhooks.delete": { summary: "Delete a webhook", open: ["response"], data: "Deletion" },
  "invoices.create": {
    summary: "Create an invoice",
    open: ["request", "response"],
    request: "InvoiceFields",
    data: "Invoice",
  },
  "invoices.list": { summary: "Invoices", open: ["query", "response"], data: "Invoice" },
  "invoices.get": { summary: "One invoice", open: ["response"], data: "Invoice" },
  "invoices.update": {
    summary: "Change an invoice",
    open: ["request", "response"],
    request: "InvoiceFields",
    data: "Invoice",
  },
  "invoices.delete": { summary: "Delete an invoice", open: ["response"], data: "Deletion" },
  "invoices.send": {
    summary: "Send an invoice",
    open: ["request", "response"],
    request: "InvoiceSendParams",
    data: "Invoice",
  },
};
