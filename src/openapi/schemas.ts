import * as z from "zod/mini";
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

interface FieldType {
  readonly type?: "string" | "number";
}

interface ObjectSchema {
  readonly type: string;
  readonly properties: Readonly<Record<string, FieldType>>;
  readonly required?: readonly string[];
}

function fieldSchema(name: string, { type }: FieldType): Json {
  if (name === "amount" && type !== undefined) return AMOUNT[type];
  return FIELDS[name] ?? { type };
}

/** Converts a contract's schema to JSON Schema, and describes its fields. */
function toJsonSchema(schema: Schema): Json {
  const converted = z.toJSONSchema(schema as unknown as z.ZodMiniType, { io: "input" });
  const { type, properties, required } = converted as unknown as ObjectSchema;
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    fieldSchema(name, field),
  ]);
  return { type, properties: Object.fromEntries(fields), ...(required && { required }) };
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
