import { EVENT_KINDS } from "../contract/events.ts";
import { MAX_ACCOUNT_REFERENCE } from "../contract/payment.ts";

/** A part of the OpenAPI document, such as a JSON Schema. */
export type Json = Readonly<Record<string, unknown>>;

/** Labels a part that the service does not document. It is shown as the sandbox does it. */
export const undocumented = (part: Json): Json => ({ ...part, "x-undocumented": true });

const IDENTIFIER = undocumented({ type: ["string", "integer"] });

/**
 * The schema of each field, by its name, with a description and an example. The contract's schemas
 * only check values: the entry here replaces what they say about the field.
 */
export const FIELDS: Readonly<Record<string, Json>> = {
  payment_id: { type: "integer", description: "Internal identifier.", examples: [1] },
  merchant_id: {
    type: "integer",
    description: "Identifier of the merchant that owns the payment.",
    examples: [1],
  },
  reference: {
    type: "string",
    description:
      "Reference of the payment, for GET /payments/{reference}. Use it to find duplicate deliveries.",
    examples: ["PAY-7Q3ZKX9M2B4T"],
  },
  currency: { type: "string", description: "Currency code.", examples: ["KES"] },
  phone: {
    type: "string",
    description:
      "Phone of the customer: international digits without a plus sign. A request may also have a local number that starts with 0.",
    examples: ["254712345678"],
  },
  status: {
    type: "string",
    description: "Status. The service has further values that it does not document.",
    "x-extensible-enum": ["pending", "completed", "failed"],
    examples: ["pending"],
  },
  account_reference: {
    type: "string",
    maxLength: MAX_ACCOUNT_REFERENCE,
    description: "Label that the merchant chooses, used for paybill routing.",
    examples: ["ORDER-17"],
  },
  checkout_request_id: {
    type: "string",
    description: "Identifier of the payment prompt.",
    examples: ["ws_CO_27013951806423397510"],
  },
  transaction_id: {
    type: "string",
    description: "Transaction identifier of the provider. Only completed payments have it.",
    examples: ["TX93K0B7QA"],
  },
  provider_transaction_id: {
    type: "string",
    description: "Transaction identifier of the provider. Only completed payments have it.",
    examples: ["TX93K0B7QA"],
  },
  provider_reference: {
    type: "string",
    description: "Result text of the provider. Only completed payments have it.",
    examples: ["The service request is processed successfully."],
  },
  payer_name: {
    type: "string",
    description: "Name of the payer. Only completed payments have it.",
    examples: ["JANE DOE"],
  },
  failure_reason: {
    type: "string",
    description: "Why the payment failed. Only failed payments have it.",
    examples: ["1032: the customer cancelled the request"],
  },
  user_message: {
    type: "string",
    description:
      "Why the payment failed, as a text for the customer. Only failed payments have it.",
    examples: ["You cancelled the request."],
  },
  retry_possible: {
    type: "boolean",
    description: "Whether it makes sense to start another payment. Only failed payments have it.",
    examples: [true],
  },
  description: { type: "string", description: "Text that is shown for the payment." },
  payment_account_id: {
    ...IDENTIFIER,
    description:
      "Account that receives the payment. Default: the merchant's default payment account.",
    examples: [1],
  },
  id: { ...IDENTIFIER, description: "Identifier, for the path.", examples: ["wh_3kQ9vTz7LmXa"] },
  name: { type: "string", description: "Label of the endpoint.", examples: ["shop"] },
  url: {
    type: "string",
    description: "HTTPS URL that receives the deliveries.",
    examples: ["https://shop.example/webhooks"],
  },
  events: {
    type: "array",
    items: { type: "string", "x-extensible-enum": EVENT_KINDS },
    description: "Kinds of event that are delivered.",
    examples: [["payment.completed", "payment.failed"]],
  },
};

/** An amount is a number in a request, and a decimal string in responses and events. */
export const AMOUNT: { readonly number: Json; readonly string: Json } = {
  number: { type: "number", description: "Amount to charge.", examples: [100] },
  string: {
    type: "string",
    pattern: "^\\d+\\.\\d{2}$",
    description: "Decimal amount with two digits after the point.",
    examples: ["100.00"],
  },
};
