import type { Schema } from "../contract/schema.ts";
import { SCHEMAS, type SchemaName } from "../contract/schemas.ts";
import { EVENT_SCHEMAS } from "./event-schemas.ts";
import { AMOUNT, FIELDS, type Json, undocumented } from "./fields.ts";

export const schemaRef = (name: string | undefined): Json => ({
  $ref: `#/components/schemas/${name}`,
});

/** The name in the document of a contract's schema; `undefined` for one that accepts any object. */
export const schemaName = (name: SchemaName | undefined): string | undefined =>
  name === undefined || name === "anyObject"
    ? undefined
    : name.charAt(0).toUpperCase() + name.slice(1);

/** Converts a contract's schema to JSON Schema, and describes its fields. */
function toJsonSchema({ shape = {} }: Schema): Json {
  const fields = Object.entries(shape as Readonly<Record<string, Schema>>);
  const accepts = (field: Schema, value: unknown) => field.safeParse(value).success;
  const required = fields.filter(([, field]) => !accepts(field, undefined)).map(([name]) => name);
  const properties = fields.map(([name, field]) => [
    name,
    name === "amount" ? AMOUNT[accepts(field, 1) ? "number" : "string"] : FIELDS[name],
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

const UNDOCUMENTED_OBJECT = undocumented({
  type: "object",
  description: "The service does not document the fields.",
});

/** Objects of which the service documents no field, or one. */
const UNDOCUMENTED_SCHEMAS: Readonly<Record<string, Json>> = {
  Merchant: UNDOCUMENTED_OBJECT,
  PaymentAccount: undocumented({
    type: "object",
    properties: { payment_account_id: FIELDS.payment_account_id },
    description: "The service documents only the identifier.",
  }),
  Invoice: UNDOCUMENTED_OBJECT,
  InvoiceFields: UNDOCUMENTED_OBJECT,
  InvoiceSendParams: UNDOCUMENTED_OBJECT,
  PhoneValidation: UNDOCUMENTED_OBJECT,
  Deletion: UNDOCUMENTED_OBJECT,
  PaymentLookup: undocumented({
    type: "object",
    properties: {
      reference: FIELDS.reference,
      checkout_request_id: FIELDS.checkout_request_id,
    },
    description: "The service does not document the fields. The sandbox requires one of these two.",
  }),
};

const FAILURE = undocumented({
  type: "object",
  properties: {
    success: { type: "boolean", description: "Whether the request succeeded." },
    error: { type: "string", description: "Error text." },
  },
  description: "The service does not document its status codes, nor the body of each error.",
});

/** Every schema of the document. */
export function schemas(): Json {
  const contract = Object.entries(SCHEMAS)
    .map(([name, schema]) => [schemaName(name as SchemaName), schema] as const)
    .filter(([name]) => name !== undefined)
    .map(([name, schema]) => [name, toJsonSchema(schema)]);
  return {
    ...Object.fromEntries(contract),
    ...UNDOCUMENTED_SCHEMAS,
    ...EVENT_SCHEMAS,
    Failure: FAILURE,
  };
}
