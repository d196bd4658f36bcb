import {
  EVENT_KINDS,
  type EventKind,
  type PaymentCompletedData,
  type PaymentFailedData,
} from "../contract/events.ts";
import { AMOUNT, exampleOf, FIELDS, type Json, undocumentedObject } from "./fields.ts";

/** The fields that every event has. Those that a user adds by declaration merging may be optional. */
type RequiredFields<Data> = {
  [Field in keyof Data as object extends Pick<Data, Field> ? never : Field]: Data[Field];
};
/** Exactly the required fields of a type: a missing or an extra field does not compile. */
type FieldNames<Data> = Readonly<Record<keyof RequiredFields<Data>, true>>;

const COMPLETED_FIELDS: FieldNames<PaymentCompletedData> = {
  payment_id: true,
  merchant_id: true,
  reference: true,
  amount: true,
  currency: true,
  phone: true,
  status: true,
  account_reference: true,
  checkout_request_id: true,
  transaction_id: true,
  provider_transaction_id: true,
  provider_reference: true,
  payer_name: true,
};

const FAILED_FIELDS: FieldNames<PaymentFailedData> = {
  payment_id: true,
  reference: true,
  amount: true,
  status: true,
  failure_reason: true,
  user_message: true,
  retry_possible: true,
};

function paymentData(fieldNames: Readonly<Record<string, true>>, status: string): Json {
  const fields: Readonly<Record<string, Json>> = {
    ...FIELDS,
    amount: AMOUNT.string,
    status: { const: status, description: "Status." },
  };
  const names = Object.keys(fieldNames);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, fields[name]])),
    required: names,
    description: "The payment.",
  };
}

/** The fields of an invoice, as the sandbox has them. */
export const INVOICE: Json = {
  title: "May",
  id: "inv_8hWc2RtYp4Ks",
  number: "INV-0001",
  status: "draft",
  amount: "250.00",
  due_at: "2026-01-15T09:00:00+03:00",
  created_at: "2026-01-01T09:00:00+03:00",
};

const undocumentedData = (example: Json) => undocumentedObject(example, "Not documented.");

/** The schema of `data`, with an example. */
const DATA: Readonly<Record<EventKind, Json>> = {
  "payment.completed": paymentData(COMPLETED_FIELDS, "completed"),
  "payment.failed": paymentData(FAILED_FIELDS, "failed"),
  "payment.initiated": undocumentedData({
    payment_id: 1,
    reference: exampleOf(FIELDS.reference),
    amount: "100.00",
    status: "pending",
  }),
  "invoice.created": undocumentedData(INVOICE),
  "invoice.paid": undocumentedData({ ...INVOICE, status: "paid" }),
  "invoice.overdue": undocumentedData({ ...INVOICE, status: "overdue" }),
  "subscription.created": undocumentedData({ id: 1 }),
  "subscription.canceled": undocumentedData({ id: 1 }),
};

/** The name of an event's schema: `PaymentCompletedEvent` for `payment.completed`. */
export const eventSchemaName = (kind: EventKind): string =>
  `${kind.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

const eventSchema = (kind: EventKind): Json => ({
  type: "object",
  properties: {
    event: { const: kind, description: "Kind of event." },
    timestamp: {
      type: "string",
      format: "date-time",
      description: "When it happened: ISO 8601 with a UTC offset.",
      examples: [INVOICE.created_at],
    },
    data: DATA[kind],
  },
  required: ["event", "timestamp", "data"],
});

/** The schema of each event's body, by its name in the document. */
export const EVENT_SCHEMAS: Json = Object.fromEntries(
  EVENT_KINDS.map((kind) => [eventSchemaName(kind), eventSchema(kind)]),
);

/** An example of the body of a delivery. */
export const eventExample = (kind: EventKind): Json => exampleOf(eventSchema(kind)) as Json;
