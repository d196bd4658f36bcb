import {
  mobileMoneyPayment,
  mobileMoneyPaymentParams,
  payment,
  phoneToValidate,
} from "./payment.ts";
import { anyObject, type Schema } from "./schema.ts";
import { networkWebhooks, webhook, webhookChanges, webhookRegistration } from "./webhook.ts";

/** Every schema that a row of the table of endpoints names. The rows themselves need no zod. */
export const SCHEMAS = {
  anyObject,
  mobileMoneyPayment,
  mobileMoneyPaymentParams,
  payment,
  phoneToValidate,
  webhook,
  webhookChanges,
  webhookRegistration,
} as const satisfies Record<string, Schema>;

/** The name of a schema. */
export type SchemaName = keyof typeof SCHEMAS;

const IN_TEST_NETWORK: Partial<Record<SchemaName, Schema>> = networkWebhooks;

export const schemaNamed = (name: SchemaName, inTestNetwork: boolean): Schema =>
  (inTestNetwork && IN_TEST_NETWORK[name]) || SCHEMAS[name];
