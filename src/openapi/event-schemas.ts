import {
  EVENT_KINDS,
  type EventKind,
  type PaymentCompletedData,
  type PaymentFailedData,
} from "../contract/events.ts";
import { AMOUNT, FIELDS, type Json, undocumented } from "./fields.ts";

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

/** The schema of `data`, of the kinds whose `data` is documented. */
const DOCUMENTED_DATA: Readonly<Partial<Record<EventKind, Json>>> = {
  "payment.completed": paymentData(COMPLETED_FIELDS, "completed"),
  "payment.failed": paymentData(FAILED_FIELDS, "failed"),
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
    },
    data: DOCUMENTED_DATA[kind] ?? undocumented({ type: "object", description: "Not documented." }),
  },
  required: ["event", "timestamp", "data"],
});

/** The schema of each event's body, by its name in the document. */
export const EVENT_SCHEMAS: Json = Object.fromEntries(
  EVENT_KINDS.map((kind) => [eventSchemaName(kind), eventSchema(kind)]),
);
