import { EVENT_KINDS } from "../contract/events.ts";
import { MAX_ACCOUNT_REFERENCE } from "../contract/payment.ts";

/** A part of the OpenAPI document, such as a JSON Schema. */
export type Json = Readonly<Record<string, unknown>>;

/** Labels a part that the service does not document. It is shown as the sandbox does it. */
export const undocumented = (part: Json): Json => ({ ...part, "x-undocumented": true });

/** An object whose fields the service does not document. */
export const undocumentedObject = (
  example: Json,
  description = "The service does not document the fields.",
  properties?: Json,
): Json =>
  undocumented({
    type: "object",
    ...(properties && { properties }),
    description,
    examples: [example],
  });

/** A body in JSON, of a request or of a response. */
export const jsonContent = (schema: Json, example?: unknown): Json => ({
  content: { "application/json": { schema, ...(example !== undefined && { example }) } },
});

/** A value of a schema: its own example, or an object of those of its fields. */
export function exampleOf(schema: Json = {}): unknown {
  const {
    const: only,
    examples = [only],
    properties,
  } = schema as {
    const?: unknown;
    examples?: readonly unknown[];
    properties?: Readonly<Record<string, Json>>;
  };
  if (examples[0] !== undefined || properties === undefined) return examples[0];
  const values = Object.entries(properties).map(([name, one]) => [name, exampleOf(one)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

const field = (type: string, description: string, example?: unknown): Json => ({
  type,
  description,
  ...(example !== undefined && { examples: [example] }),
});

const text = (description: string, example?: string): Json => field("string", description, example);

const identifier = (description: string): Json =>
  undocumented({ type: ["string", "integer"], description });

const COMPLETED = "Only completed payments have it.";
const FAILED = "Only failed payments have it.";

/**
 * The schema of each field, by its name, with a description and an example. The contract's schemas
 * only check values: the entry here replaces what they say about the field.
 */
export const FIELDS: Readonly<Record<string, Json>> = {
  payment_id: field("integer", "Internal identifier.", 1),
  merchant_id: field("integer", "Identifier of the merchant that owns the payment.", 1),
  reference: text(
    "Reference of the payment, for GET /payments/{reference}. Use it to find duplicate deliveries.",
    "PAY-7Q3ZKX9M2B4T",
  ),
  currency: text("Currency code.", "KES"),
  phone: text(
    "Phone of the customer: international digits without a plus sign. A request may also have a local number that starts with 0.",
    "254712345678",
  ),
  status: {
    ...text("Status. The service has further values that it does not document.", "pending"),
    "x-extensible-enum": ["pending", "completed", "failed"],
  },
  account_reference: {
    ...text("Label that the merchant chooses, used for paybill routing.", "ORDER-17"),
    maxLength: MAX_ACCOUNT_REFERENCE,
  },
  checkout_request_id: text("Identifier of the payment prompt.", "ws_CO_27013951806423397510"),
  transaction_id: text(`Transaction identifier of the provider. ${COMPLETED}`, "TX93K0B7QA"),
  provider_transaction_id: text(
    `Transaction identifier of the provider. ${COMPLETED}`,
    "TX93K0B7QA",
  ),
  provider_reference: text(
    `Result text of the provider. ${COMPLETED}`,
    "The service request is processed successfully.",
  ),
  payer_name: text(`Name of the payer. ${COMPLETED}`, "JANE DOE"),
  failure_reason: text(
    `Why the payment failed. ${FAILED}`,
    "1032: the customer cancelled the request",
  ),
  user_message: text(
    `Why the payment failed, as a text for the customer. ${FAILED}`,
    "You cancelled the request.",
  ),
  retry_possible: field(
    "boolean",
    `Whether it makes sense to start another payment. ${FAILED}`,
    true,
  ),
  description: text("Text that is shown for the payment."),
  payment_account_id: identifier(
    "Account that receives the payment. Default: the merchant's default payment account.",
  ),
  id: { ...identifier("Identifier, for the path."), examples: ["wh_3kQ9vTz7LmXa"] },
  name: text("Label of the endpoint.", "shop"),
  url: text("HTTPS URL that receives the deliveries.", "https://shop.example/webhooks"),
  events: {
    ...field("array", "Kinds of event that are delivered.", [
      "payment.completed",
      "payment.failed",
    ]),
    items: { type: "string", "x-extensible-enum": EVENT_KINDS },
  },
};

/** An amount is a number in a request, and a decimal string in responses and events. */
export const AMOUNT: { readonly number: Json; readonly string: Json } = {
  number: field("number", "Amount to charge.", 100),
  string: {
    ...text("Decimal amount with two digits after the point.", "100.00"),
    pattern: "^\\d+\\.\\d{2}$",
  },
};
