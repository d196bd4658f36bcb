import type { RejectionCause } from "../../../profile/causes.ts";

/** The parts of a probe, in their order. `deletion` also runs when an earlier part fails. */
export const PARTS = [
  "reads",
  "rejections",
  "prompt",
  "write",
  // While what was created is there, so that lists have items.
  "paging",
  "deletion",
  "after deletion",
] as const;

export type Part = (typeof PARTS)[number];

/** Which key a request carries. `unknown` is one that the service cannot know. */
type StepKey = "own" | "public" | "unknown" | "none";

/** What a later request needs to know of an earlier response, by the name that stands in braces. */
export type ValueName =
  // A path that the key may read. The others are paths of resources that the merchant has.
  | "readable"
  | "payment"
  // Payments of the other statuses in the list.
  | "otherPayment1"
  | "otherPayment2"
  | "otherPayment3"
  | "invoice"
  // Ids of the same kind as the service's own, that nothing has.
  | "unknownPayment"
  | "unknownInvoice"
  | "unknownWebhook"
  // What `--write` and `--prompt` make.
  | "mark"
  | "createdInvoice"
  | "createdWebhook"
  | "phone"
  | "startedPayment"
  | "startedCheckout"
  // The query parameter that sets the length of a page, and where the next page begins.
  | "pageSize"
  | "shownSize"
  | "shownPage"
  | "firstItem"
  | "cursor";

/** A list of the service. */
export type ListPath = "/merchant/payment-accounts" | "/payments" | "/webhooks" | "/invoices";

/** A body with `{names}` of values in its strings. */
export type Body = { readonly [field: string]: string | number | readonly string[] };

/** One request of the probe: a row of its plan. */
export interface Step {
  readonly part: Part;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL. `{name}` is a value: without it, the step is left out. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Body;
  /** A body that is not JSON. */
  readonly text?: string;
  readonly origin?: string;
  readonly key: StepKey;
  /** What the profile learns from the response, as the plan prints it. */
  readonly learns: string;
  /** What is wrong with the request, on purpose. */
  readonly cause?: RejectionCause;
  /** The list or the resource that the key must be able to read, so that the cause is the only one. */
  readonly reads?: ListPath | "/mobile-money/validate-phone";
  /** What the request creates at the service. It is deleted again. */
  readonly creates?: "invoice" | "webhook";
  /** It starts a payment, whose outcome must be known. */
  readonly starts?: true;
  /** It finds out which of several ids of the invoice the service accepts. */
  readonly confirms?: true;
  /** The values that the response provides. */
  readonly provides?: readonly ValueName[];
  /** Asked again until the payment is final. */
  readonly untilFinal?: true;
}
