import type { PaymentFields } from "./payment.ts";
import type { FailureField } from "./payment-state.ts";

/**
 * The kinds of event that the service documents.
 *
 * @see docs/reference/events.md, "Events and deliveries"
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
 * `data` of a `payment.completed` event. `sweep` makes such an event from a read of the payment, too,
 * and the service decides which fields a read has: only those that are not optional are always there.
 * A name that is misspelt does not compile. Fields that your service sends beside the documented ones
 * are passed through: declare them by declaration merging.
 *
 * @example
 * ```ts
 * declare module "malipo/webhooks" {
 *   interface PaymentCompletedData { till_number?: string }
 * }
 * ```
 *
 * @see docs/reference/events.md, "Events and deliveries"
 */
export interface PaymentCompletedData extends Omit<PaymentFields, FailureField> {
  /** Status of the payment. */
  status: "completed";
  reference: string;
  amount: string;
  currency: string;
}

/**
 * `data` of a `payment.failed` event: it has no `account_reference`. `sweep` makes such an event from
 * a read of the payment, too, and the service decides which fields a read has: only those that are not
 * optional are always there. A name that is misspelt does not compile. Fields that your service sends
 * beside the documented ones are passed through: declare them by declaration merging.
 *
 * @example
 * ```ts
 * declare module "malipo/webhooks" {
 *   interface PaymentFailedData { till_number?: string }
 * }
 * ```
 *
 * @see docs/reference/events.md, "Events and deliveries"
 */
export interface PaymentFailedData extends Pick<PaymentFields, "payment_id" | FailureField> {
  /** Status of the payment. */
  status: "failed";
  reference: string;
  amount: string;
}

/** `data` of a `payment.initiated` event. Not documented: declare your fields by declaration merging. */
export interface PaymentInitiatedData extends Record<string, unknown> {}

/** `data` of an `invoice.created` event. Not documented: declare your fields by declaration merging. */
export interface InvoiceCreatedData extends Record<string, unknown> {}

/** `data` of an `invoice.paid` event. Not documented: declare your fields by declaration merging. */
export interface InvoicePaidData extends Record<string, unknown> {}

/** `data` of an `invoice.overdue` event. Not documented: declare your fields by declaration merging. */
export interface InvoiceOverdueData extends Record<string, unknown> {}

/** `data` of a `subscription.created` event. Not documented: declare your fields by declaration merging. */
export interface SubscriptionCreatedData extends Record<string, unknown> {}

/** `data` of a `subscription.canceled` event. Not documented: declare your fields by declaration merging. */
export interface SubscriptionCanceledData extends Record<string, unknown> {}

/**
 * `Data`, and nothing under the names of fields that only `Other` has. One handler of both kinds can so
 * read every field; what it finds in a field of the other kind is `undefined`.
 */
type Apart<Data, Other> = Data & { [Field in Exclude<keyof Other, keyof Data>]?: never };

interface EventData {
  "payment.completed": Apart<PaymentCompletedData, PaymentFailedData>;
  "payment.failed": Apart<PaymentFailedData, PaymentCompletedData>;
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

/** A `payment.completed` event. A handler of both may take `PaymentCompletedEvent | PaymentFailedEvent`. */
export type PaymentCompletedEvent = KnownWebhookEvent<"payment.completed">;

/** A `payment.failed` event. */
export type PaymentFailedEvent = KnownWebhookEvent<"payment.failed">;

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
