import { EVENT_KINDS, type EventKind } from "../contract/events.ts";
import {
  exampleOf,
  type InterfaceName,
  interfaceSchema,
  type Json,
  undocumentedObject,
} from "./field-schemas.ts";

const documentedData = (name: InterfaceName): Json => ({
  ...interfaceSchema(name),
  description: "The payment.",
});

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
  "payment.completed": documentedData("PaymentCompletedData"),
  "payment.failed": documentedData("PaymentFailedData"),
  "payment.initiated": undocumentedData({
    payment_id: 1,
    reference: exampleOf(interfaceSchema("Payment").properties.reference as Json),
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
