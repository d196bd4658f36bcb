/**
 * The eight kinds of event that the service delivers.
 *
 * @see Service interface, section 6.
 */
export const EVENT_KINDS = [
  "payment.completed",
  "payment.failed",
  "payment.initiated",
  "invoice.created",
  "invoice.paid",
  "invoice.overdue",
  "subscription.created",
  "subscription.canceled",
] as const;

/** One of the eight documented event kinds. */
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * `data` of `payment.completed`. Fields that the interface does not name pass through.
 *
 * @see Service interface, sections 2 and 6.
 */
export interface PaymentCompletedData {
  /** Internal identifier. With `reference`, what repeats are told by. */
  payment_id: number;
  /** Owner of the payment. */
  merchant_id: number;
  /** What `gateway.payments.get(reference)` takes. */
  reference: string;
  /** Decimal amount with two fraction digits, `"100.00"`. Never do float arithmetic on it. */
  amount: string;
  /** Currency code, such as `"KES"`. */
  currency: string;
  /** Customer phone in international digits, without a plus sign. */
  phone: string;
  status: "completed";
  /** The label that the merchant gave, at most 12 characters. */
  account_reference: string;
  /** Identifier of the payment prompt. */
  checkout_request_id: string;
  /** Provider transaction identifier. */
  transaction_id: string;
  /** Provider transaction identifier. */
  provider_transaction_id: string;
  /** Provider result text. */
  provider_reference: string;
  /** Payer label. */
  payer_name: string;
  [field: string]: unknown;
}

/**
 * `data` of `payment.failed`. Fields that the interface does not name pass through.
 *
 * @see Service interface, sections 2 and 6.
 */
export interface PaymentFailedData {
  /** Internal identifier. With `reference`, what repeats are told by. */
  payment_id: number;
  /** What `gateway.payments.get(reference)` takes. */
  reference: string;
  /** Decimal amount with two fraction digits. */
  amount: string;
  status: "failed";
  /** Why it failed, for the merchant. */
  failure_reason: string;
  /** Why it failed, for the customer to read. */
  user_message: string;
  /** Whether another try makes sense. */
  retry_possible: boolean;
  [field: string]: unknown;
}

/** `data` of `payment.initiated`. Not shown by the interface: narrow it by declaration merging. */
export interface PaymentInitiatedData {
  [field: string]: unknown;
}
/** `data` of `invoice.created`. Not shown by the interface: narrow it by declaration merging. */
export interface InvoiceCreatedData {
  [field: string]: unknown;
}
/** `data` of `invoice.paid`. Not shown by the interface: narrow it by declaration merging. */
export interface InvoicePaidData {
  [field: string]: unknown;
}
/** `data` of `invoice.overdue`. Not shown by the interface: narrow it by declaration merging. */
export interface InvoiceOverdueData {
  [field: string]: unknown;
}
/** `data` of `subscription.created`. Not shown by the interface: narrow it by declaration merging. */
export interface SubscriptionCreatedData {
  [field: string]: unknown;
}
/** `data` of `subscription.canceled`. Not shown by the interface: narrow it by declaration merging. */
export interface SubscriptionCanceledData {
  [field: string]: unknown;
}

interface EventData {
  "payment.completed": PaymentCompletedData;
  "payment.failed": PaymentFailedData;
  "payment.initiated": PaymentInitiatedData;
  "invoice.created": InvoiceCreatedData;
  "invoice.paid": InvoicePaidData;
  "invoice.overdue": InvoiceOverdueData;
  "subscription.created": SubscriptionCreatedData;
  "subscription.canceled": SubscriptionCanceledData;
}

/** A delivery's envelope: `event`, `timestamp`, `data`. */
export interface WebhookEnvelope<Kind extends string, Data> {
  /** What happened. */
  event: Kind;
  /** When, ISO 8601 with a UTC offset. */
  timestamp: string;
  /** What it happened to. */
  data: Data;
}

/** An event of one of the documented kinds; `KnownWebhookEvent<"payment.completed">` is one of them. */
export type KnownWebhookEvent<Kind extends EventKind = EventKind> = {
  [K in Kind]: WebhookEnvelope<K, EventData[K]>;
}[Kind];

/** An event of a kind that the interface does not name: passed through, never refused. */
export type UnknownWebhookEvent = WebhookEnvelope<string, Record<string, unknown>>;

/** What a verified webhook is. `isKnownEvent` tells the two apart. */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/**
 * Is this one of the eight documented kinds, or of the one kind given? Narrows the type of `data`.
 *
 * @example
 * ```ts
 * const event = verifyWebhook({ body, headers, secret });
 * if (isKnownEvent(event, "payment.completed")) await ship(event.data.account_reference);
 * if (!isKnownEvent(event)) log.info("a new kind of event", event.event);
 * ```
 */
export function isKnownEvent<Kind extends EventKind = EventKind>(
  event: WebhookEvent,
  kind?: Kind,
): event is KnownWebhookEvent<Kind> {
  return kind === undefined
    ? (EVENT_KINDS as readonly string[]).includes(event.event)
    : event.event === kind;
}
