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
