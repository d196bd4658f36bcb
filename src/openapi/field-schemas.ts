import { MAX_ACCOUNT_REFERENCE } from "../contract/limits.ts";
import type { PaymentFields } from "../contract/payment.ts";
import type { Webhook } from "../contract/webhook.ts";
import { INTERFACES } from "./interfaces.ts";

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

/** A field of an interface, as its declaration and its comment state it. */
interface DocumentedField {
  /** Its JSON type; two, if the service does not document which. */
  readonly type?: string | readonly string[];
  /** The documented values. Further ones may exist. */
  readonly values?: readonly string[];
  /** The only value. */
  readonly const?: string;
  /** What a list holds. */
  readonly items?: Pick<DocumentedField, "type" | "values">;
  readonly optional?: true;
  readonly description: string;
}

/** The name of an interface that has documented fields. */
export type InterfaceName = keyof typeof INTERFACES;

/** The fields of an interface, in the order in which those of a payment are documented. */
function fieldsOf(name: InterfaceName): [string, DocumentedField][] {
  const fields: Readonly<Record<string, DocumentedField>> = INTERFACES[name];
  const order = Object.keys(INTERFACES.Payment).filter((field) => field in fields);
  return [...new Set([...order, ...Object.keys(fields)])].map((field) => [
    field,
    fields[field] as DocumentedField,
  ]);
}

/** An example of each documented field. A field without one here does not compile. */
const EXAMPLES: Readonly<
  Required<PaymentFields & Pick<Webhook, "id" | "name" | "url" | "events">>
> = {
  status: "pending",
  payment_id: 1,
  merchant_id: 1,
  reference: "PAY-7Q3ZKX9M2B4T",
  amount: "100.00",
  currency: "KES",
  phone: "254712345678",
  account_reference: "ORDER-17",
  checkout_request_id: "ws_CO_27013951806423397510",
  transaction_id: "TX93K0B7QA",
  provider_transaction_id: "TX93K0B7QA",
  provider_reference: "The service request is processed successfully.",
  payer_name: "JANE DOE",
  failure_reason: "1032: the customer cancelled the request",
  user_message: "You cancelled the request.",
  retry_possible: true,
  id: "wh_3kQ9vTz7LmXa",
  name: "shop",
  url: "https://shop.example/webhooks",
  events: ["payment.completed", "payment.failed"],
};

/** What a field's type does not state. */
const RULES: Readonly<Record<string, Json>> = {
  account_reference: { maxLength: MAX_ACCOUNT_REFERENCE },
};
const DECIMAL: Json = { pattern: "^\\d+\\.\\d{2}$" };

const jsonType = (type: string, name: string) =>
  type === "number" && name.endsWith("id") ? "integer" : type;

const valueSchema = (name: string, { type, values }: Pick<DocumentedField, "type" | "values">) => ({
  type: typeof type === "string" ? jsonType(type, name) : type?.map((one) => jsonType(one, name)),
  ...(values && { "x-extensible-enum": values }),
});

/** The JSON Schema of a field: what its interface states of it, with its rule and its example. */
function fieldSchema(name: string, field: DocumentedField): Json {
  const { type, const: only, items, description } = field;
  if (only !== undefined) return { const: only, description };
  const known: unknown = Object.entries(EXAMPLES).find(([one]) => one === name)?.[1];
  const isDecimal = name === "amount" && type === "string";
  const example = name === "amount" && type === "number" ? Number(known) : known;
  const schema = {
    ...valueSchema(name, field),
    description,
    ...(example !== undefined && { examples: [example] }),
    ...(isDecimal ? DECIMAL : RULES[name]),
    ...(items && { items: valueSchema(name, items) }),
  };
  return typeof type === "object" ? undocumented(schema) : schema;
}

/** The JSON Schema of an interface of the contract. */
export function interfaceSchema(name: InterfaceName): Json & { readonly properties: Json } {
  const fields = fieldsOf(name);
  const required = fields.filter(([, { optional }]) => !optional).map(([field]) => field);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([field, row]) => [field, fieldSchema(field, row)])),
    ...(required.length > 0 && { required }),
  };
}
