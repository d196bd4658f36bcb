import * as z from "zod/mini";
import { SCOPES } from "../../contract/endpoints.ts";
import { isWebhookUrl } from "../../contract/webhook.ts";
import { isObject } from "../../internal/is-object.ts";
import { parseJson } from "../../internal/json.ts";
import type { PromptOutcome } from "./prompt-outcomes.ts";
import { AUTO_ANSWERS, CHAOS_NAMES, DELIVERY_CHAOS, type FaultEffect } from "./sandbox-records.ts";

// Everything that a sandbox remembers, as JSON: these rows are its types, and they check a snapshot,
// which may come from a file that was cut short or edited.

const text = z.string();
const number = z.number();
const optional = z.exactOptional;
/** A moment that has a date: the end of time is 8.64e15 ms. */
const time = number.check(z.minimum(-8e15), z.maximum(8e15));
const cents = z.int().check(z.minimum(0));

const webhookUrl = text.check(
  // A state may be of a test network. Outside of one, nothing is sent to such an address.
  z.refine((url) => isWebhookUrl(url, true)),
);

const task = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("answer"),
    reference: text,
    outcome: z.custom<PromptOutcome>((outcome) => typeof outcome === "string"),
  }),
  z.object({ kind: z.literal("expire"), reference: text }),
  z.object({ kind: z.literal("deliver"), delivery: text }),
  z.object({ kind: z.literal("overdue"), invoice: text }),
]);

const timer = z.object({
  at: time,
  /** Of two timers that are due at the same time, the one with the lower turn runs first. */
  turn: number,
  task,
});

const key = z.object({
  kind: z.enum(["public", "secret", "sandbox"]),
  scopes: z.array(z.enum(SCOPES)),
});

const phone = z.object({
  balanceCents: cents,
  on: z.boolean(),
  autoAnswer: optional(z.enum(AUTO_ANSWERS)),
  /** Reference of the payment whose prompt is open. */
  prompt: optional(text),
});

const payment = z.object({
  payment_id: number,
  merchant_id: number,
  reference: text,
  cents,
  currency: text,
  phone: text,
  status: z.enum(["pending", "completed", "failed"]),
  account_reference: text,
  description: text,
  /** Only of a payment to another account than the default one. */
  payment_account_id: optional(z.union([text, number])),
  checkout_request_id: optional(text),
  createdAt: time,
  /** When it reached a final status. */
  finalAt: optional(time),
  /** The customer ignores the prompt: it can only expire. */
  ignored: optional(z.literal(true)),
  /** Only of a completed payment. */
  transaction_id: optional(text),
  /** Only of a failed payment. */
  failure: optional(z.object({ reason: text, userMessage: text, retryPossible: z.boolean() })),
});

const invoice = z.object({
  id: text,
  number: text,
  status: z.enum(["draft", "sent", "paid", "overdue"]),
  cents: optional(cents),
  dueAt: time,
  createdAt: time,
  /** The merchant's own fields. */
  fields: z.record(text, z.unknown()),
});

const webhook = z.object({ id: text, name: text, url: webhookUrl, events: z.array(text) });

const attempt = z.object({
  at: z.iso.datetime({ offset: true }),
  status: optional(number),
  error: optional(text),
  latencyMs: number,
  chaos: optional(z.array(z.enum(DELIVERY_CHAOS))),
});

const delivery = z.object({
  id: text,
  event: text,
  url: webhookUrl,
  body: text.check(z.refine((json) => isObject(parseJson(json)))),
  signature: text,
  state: z.enum(["pending", "delivered", "failed"]),
  attempts: z.array(attempt),
  chaos: optional(z.object({ seed: text, faults: z.array(z.enum(DELIVERY_CHAOS)) })),
  /** Attempts of the retry schedule. A resend does not count. */
  tries: number,
  /** The beginning of each response body, by the index of the attempt. */
  responses: optional(z.record(text, text)),
});

const fault = z.object({
  id: text,
  match: z.object({ method: optional(text), path: optional(text), endpoint: optional(text) }),
  effect: z.custom<FaultEffect>(isObject),
  after: number,
  /** `null` for an unlimited one: JSON has no `Infinity`. */
  times: z.nullable(number),
});

const chaos = z.object({
  seed: text,
  rates: z.partialRecord(z.enum(CHAOS_NAMES), number),
  /** Number of API calls so far. */
  calls: number,
  /** The signing secret after the next rotation. */
  nextSecret: optional(text),
  /** The delivery that waits to be overtaken by the next one, by its address. */
  held: z.record(text, text),
});

export const STATE = z.object({
  version: z.literal(1),
  now: time,
  /** When its time began. */
  startedAt: time,
  /** A heap: the next timer is the first. */
  timers: z.array(timer),
  nextTurn: number,
  random: z.object({ word: number }),
  nextId: number,
  nextInvoice: number,
  keys: z.record(text, key),
  builtIn: z.object({ public: text, secret: text, sandbox: text }),
  webhookSecret: z.string().check(z.minLength(1)),
  /** Earlier and later signing secrets: only there after chaos rotates secrets. */
  otherSecrets: optional(z.array(text)),
  phones: z.record(text, phone),
  payments: z.array(payment),
  invoices: z.array(invoice),
  webhooks: z.array(webhook),
  deliveries: z.array(delivery),
  faults: z.array(fault),
  /** The number of faults so far: only there after the first one. */
  faultCount: optional(number),
  chaos: optional(chaos),
});

export type State = z.infer<typeof STATE>;
export type Task = z.infer<typeof task>;
export type Timer = z.infer<typeof timer>;
export type StoredKey = z.infer<typeof key>;
export type StoredPhone = z.infer<typeof phone>;
export type StoredPayment = z.infer<typeof payment>;
export type StoredInvoice = z.infer<typeof invoice>;
export type StoredWebhook = z.infer<typeof webhook>;
export type StoredDelivery = z.infer<typeof delivery>;
export type StoredFault = z.infer<typeof fault>;
export type StoredChaos = z.infer<typeof chaos>;

/** A subscription exists in test events only: the interface has no endpoint for it. */
export interface SubscriptionRecord {
  readonly subscription_id: number;
  readonly status: "active" | "canceled";
  readonly createdAt: number;
}

/** What an event can be about. */
export type EventRecord = StoredPayment | StoredInvoice | SubscriptionRecord;
