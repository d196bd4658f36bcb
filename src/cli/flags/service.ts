import { DURATION_UNITS } from "../../internal/duration.ts";
import type { FlagRows } from "../../internal/flags.ts";
import { GATEWAY } from "./common.ts";

/** The flags of the commands that call an endpoint, by what the call takes. */
export const CALLS = {
  nothing: GATEWAY,
  query: {
    ...GATEWAY,
    query: {
      value: "name=value",
      summary: "a query parameter, passed to the service unchanged",
      repeatable: true,
      forModels: true,
    },
  },
  fields: {
    ...GATEWAY,
    set: {
      value: "path=text",
      summary: "sets a field; path:=json sets a number, a boolean or a list",
      repeatable: true,
    },
    data: {
      value: "json",
      summary: "all fields as one JSON object; @path reads a file, @- reads standard input",
    },
  },
  // These endpoints have flags or arguments for their fields.
  "mobileMoney.initiate": {
    ...GATEWAY,
    amount: { value: "amount", summary: "above 0, with at most two decimals", forModels: true },
    phone: {
      value: "number",
      summary: "the customer's phone, in any usual format",
      forModels: true,
    },
    "account-reference": {
      value: "label",
      summary: "for example an order number; at most 12 characters",
      forModels: true,
    },
    description: { value: "text", summary: "a description of the payment", forModels: true },
    "payment-account-id": {
      value: "id",
      summary: "the account that receives the money",
      fallback: "the merchant's default account",
      forModels: true,
    },
  },
  "mobileMoney.validatePhone": GATEWAY,
  "webhooks.register": {
    ...GATEWAY,
    name: {
      value: "text",
      summary: "a label",
      fallback: "the host of the receiver",
      forModels: true,
    },
    event: {
      value: "event",
      summary: "an event to deliver, such as payment.completed",
      fallback: "all eight documented events",
      repeatable: true,
      forModels: true,
    },
  },
} as const satisfies Readonly<Record<string, FlagRows>>;

export type CallKind = keyof typeof CALLS;

export const WAIT = {
  ...GATEWAY,
  timeout: {
    value: "duration",
    summary: `how long to wait: a number with a unit (${DURATION_UNITS.join(", ")})`,
    default: "2m",
  },
} as const satisfies FlagRows;
