import {
  EVENT_KINDS,
  type EventKind,
  type PaymentCompletedData,
  type PaymentFailedData,
} from "../contract/events.ts";
import { AMOUNT, FIELDS, type Json, open } from "./fields.ts";

/** The fields that a type names, its index signature left out. */
type Named<Data> = {
  [Field in keyof Data as string extends Field ? never : Field]: Data[Field];
};
/** A table that the compiler holds against the type: no field more, no field less. */
type FieldsOf<Data> = Readonly<Record<keyof Named<Data>, true>>;

const COMPLETED: FieldsOf<PaymentCompletedData> = {
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

const FAILED: FieldsOf<PaymentFailedData> = {
  payment_id: true,
  reference: true,
  amount: true,
  status: true,
  failure_reason: true,
  user_message: true,
  retry_possible: true,
};

function shown(names: Readonly<Record<string, true>>, status: string): Json {
  const known: Readonly<Record<string, Json>> = {
    ...FIELDS,
    amount: AMOUNT.string,
    status: { const: status, description: "State." },
  };
  const fields = Object.keys(names);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((name) => [name, known[name]])),
    required: fields,
    description: "The payment.",
  };
}

const DATA: Readonly<Partial<Record<EventKind, Json>>> = {
  "payment.completed": shown(COMPLETED, "completed"),
  "payment.failed": shown(FAILED, "failed"),
};

/** `payment.completed`: `PaymentCompletedEvent`. */
export const eventName = (kind: EventKind): string =>
  `${kind.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

const eventSchema = (kind: EventKind): Json => ({
  type: "object",
  properties: {
    event: { const: kind, description: "What happened." },
    timestamp: {
      type: "string",
      format: "date-time",
      description: "When, ISO 8601 with a UTC offset.",
    },
    data: DATA[kind] ?? open({ type: "object", description: "Not shown." }),
  },
  required: ["event", "timestamp", "data"],
});

/** The body of a delivery of each kind, by its name in the document. */
export const EVENT_SCHEMAS: Json = Object.fromEntries(
  EVENT_KINDS.map((kind) => [eventName(kind), eventSchema(kind)]),
);
