import type { Step } from "./step.ts";

const own = { key: "own" } as const;

// The address of the webhook leads nowhere, so that no event of the merchant leaves the service.
// The events are those that happen least.
const WEBHOOK = {
  name: "{mark}",
  url: "https://malipo-probe.example/webhooks",
  events: ["subscription.canceled"],
};
// The amounts show where a response repeats them, and as what: 137.00, 13700 or, rounded, 153.
const INVOICE = { amount: 137, description: "{mark}" };

/** What `--write` adds: an invoice and a webhook, for the time of the probe. */
// biome-ignore format: one line for each request
export const WRITE_STEPS: readonly Step[] = [
  { part: "write", method: "POST", path: "/invoices", body: INVOICE, ...own, creates: "invoice", learns: "an invoice that was created" },
  { part: "write", method: "GET", path: "/invoices/{createdInvoice}", ...own, confirms: true, learns: "an invoice" },
  { part: "write", method: "GET", path: "/invoices", ...own, learns: "an invoice in a list" },
  { part: "write", method: "PUT", path: "/invoices/{createdInvoice}", body: { ...INVOICE, amount: 152.5 }, ...own, learns: "an invoice that was changed" },
  { part: "write", method: "PUT", path: "/invoices/{createdInvoice}", body: { ...INVOICE, amount: "none" }, ...own, cause: "invalid_field", learns: "the rejection of an invalid field" },
  { part: "write", method: "PUT", path: "/invoices/{createdInvoice}", body: INVOICE, key: "public", cause: "wrong_kind", learns: "the rejection of a public key" },
  { part: "write", method: "POST", path: "/webhooks/register", body: WEBHOOK, ...own, creates: "webhook", learns: "a webhook that was registered" },
  { part: "write", method: "GET", path: "/webhooks", ...own, learns: "a webhook in a list" },
  { part: "write", method: "PUT", path: "/webhooks/{createdWebhook}", body: { ...WEBHOOK, events: ["subscription.created"] }, ...own, learns: "a webhook that was changed" },
  { part: "write", method: "PUT", path: "/webhooks/{createdWebhook}", body: { ...WEBHOOK, url: "none" }, ...own, cause: "invalid_field", learns: "the rejection of an invalid field" },
  { part: "write", method: "POST", path: "/mobile-money/payment/status", body: { reference: "{payment}" }, ...own, learns: "a status by reference" },
  { part: "write", method: "POST", path: "/mobile-money/payment/status", body: { reference: "{unknownPayment}" }, ...own, cause: "unknown_id", learns: "the rejection of an unknown payment" },
];

/** They run when an earlier step has failed too, and at Ctrl-C. */
// biome-ignore format: one line for each request
export const DELETION_STEPS: readonly Step[] = [
  { part: "deletion", method: "DELETE", path: "/invoices/{createdInvoice}", ...own, learns: "a deletion" },
  { part: "deletion", method: "DELETE", path: "/webhooks/{createdWebhook}", ...own, learns: "a deletion" },
];

/** What is left of something that was deleted. */
// biome-ignore format: one line for each request
export const AFTER_DELETION_STEPS: readonly Step[] = [
  { part: "after deletion", method: "GET", path: "/invoices/{createdInvoice}", ...own, cause: "unknown_id", learns: "an invoice that was deleted" },
  { part: "after deletion", method: "DELETE", path: "/invoices/{createdInvoice}", ...own, cause: "unknown_id", learns: "a second deletion" },
  { part: "after deletion", method: "DELETE", path: "/webhooks/{createdWebhook}", ...own, cause: "unknown_id", learns: "a second deletion" },
];
