import * as z from "zod/mini";
import { KEY_PREFIXES } from "../contract/keys.ts";
import { webhookRegistration } from "../contract/webhook.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { isObject } from "../internal/is-object.ts";
import { parseTimestamp } from "./clock/time.ts";
import { checkFaultOptions, type FaultOptions } from "./faults/fault-options.ts";
import type { State } from "./state/state.ts";

// A snapshot may come from a file that was cut short or edited. It is checked before it replaces a
// state that works. Only the fields that the sandbox cannot do without are named here.

const text = z.string();
const number = z.number();
const anyObject = z.looseObject({});
/** A moment that has a date: the end of time is 8.64e15 ms. */
const time = number.check(z.minimum(-8e15), z.maximum(8e15));
const cents = z.int().check(z.minimum(0));

/** The checks of a command decide here, too: a file could bring what no command accepts. */
const accepts = (check: (value: never) => unknown) =>
  z.refine((value) => {
    try {
      return check(value as never) !== false;
    } catch {
      return false;
    }
  });

const webhookUrl = text.check(
  accepts((url: string) => webhookRegistration.safeParse({ name: "", url }).success),
);
const jsonObject = text.check(accepts((json: string) => isObject(JSON.parse(json))));
const fault = z
  .looseObject({ match: anyObject, effect: anyObject, after: number, times: z.nullable(number) })
  .check(
    accepts(({ match, effect, after, times }: FaultOptions) =>
      checkFaultOptions({ match, effect, after, times: times ?? Number.POSITIVE_INFINITY }),
    ),
  );

const task = z.looseObject({ kind: z.enum(["answer", "expire", "deliver", "overdue"]) });
const payment = z.looseObject({
  payment_id: number,
  reference: text,
  cents,
  currency: text,
  phone: text,
  status: z.enum(["pending", "completed", "failed"]),
  account_reference: text,
  description: text,
  checkout_request_id: z.optional(text),
  createdAt: time,
  finalAt: z.optional(time),
});
const invoice = z.looseObject({
  id: text,
  number: text,
  status: z.enum(["draft", "sent", "paid", "overdue"]),
  cents: z.optional(cents),
  dueAt: time,
  createdAt: time,
  fields: anyObject,
});
const attempt = z.looseObject({
  at: text.check(accepts((at: string) => parseTimestamp(at) !== undefined)),
  latencyMs: number,
  chaos: z.optional(z.array(text)),
});
const delivery = z.looseObject({
  id: text,
  event: text,
  url: webhookUrl,
  body: jsonObject,
  signature: text,
  state: z.enum(["pending", "delivered", "failed"]),
  attempts: z.array(attempt),
  tries: number,
  responses: z.optional(z.record(text, text)),
  chaos: z.optional(z.looseObject({ seed: text, faults: z.array(text) })),
});
const chaos = z.looseObject({
  seed: text,
  rates: z.record(text, number),
  calls: number,
  held: z.record(text, text),
  nextSecret: z.optional(text),
});
const key = z.looseObject({
  kind: z.enum(Object.keys(KEY_PREFIXES)),
  scopes: z.array(text),
});

const STATE = z
  .looseObject({
    now: time,
    startedAt: z.optional(time),
    timers: z.array(z.looseObject({ at: time, turn: number, task })),
    nextTurn: number,
    random: z.looseObject({ word: number }),
    nextId: number,
    nextInvoice: number,
    keys: z.record(text, key),
    builtIn: z.looseObject({ public: text, secret: text, sandbox: text }),
    webhookSecret: z.string().check(z.minLength(1)),
    otherSecrets: z.optional(z.array(text)),
    phones: z.record(text, z.looseObject({ balanceCents: cents, on: z.boolean() })),
    payments: z.array(payment),
    invoices: z.array(invoice),
    webhooks: z.array(
      z.looseObject({ id: text, name: text, url: webhookUrl, events: z.array(text) }),
    ),
    deliveries: z.array(delivery),
    faults: z.array(fault),
    faultCount: z.optional(number),
    chaos: z.optional(chaos),
  } satisfies Record<Exclude<keyof State, "version">, z.ZodMiniType>)
  // A timer of a delivery that does not exist would stop the clock.
  .check(
    z.refine(
      ({ timers, deliveries }) => {
        const ids = new Set<unknown>(deliveries.map(({ id }) => id));
        return timers.every(({ task }) => task.kind !== "deliver" || ids.has(task.delivery));
      },
      { path: ["timers"] },
    ),
  );

/** @throws {ConfigurationError} naming the field that is damaged. */
export function checkSnapshot(snapshot: unknown): State {
  if (!z.looseObject({ version: z.literal(1) }).safeParse(snapshot).success) {
    throw new ConfigurationError(
      "This is not a snapshot of a sandbox, or a later version made it. Pass what sandbox.snapshot() returned.",
    );
  }
  const result = STATE.safeParse(snapshot);
  if (result.success) return snapshot as State;
  const [field] = result.error.issues[0]?.path ?? [];
  throw new ConfigurationError(
    `The snapshot is damaged: its field \`${String(field)}\` is missing or has a wrong value. Take a new snapshot.`,
  );
}
