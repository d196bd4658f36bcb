import { EVENT_KINDS } from "../contract/events.ts";

/** A piece of JSON Schema, or of the document. */
export type Json = Readonly<Record<string, unknown>>;

/** What the interface leaves open is marked so, and shown as the sandbox has it. */
export const open = (schema: Json): Json => ({ ...schema, "x-open": true });

/** An identifier: its type is not shown. */
const IDENTIFIER = open({ type: ["string", "integer"] });
const DECIMAL = { type: "string", pattern: "^\\d+\\.\\d{2}$" };

/**
 * What is known of a field beside its type, by its name: the contract's schemas check, and the
 * document explains. What stands here replaces what a schema says of the field.
 */
export const FIELDS: Readonly<Record<string, Json>> = {
  payment_id: { type: "integer", description: "Internal identifier.", examples: [1] },
  merchant_id: { type: "integer", description: "Owner of the payment.", examples: [1] },
  reference: {
    type: "string",
    description:
      "Payment reference, which GET /payments/{reference} takes. Repeats are told by it.",
    examples: ["PAY-7Q3ZKX9M2B4T"],
  },
  currency: { type: "string", description: "Currency code.", examples: ["KES"] },
  phone: {
    type: "string",
    description:
      "Customer phone. International digits without a plus sign; in a request, a local number starting with 0 is accepted too.",
    examples: ["254712345678"],
  },
  status: {
    type: "string",
    description: "State. Further values exist that are not shown.",
    "x-extensible-enum": ["pending", "completed", "failed"],
    examples: ["pending"],
  },
  account_reference: {
    type: "string",
    maxLength: 12,
    description: "The merchant's own label, used for paybill routing.",
    examples: ["ORDER-17"],
  },
  checkout_request_id: {
    type: "string",
    description: "Identifier of the payment prompt.",
    examples: ["ws_CO_27013951806423397510"],
  },
  transaction_id: {
    type: "string",
    description: "Provider transaction identifier. Completed payments.",
    examples: ["TX93K0B7QA"],
  },
  provider_transaction_id: {
    type: "string",
    description: "Provider transaction identifier. Completed payments.",
    examples: ["TX93K0B7QA"],
  },
  provider_reference: {
    type: "string",
    description: "Provider result text. Completed payments.",
    examples: ["The service request is processed successfully."],
  },
  payer_name: {
    type: "string",
    description: "Payer label. Completed payments.",
    examples: ["JANE DOE"],
  },
  failure_reason: {
    type: "string",
    description: "Why it failed. Failed payments.",
    examples: ["1032: the customer cancelled the request"],
  },
  user_message: {
    type: "string",
    description: "Why it failed, for a person to read. Failed payments.",
    examples: ["You cancelled the request."],
  },
  retry_possible: {
    type: "boolean",
    description: "Whether another try makes sense. Failed payments.",
    examples: [true],
  },
  description: { type: "string", description: "Free text shown for the payment." },
  payment_account_id: {
    ...IDENTIFIER,
    description: "Account to pay to. Left out: the merchant's default payment account.",
    examples: [1],
  },
  id: { ...IDENTIFIER, description: "What the path takes.", examples: ["wh_3kQ9vTz7LmXa"] },
  name: { type: "string", description: "Label of the endpoint.", examples: ["shop"] },
  url: {
    type: "string",
    description: "HTTPS address that receives notifications.",
    examples: ["https://shop.example/webhooks"],
  },
  events: {
    type: "array",
    items: { type: "string", "x-extensible-enum": EVENT_KINDS },
    description: "Event kinds subscribed to.",
    examples: [["payment.completed", "payment.failed"]],
  },
};

/** An amount is a number in a request and a decimal string everywhere else. */
export const AMOUNT: { readonly number: Json; readonly string: Json } = {
  number: { type: "number", description: "Amount to charge.", examples: [100] },
  string: {
    ...DECIMAL,
    description: "Decimal amount with two fraction digits.",
    examples: ["100.00"],
  },
};
