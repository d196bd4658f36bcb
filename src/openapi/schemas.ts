import { SCHEMAS, type SchemaName } from "../contract/schemas.ts";
import { EVENT_SCHEMAS, eventExample, INVOICE } from "./event-schemas.ts";
import {
  exampleOf,
  type InterfaceName,
  interfaceSchema,
  type Json,
  undocumented,
  undocumentedObject,
} from "./field-schemas.ts";

export const schemaRef = (name: string | undefined): Json => ({
  $ref: `#/components/schemas/${name}`,
});

/** The name in the document of a schema of the contract. */
export const schemaName = (name: SchemaName): string =>
  name.charAt(0).toUpperCase() + name.slice(1);

const { reference, checkout_request_id } = interfaceSchema("Payment").properties;

/** Objects of which the service documents no field, or one. */
const UNDOCUMENTED_SCHEMAS: Readonly<Record<string, Json>> = {
  Merchant: undocumentedObject({ merchant_id: 1, name: "Duka la Mfano", country: "KE" }),
  PaymentAccount: undocumentedObject(
    { payment_account_id: 1, name: "Till" },
    "The service documents only the identifier.",
    interfaceSchema("PaymentAccount").properties,
  ),
  Invoice: undocumentedObject(INVOICE),
  InvoiceFields: undocumentedObject({ title: "May", amount: 250 }),
  InvoiceSendParams: undocumentedObject({}),
  PhoneValidation: undocumentedObject({ valid: true, phone: "254712345678", network: "Safaricom" }),
  Deletion: undocumentedObject({ id: INVOICE.id, deleted: true }),
  PaymentLookup: undocumentedObject(
    { reference: exampleOf(reference as Json) },
    "The service does not document the fields. The sandbox requires one of these two.",
    { reference, checkout_request_id },
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

type Documented = Capitalize<Exclude<SchemaName, "anyObject">>;

const { anyObject: _, ...documented } = SCHEMAS;

/** The schemas of the contract that have documented fields: each has the fields of an interface. */
const DOCUMENTED = Object.keys(documented).map((name) =>
  schemaName(name as SchemaName),
) as Documented[] satisfies InterfaceName[];

/** Every schema of the document. */
export const DOCUMENT_SCHEMAS: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(DOCUMENTED.map((name) => [name, interfaceSchema(name)])),
  // No payment has all of its fields.
  Payment: {
    ...interfaceSchema("Payment"),
    examples: [eventExample("payment.completed").data],
  },
  ...UNDOCUMENTED_SCHEMAS,
  ...EVENT_SCHEMAS,
  Failure: FAILURE,
};
