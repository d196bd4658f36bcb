import { PAGING_STEPS } from "./paging-steps.ts";
import type { Step } from "./step.ts";
import { AFTER_DELETION_STEPS, DELETION_STEPS, WRITE_STEPS } from "./write-steps.ts";

const own = { key: "own" } as const;

/** Reads. They also find ids for the requests after them. */
// biome-ignore format: one line for each request
const READS: readonly Step[] = [
  { part: "reads", method: "GET", path: "/merchant", ...own, learns: "the merchant" },
  { part: "reads", method: "GET", path: "/merchant/payment-accounts", ...own, learns: "payment accounts, and the list around them" },
  { part: "reads", method: "GET", path: "/payments", ...own, provides: ["payment", "otherPayment1", "otherPayment2", "otherPayment3", "unknownPayment"], learns: "payments in a list" },
  { part: "reads", method: "GET", path: "/webhooks", ...own, provides: ["unknownWebhook"], learns: "webhooks" },
  { part: "reads", method: "GET", path: "/invoices", ...own, provides: ["invoice", "unknownInvoice"], learns: "invoices in a list" },
  { part: "reads", method: "GET", path: "/payments/{payment}", ...own, reads: "/payments", learns: "a payment" },
  { part: "reads", method: "GET", path: "/payments/{otherPayment1}", ...own, reads: "/payments", learns: "a payment of another status" },
  { part: "reads", method: "GET", path: "/payments/{otherPayment2}", ...own, reads: "/payments", learns: "a payment of another status" },
  { part: "reads", method: "GET", path: "/payments/{otherPayment3}", ...own, reads: "/payments", learns: "a payment of another status" },
  { part: "reads", method: "GET", path: "/invoices/{invoice}", ...own, reads: "/invoices", learns: "an invoice" },
  { part: "reads", method: "GET", path: "{readable}", origin: "https://shop.example", ...own, learns: "whether browsers may call the service" },
  { part: "reads", method: "POST", path: "/mobile-money/validate-phone", body: { phone: "0712345678" }, ...own, learns: "a valid phone number" },
];

/** Requests that a service rejects, and that cost nothing if it does not. */
// biome-ignore format: one line for each request
const REJECTIONS: readonly Step[] = [
  { part: "rejections", method: "GET", path: "{readable}", key: "none", cause: "no_key", learns: "no key" },
  { part: "rejections", method: "GET", path: "{readable}", key: "unknown", cause: "unknown_key", learns: "an unknown key" },
  { part: "rejections", method: "GET", path: "/payments/{unknownPayment}", ...own, reads: "/payments", cause: "unknown_id", learns: "an unknown id" },
  { part: "rejections", method: "GET", path: "/invoices/{unknownInvoice}", ...own, reads: "/invoices", cause: "unknown_id", learns: "an unknown id" },
  { part: "rejections", method: "DELETE", path: "/invoices/{unknownInvoice}", ...own, reads: "/invoices", cause: "unknown_id", learns: "an unknown id" },
  { part: "rejections", method: "DELETE", path: "/webhooks/{unknownWebhook}", ...own, reads: "/webhooks", cause: "unknown_id", learns: "an unknown id" },
  { part: "rejections", method: "DELETE", path: "/invoices/{unknownInvoice}", key: "public", reads: "/invoices", cause: "wrong_kind", learns: "the wrong kind of key" },
  { part: "rejections", method: "GET", path: "/malipo-probe", ...own, cause: "unknown_path", learns: "an unknown path" },
  { part: "rejections", method: "PATCH", path: "/payments", ...own, cause: "wrong_method", learns: "a wrong method" },
  { part: "rejections", method: "POST", path: "/mobile-money/validate-phone", body: { phone: "0812345678" }, ...own, reads: "/mobile-money/validate-phone", cause: "unusable_phone", learns: "a phone number that cannot be charged" },
  { part: "rejections", method: "POST", path: "/mobile-money/validate-phone", body: { phone: "12" }, ...own, reads: "/mobile-money/validate-phone", cause: "invalid_phone", learns: "an invalid phone number" },
  { part: "rejections", method: "POST", path: "/mobile-money/validate-phone", body: {}, ...own, reads: "/mobile-money/validate-phone", cause: "invalid_field", learns: "a missing field" },
  { part: "rejections", method: "POST", path: "/mobile-money/validate-phone", text: "{", ...own, reads: "/mobile-money/validate-phone", cause: "invalid_json", learns: "a body that is not JSON" },
];

/** One payment, followed to its end. */
// biome-ignore format: one line for each request
const PROMPT: readonly Step[] = [
  { part: "prompt", method: "POST", path: "/mobile-money/payment/initiate", body: { amount: 1, phone: "{phone}", description: "malipo probe", account_reference: "PROBE" }, ...own, starts: true, provides: ["startedPayment", "startedCheckout"], learns: "a payment that begins" },
  { part: "prompt", method: "GET", path: "/payments/{startedPayment}", ...own, learns: "a pending payment" },
  { part: "prompt", method: "POST", path: "/mobile-money/payment/status", body: { reference: "{startedPayment}" }, ...own, learns: "a status by reference" },
  { part: "prompt", method: "POST", path: "/mobile-money/payment/status", body: { checkout_request_id: "{startedCheckout}" }, ...own, learns: "a status by checkout request id" },
  { part: "prompt", method: "GET", path: "/payments/{startedPayment}", ...own, untilFinal: true, learns: "a payment that has ended" },
  { part: "prompt", method: "GET", path: "/payments", ...own, provides: ["payment", "unknownPayment"], learns: "the payment in the list" },
];

/** Every request that a probe may send, in its order. */
export const STEPS: readonly Step[] = [
  ...READS,
  ...REJECTIONS,
  ...PROMPT,
  ...WRITE_STEPS,
  ...PAGING_STEPS,
  ...DELETION_STEPS,
  ...AFTER_DELETION_STEPS,
];

/** What decides which requests a probe sends. */
export interface Choices {
  readonly write: boolean;
  readonly prompt: boolean;
  readonly hasPublicKey: boolean;
  /** Whether the key itself is a public one, which may only read. */
  readonly isPublic: boolean;
}

const WRITE_PARTS: readonly string[] = ["write", "deletion", "after deletion"];

/** A request that a public key may not make tells nothing about its cause with one. */
const requiresSecretKey = ({ method, key }: Step): boolean => method === "DELETE" && key === "own";

/** The requests of one probe. */
export function chooseSteps({ write, prompt, hasPublicKey, isPublic }: Choices): readonly Step[] {
  return STEPS.filter((step) => {
    if (step.part === "prompt" && !prompt) return false;
    if (WRITE_PARTS.includes(step.part) && !write) return false;
    if (step.key === "public" && !hasPublicKey) return false;
    return !(isPublic && requiresSecretKey(step));
  });
}
