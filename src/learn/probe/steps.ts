import type { KeyKind } from "../../contract/keys.ts";
import type { RejectionCause } from "../../profile/causes.ts";
import type { CreatedKind } from "./find-fields.ts";
import type { Template, ValueName } from "./step-values.ts";

/** The parts of a probe in their order, with their titles in the plan. */
export const PARTS = {
  reads: "Reads",
  rejections: "Rejections that cost nothing",
  prompt: "A payment",
  write: "An invoice and a webhook",
  // While what was created is there, so that lists have items.
  paging: "Paging, one question a request",
  deletion: "Their deletion, also if an earlier step fails",
  "after deletion": "What is left of them",
} as const;

export type Part = keyof typeof PARTS;

/** Which key a request carries. `unknown` is one that the service cannot know. */
type StepKey = "own" | "public" | "unknown" | "none";

/** One request of the probe, as the plan has it: a template is left out while a value is missing. */
interface StepRow extends Template {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly origin?: string;
  /** @default "own" */
  readonly key?: StepKey;
  /** What the profile learns from the response, as the plan prints it. */
  readonly learns: string;
  /** What is wrong with the request, on purpose. */
  readonly cause?: RejectionCause;
  /** The path that the key must be able to read, so that the cause is the only one. */
  readonly reads?: string;
  /** The values that the response provides. */
  readonly provides?: readonly ValueName[];
  /** What the request creates at the service. It is deleted again. */
  readonly creates?: CreatedKind;
  /** It finds out which of the ids of what was created the service accepts. */
  readonly confirms?: CreatedKind;
  /**
   * `start`: it starts a payment, whose outcome must be known. `listed`: asked until the list has it.
   * `follow`: asked until it is final.
   */
  readonly payment?: "start" | "listed" | "follow";
  /** What the query asks of a list. It is left out once that is known. */
  readonly asks?: "size" | "longest" | "position";
}

/** A row of the plan in its part. */
export interface Step extends StepRow {
  readonly part: Part;
}

/** The lists, from the one that usually has the most items. */
export const LISTS = ["/payments", "/invoices", "/webhooks", "/merchant/payment-accounts"] as const;

/** Usual names of the parameter that sets the length of a page, after the one that a response shows. */
const SIZE_NAMES = [
  ...["{shownSize}", "per_page", "limit", "page_size", "pageSize", "perPage", "size", "count"],
  "page[size]",
];

/** Usual names of the parameter that asks for another page. */
const POSITION_NAMES = ["{shownPage}", "page", "offset", "skip"];
const RARE_POSITION_NAMES = ["pageNumber", "page[number]", "p"];

const CURSOR_NAMES = ["cursor", "after", "page_token"];

/** Asked until the service accepts one. */
const LONG_PAGES = ["1000", "500", "100", "50"];

type Question = Omit<StepRow, "method" | "path">;

const positions = (names: readonly string[], value: string, learns: string): Question[] =>
  names.map((name) => ({ query: { "{pageSize}": "1", [name]: value }, asks: "position", learns }));

// Asked until the responses tell which parameters have an effect.
const QUESTIONS: readonly Question[] = [
  {
    query: {},
    provides: ["shownSize", "shownPage", "firstItem", "cursor"],
    learns: "the page that the others are compared with",
  },
  ...SIZE_NAMES.map((name) => ({
    query: { [name]: "1" },
    asks: "size" as const,
    provides: ["cursor" as const],
    learns: "a page of one item",
  })),
  ...positions(CURSOR_NAMES, "{cursor}", "the next page, by cursor"),
  ...LONG_PAGES.map((length) => ({
    query: { "{pageSize}": length },
    asks: "longest" as const,
    learns: "the longest page",
  })),
  { query: { page: "1" }, learns: "the number of the first page" },
  ...positions(POSITION_NAMES, "2", "another page"),
  ...positions(["starting_after"], "{firstItem}", "what follows an item"),
  ...positions(RARE_POSITION_NAMES, "2", "another page"),
  { query: { page: "2" }, asks: "position", learns: "the second page" },
];

/** How lists are paged. A service pages all of its lists in one way: the one with the most items is asked. */
const PAGING: readonly StepRow[] = QUESTIONS.map((question) => ({
  ...{ method: "GET", path: "{longestList}" },
  ...question,
}));

