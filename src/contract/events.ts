/**
 * The kinds of event that the service documents.
 *
 * @see docs/service.md, "Events and deliveries"
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

/** One of the eight documented kinds of event. */
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * `data` of a `payment.completed` event. The service documents all of its fields, so a field that is
 * misspelt, or that this kind does not have, does not compile. Fields that your service sends beside
 * them are passed through: declare them by declaration merging.
 *
 * @example
 * ```ts
 * declare module "malipo/webhooks" {
 *   interface PaymentCompletedData { till_number?: string }
 * }
 * ```
 *
 * @see docs/service.md, "Events and deliveries"
 */
export interface PaymentCompletedData {
  /** Internal identifier. Use it, or `reference`, to recognise duplicate deliveries. */
  payment_id: number;
  /** Identifier of the merchant that owns the payment. */
  merchant_id: number;
  /** Reference of the payment, for `gateway.payments.get(reference)`. */
  reference: string;
  /** Decimal amount with two digits after the point, `"100.00"`. Do not use float arithmetic. */
  amount: string;
  /** Currency code, such as `"KES"`. */
  currency: string;
  /** Phone of the customer: international digits without a plus sign, `"254712345678"`. */
  phone: string;
  status: "completed";
  /** Your label for the payment, at most 12 characters. */
  account_reference: string;
  /** Identifier of the payment prompt. */
  checkout_request_id: string;
  /** Transaction identifier of the provider. */
  transaction_id: string;
  /** Transaction identifier of the provider. */
  provider_transaction_id: string;
  /** Result text of the provider. */
  provider_reference: string;
  /** Name of the payer. */
  payer_name: string;
}

/**
 * `data` of a `payment.failed` event. The service documents all of its fields, so a field that is
 * misspelt, or that this kind does not have, does not compile. Fields that your service sends beside
 * them are passed through: declare them by declaration merging.
 *
 * @example
 * ```ts
 * declare module "malipo/webhooks" {
 *   interface PaymentFailedData { till_number?: string }
 * }
 * ```
 *
 * @see docs/service.md, "Events and deliveries"
 */
export interface PaymentFailedData {
  /** Internal identifier. Use it, or `reference`, to recognise duplicate deliveries. */
  payment_id: number;
  /** Reference of the payment, for `gateway.payments.get(reference)`. */
  reference: string;
  /** Decimal amount with two digits after the point. */
  amount: string;
  status: "failed";
  /** Why the payment failed, for you. */
  failure_reason: string;
  /** Why the payment failed, as a text for the customer. */
  user_message: string;
  /** Whether it makes sense to start another payment. */
  retry_possible: boolean;
}

/** `data` of a `payment.initiated` event. Not documented: declare your fields by declaration merging. */
export interface PaymentInitiatedData {
  [field: string]: unknown;
}

/** `data` of an `invoice.created` event. Not documented: declare your fields by declaration merging. */
export interface InvoiceCreatedData {
  [field: string]: unknown;
}

/** `data` of an `invoice.paid` event. Not documented: declare your fields by declaration merging. */
export interface InvoicePaidData {
  [field: string]: unknown;
}

/** `data` of an `invoice.overdue` event. Not documented: declare your fields by declaration merging. */
export interface InvoiceOverdueData {
  [field: string]: unknown;
}

/** `data` of a `subscription.created` event. Not documented: declare your fields by declaration merging. */
export interface SubscriptionCreatedData {
  [field: string]: unknown;
}

/** `data` of a `subscription.canceled` event. Not documented: declare your fields by declaration merging. */
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

/** The JSON body of a delivery. */
export interface WebhookEnvelope<Kind extends string, Data> {
  /** The kind of event, such as `payment.completed`. */
  event: Kind;
  /** When it happened: ISO 8601 with a UTC offset. */
  timestamp: string;
  /** The fields of the event. They depend on its kind. */
  data: Data;
}

type AnyKnownEvent = { [Kind in EventKind]: WebhookEnvelope<Kind, EventData[Kind]> }[EventKind];

/** An event of a documented kind. `KnownWebhookEvent<"payment.completed">` is an event of that kind. */
export type KnownWebhookEvent<Kind extends EventKind = EventKind> = Extract<
  AnyKnownEvent,
  { event: Kind }
>;

/** An event of a kind that the service does not document. It is passed on, never rejected. */
export type UnknownWebhookEvent = WebhookEnvelope<string, Record<string, unknown>>;

/** A verified webhook event. `isKnownEvent` narrows it to a documented kind. */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/**
 * Whether the event is of a documented kind or, with `kind`, of that kind. Narrows the type of
 * `data`.
 *
 * @param kind - Set it to handle one kind of event. Leave it out to find events that are new.
 *
 * @example
 * ```ts
 * function describe(event: WebhookEvent): string {
 *   if (isKnownEvent(event, "payment.completed")) return `paid: ${event.data.account_reference}`;
 *   return isKnownEvent(event) ? event.event : `a new kind of event: ${event.event}`;
 * }
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
