import { CHAOS_NAMES } from "../faults/chaos.ts";

/** A field of the commands. Its name means the same in each of them. */
export interface CommandField {
  readonly description: string;
  /** Anything if it is missing: a text in any case. */
  readonly type?: "integer" | "number" | "boolean" | "object";
  /** The values that are known. */
  readonly values?: readonly string[];
  readonly example?: string;
}

const RATE: CommandField = {
  description: "A rate from 0 (never) to 1 (always).",
  type: "number",
};

/** Every field, by its name. The control API, its document and the command line describe it by this row. */
export const COMMAND_FIELDS: Readonly<Record<string, CommandField>> = {
  number: { description: "A phone number in any usual notation.", example: "0712345678" },
  reference: {
    description: "The reference of the prompt that is meant: no other one is answered.",
  },
  amount: { description: "The amount of the payment." },
  phone: { description: "The customer's phone, in any usual notation." },
  account_reference: { description: "A label, at most 12 characters." },
  description: { description: "A text for the payment." },
  balance: { description: "The new balance, such as 1500.00." },
  answer: {
    description: "What the phone does.",
    values: ["approve", "cancel", "wrongPin", "ignore", "ask"],
  },
  pin: { description: "Four digits." },
  key: {
    description: "A key, or a kind of key.",
    values: ["secret", "public", "sandbox"],
  },
  by: { description: "How far: milliseconds, or a text such as 61s or 2h." },
  id: { description: "The id." },
  url: { description: "The URL of the receiver. Without a scheme, it gets one." },
  event: { description: "The kind of event. By default, one that the receiver lists." },
  keep_receivers: { description: "The registered receivers stay.", type: "boolean" },
  save_as: { description: "Saves the state under this name first, to return to it." },
  kind: {
    description: "What goes wrong.",
    values: ["status", "latency", "reset", "hang", "truncate", "lostResponse"],
  },
  endpoint: { description: "Only requests to this endpoint, such as mobileMoney.initiate." },
  method: { description: "Only requests with this method." },
  path: { description: "Only requests to this path; * and {name} match one segment." },
  status: {
    description: "The status of a response that is an error. By default, 503.",
    type: "integer",
  },
  headers: { description: "Headers of the response.", type: "object" },
  body: { description: "The body of the response: a text or a JSON value." },
  ms: { description: "How long to wait, in milliseconds. By default, 2000.", type: "number" },
  after: { description: "How many matching requests pass before. By default, 0.", type: "integer" },
  times: { description: "How many requests get the fault, or always. By default, 1." },
  seed: { description: "The seed that repeats the same faults." },
  name: { description: "The name of the scene.", example: "paid-once" },
  snapshot: { description: "What GET /snapshot returned.", type: "object" },
  ...Object.fromEntries(CHAOS_NAMES.map((name) => [name, RATE])),
};
