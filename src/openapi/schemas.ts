import * as z from "zod/mini";
import {
  mobileMoneyPayment,
  mobileMoneyPaymentParams,
  payment,
  phoneToValidate,
} from "../contract/payment.ts";
import type { Schema } from "../contract/schema.ts";
import { webhook, webhookChanges, webhookRegistration } from "../contract/webhook.ts";
import { EVENT_SCHEMAS } from "./event-schemas.ts";
import { AMOUNT, FIELDS, type Json, open } from "./fields.ts";

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** The contract's schemas, by the name that they have in the document. */
const NAMES: readonly (readonly [schema: Schema, name: string])[] = [
  [mobileMoneyPaymentParams, "MobileMoneyPaymentParams"],
  [mobileMoneyPayment, "MobileMoneyPayment"],
  [payment, "Payment"],
  [phoneToValidate, "PhoneToValidate"],
  [webhookRegistration, "WebhookRegistration"],
  [webhookChanges, "WebhookChanges"],
  [webhook, "Webhook"],
];

/** The name of a contract's schema; `undefined` for what takes any object. */
export const nameOf = (schema: Schema | undefined): string | undefined =>
  NAMES.find(([one]) => one === schema)?.[1];

interface ObjectSchema {
  readonly type: string;
  readonly properties: Readonly<Record<string, { readonly type?: "string" | "number" }>>;
  readonly required?: readonly string[];
}

/** What is known of a field: from the tables, or its type alone. */
function field(name: string, { type }: { readonly type?: "string" | "number" }): Json {
  if (name === "amount" && type !== undefined) return AMOUNT[type];
  return FIELDS[name] ?? { type };
}

/** A schema of the contract in JSON Schema, with what the tables know of its fields. */
function described(schema: Schema): Json {
  const made = z.toJSONSchema(schema as unknown as z.ZodMiniType, { io: "input" });
  const { type, properties, required } = made as unknown as ObjectSchema;
  const fields = Object.entries(properties).map(([name, one]) => [name, field(name, one)]);
  return { type, properties: Object.fromEntries(fields), ...(required && { required }) };
}

/** Resources of which the interface shows nothing, or next to nothing. */
const OPEN_OBJECTS: Readonly<Record<string, Json>> = {
  Merchant: open({ type: "object", description: "No field is shown." }),
  PaymentAccount: open({
    type: "object",
    properties: { payment_account_id: FIELDS.payment_account_id },
    description: "Fields beside the identifier are not shown.",
  }),
  Invoice: open({ type: "object", description: "No field is shown." }),
  InvoiceFields: open({ type: "object", description: "No field is shown." }),
  InvoiceSendParams: open({ type: "object", description: "No field is shown." }),
  PhoneValidation: open({ type: "object", description: "No field is shown." }),
  Deletion: open({ type: "object", description: "No field is shown." }),
  PaymentLookup: open({
    type: "object",
    properties: {
      reference: FIELDS.reference,
      checkout_request_id: FIELDS.checkout_request_id,
    },
    description: "No field is shown. The sandbox takes one of these two.",
  }),
};

/** What is answered where something is wrong. */
const FAILURE: Json = {
  type: "object",
  properties: {
    success: { type: "boolean", description: "Outcome flag." },
    error: { type: "string", description: "Error text." },
  },
  description: "Status codes, and the error body of each case, are not shown.",
};

/** Every schema of the document. */
export const schemas = (): Json => ({
  ...Object.fromEntries(NAMES.map(([schema, name]) => [name, described(schema)])),
  ...OPEN_OBJECTS,
  ...EVENT_SCHEMAS,
  Failure: open(FAILURE),
});
