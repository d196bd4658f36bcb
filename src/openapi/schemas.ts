import * as z from "zod/mini";
import type { Schema } from "../contract/schema.ts";
import { SCHEMAS, type SchemaName } from "../contract/schemas.ts";
import { EVENT_SCHEMAS, eventExample, INVOICE } from "./events.ts";
import {
  AMOUNT,
  exampleOf,
  FIELDS,
  type Json,
  undocumented,
  undocumentedObject,
} from "./fields.ts";

export const schemaRef = (name: string | undefined): Json => ({
  $ref: `#/components/schemas/${name}`,
});

/** The name in the document of a schema of the contract. */
export const schemaName = (name: SchemaName): string =>
  name.charAt(0).toUpperCase() + name.slice(1);

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

/** Objects of which the service documents no field, or one. */
const UNDOCUMENTED_SCHEMAS: Readonly<Record<string, Json>> = {
  Merchant: undocumentedObject({ merchant_id: 1, name: "Duka la Mfano", country: "KE" }),
  PaymentAccount: undocumentedObject(
    { payment_account_id: 1, name: "Till" },
    "The service documents only the identifier.",
    { payment_account_id: FIELDS.payment_account_id },
  ),
  Invoice: undocumentedObject(INVOICE),
  InvoiceFields: undocumentedObject({ title: "May", amount: 250 }),
  InvoiceSendParams: undocumentedObject({}),
  PhoneValidation: undocumentedObject({ valid: true, phone: "254712345678", network: "Safaricom" }),
  Deletion: undocumentedObject({ id: INVOICE.id, deleted: true }),
  PaymentLookup: undocumentedObject(
    { reference: exampleOf(FIELDS.reference) },
    "The service does not document the fields. The sandbox requires one of these two.",
    { reference: FIELDS.reference, checkout_request_id: FIELDS.checkout_request_id },
  ),
};

const FAILURE = undocumented({
  type: "object",
  properties: {
    success: { type: "boolean", description: "Whether the request succeeded." },
    error: { type: "string", description: "Error text." },
  },
  description: "The service does not document its status codes, nor the body of each error.",
});

const { anyObject: _, ...documented } = SCHEMAS;

/** Every schema of the document. */
export const DOCUMENT_SCHEMAS: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(
    Object.entries(documented).map(([name, schema]) => [
      schemaName(name as SchemaName),
      toJsonSchema(schema),
    ]),
  ),
  // No payment has all of its fields.
  Payment: {
    ...toJsonSchema(documented.payment),
    examples: [eventExample("payment.completed").data],
  },
  ...UNDOCUMENTED_SCHEMAS,
  ...EVENT_SCHEMAS,
  Failure: FAILURE,
};