const VALIDATE = "/mobile-money/validate-phone";
const STATUS = "/mobile-money/payment/status";

// The address of the webhook leads nowhere, so that no event of the merchant leaves the service.
// The events are those that happen least.
const WEBHOOK = {
  name: "{mark}",
  url: "https://malipo-probe.example/webhooks",
  events: ["subscription.canceled"],
};
// The amounts show where a response repeats them, and as what: 137.00, 13700 or, rounded, 153.
const INVOICE = { amount: 137, description: "{mark}" };
const PAYMENT = {
  amount: 1,
  phone: "{phone}",
  description: "malipo probe",
  account_reference: "PROBE",
};

/** Every request that a probe may send. */
// biome-ignore format: one line for each request
const ROWS: Readonly<Record<Part, readonly StepRow[]>> = {
  // They also find ids for the requests after them.
  reads: [
    { method: "GET", path: "/merchant", learns: "the merchant" },
    { method: "GET", path: "/merchant/payment-accounts", learns: "payment accounts, and the list around them" },
    { method: "GET", path: "/payments", provides: ["payment", "otherPayment1", "otherPayment2", "otherPayment3", "unknownPayment"], learns: "payments in a list" },
    { method: "GET", path: "/webhooks", provides: ["unknownWebhook"], learns: "webhooks" },
    { method: "GET", path: "/invoices", provides: ["invoice", "unknownInvoice"], learns: "invoices in a list" },
    { method: "GET", path: "/payments/{payment}", reads: "/payments", learns: "a payment" },
    { method: "GET", path: "/payments/{otherPayment1}", reads: "/payments", learns: "a payment of another status" },
    { method: "GET", path: "/payments/{otherPayment2}", reads: "/payments", learns: "a payment of another status" },
    { method: "GET", path: "/payments/{otherPayment3}", reads: "/payments", learns: "a payment of another status" },
    { method: "GET", path: "/invoices/{invoice}", reads: "/invoices", learns: "an invoice" },
    { method: "GET", path: "{readable}", origin: "https://shop.example", learns: "whether browsers may call the service" },
    { method: "POST", path: VALIDATE, body: { phone: "0712345678" }, learns: "a valid phone number" },
  ],
  // They cost nothing if the service does not reject them.
  rejections: [
    { method: "GET", path: "{readable}", key: "none", cause: "no_key", learns: "no key" },
    { method: "GET", path: "{readable}", key: "unknown", cause: "unknown_key", learns: "an unknown key" },
    { method: "GET", path: "/payments/{unknownPayment}", reads: "/payments", cause: "unknown_id", learns: "an unknown id" },
    { method: "GET", path: "/invoices/{unknownInvoice}", reads: "/invoices", cause: "unknown_id", learns: "an unknown id" },
    { method: "DELETE", path: "/invoices/{unknownInvoice}", reads: "/invoices", cause: "unknown_id", learns: "an unknown id" },
    { method: "DELETE", path: "/webhooks/{unknownWebhook}", reads: "/webhooks", cause: "unknown_id", learns: "an unknown id" },
    { method: "DELETE", path: "/invoices/{unknownInvoice}", key: "public", reads: "/invoices", cause: "wrong_kind", learns: "the wrong kind of key" },
    { method: "GET", path: "/malipo-probe", cause: "unknown_path", learns: "an unknown path" },
    { method: "PATCH", path: "/payments", cause: "wrong_method", learns: "a wrong method" },
    { method: "POST", path: VALIDATE, body: { phone: "0812345678" }, reads: VALIDATE, cause: "unusable_phone", learns: "a phone number that cannot be charged" },
    { method: "POST", path: VALIDATE, body: { phone: "12" }, reads: VALIDATE, cause: "invalid_phone", learns: "an invalid phone number" },
    { method: "POST", path: VALIDATE, body: {}, reads: VALIDATE, cause: "invalid_field", learns: "a missing field" },
    { method: "POST", path: VALIDATE, text: "{", reads: VALIDATE, cause: "invalid_json", learns: "a body that is not JSON" },
  ],
  // One payment, followed to its end.
  prompt: [
    { method: "POST", path: "/mobile-money/payment/initiate", body: PAYMENT, payment: "start", provides: ["startedPayment", "startedCheckout"], learns: "a payment that begins" },
    { method: "GET", path: "/payments/{startedPayment}", learns: "a pending payment" },
    { method: "POST", path: STATUS, body: { reference: "{startedPayment}" }, learns: "a status by reference" },
    { method: "POST", path: STATUS, body: { checkout_request_id: "{startedCheckout}" }, learns: "a status by checkout request id" },
    { method: "GET", path: "/payments", reads: "/payments", payment: "listed", learns: "how long a new payment takes until it is in the list" },
    { method: "GET", path: "/payments/{startedPayment}", payment: "follow", learns: "a payment that has ended" },
    { method: "GET", path: "/payments", provides: ["payment", "unknownPayment"], learns: "the payment in the list" },
  ],
  // An invoice and a webhook, for the time of the probe.
  write: [
    { method: "POST", path: "/invoices", body: INVOICE, creates: "invoice", learns: "an invoice that was created" },
    { method: "GET", path: "/invoices/{createdInvoice}", confirms: "invoice", learns: "an invoice" },
    { method: "GET", path: "/invoices", learns: "an invoice in a list" },
    { method: "PUT", path: "/invoices/{createdInvoice}", body: { ...INVOICE, amount: 152.5 }, learns: "an invoice that was changed" },
    { method: "PUT", path: "/invoices/{createdInvoice}", body: INVOICE, key: "public", cause: "wrong_kind", learns: "the wrong kind of key" },
    { method: "PUT", path: "/invoices/{createdInvoice}", body: { ...INVOICE, amount: "none" }, cause: "invalid_field", learns: "the rejection of an invalid field" },
    { method: "POST", path: "/webhooks/register", body: WEBHOOK, creates: "webhook", learns: "a webhook that was registered" },
    { method: "GET", path: "/webhooks", learns: "a webhook in a list" },
    { method: "PUT", path: "/webhooks/{createdWebhook}", body: { ...WEBHOOK, events: ["subscription.created"] }, confirms: "webhook", learns: "a webhook that was changed" },
    { method: "PUT", path: "/webhooks/{createdWebhook}", body: { ...WEBHOOK, url: "none" }, cause: "invalid_field", learns: "the rejection of an invalid field" },
    { method: "POST", path: STATUS, body: { reference: "{payment}" }, learns: "a status by reference" },
    { method: "POST", path: STATUS, body: { reference: "{unknownPayment}" }, cause: "unknown_id", learns: "the rejection of an unknown payment" },
  ],
  paging: PAGING,
  // They run when an earlier step has failed too, and at Ctrl-C.
  deletion: [
    { method: "DELETE", path: "/invoices/{createdInvoice}", learns: "a deletion" },
    { method: "DELETE", path: "/webhooks/{createdWebhook}", learns: "a deletion" },
  ],
  // What is left of something that was deleted.
  "after deletion": [
    { method: "GET", path: "/invoices/{createdInvoice}", cause: "unknown_id", learns: "an invoice that was deleted" },
  ],
};

/** Every request that a probe may send, in its order. */
export const STEPS: readonly Step[] = (Object.keys(PARTS) as Part[]).flatMap((part) =>
  ROWS[part].map((row) => ({ part, ...row })),
);

/** What decides which requests a probe sends. */
export interface Choices {
  readonly write: boolean;
  /** The phone that a payment is started on. */
  readonly phone?: string | undefined;
  readonly publicKey?: string | undefined;
  /** The kind of the key itself. A public one may only read. */
  readonly keyKind: KeyKind;
}

const WRITE_PARTS: readonly string[] = ["write", "deletion", "after deletion"];

/** The requests of one probe. */
export function chooseSteps({ write, phone, publicKey, keyKind }: Choices): readonly Step[] {
  return STEPS.filter(({ part, method, key = "own" }) => {
    if (part === "prompt" && phone === undefined) return false;
    if (WRITE_PARTS.includes(part) && !write) return false;
    if (key === "public" && publicKey === undefined) return false;
    // A request that a public key may not make tells nothing about its cause with one.
    return !(keyKind === "public" && method === "DELETE" && key === "own");
  });
}
