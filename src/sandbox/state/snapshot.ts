import * as z from "zod/mini";
import { KEY_PREFIXES } from "../../contract/keys.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { State } from "./state.ts";

// A snapshot may come from a file that was cut short or edited. It is checked before it replaces a
// state that works. Only the fields that the sandbox cannot do without are named here.

const text = z.string();
const number = z.number();
const anyObject = z.looseObject({});

const task = z.looseObject({ kind: z.enum(["answer", "expire", "deliver", "overdue"]) });
const payment = z.looseObject({
  payment_id: number,
  reference: text,
  cents: number,
  phone: text,
  status: z.enum(["pending", "completed", "failed"]),
  createdAt: number,
});
const invoice = z.looseObject({
  id: text,
  number: text,
  status: z.enum(["draft", "sent", "paid", "overdue"]),
  dueAt: number,
  createdAt: number,
  fields: anyObject,
});
const delivery = z.looseObject({
  id: text,
  event: text,
  url: text,
  body: text,
  signature: text,
  state: z.enum(["pending", "delivered", "failed"]),
  attempts: z.array(anyObject),
  tries: number,
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
    now: number,
    startedAt: z.optional(number),
    timers: z.array(z.looseObject({ at: number, turn: number, task })),
    nextTurn: number,
    random: z.looseObject({ word: number }),
    nextId: number,
    nextInvoice: number,
    keys: z.record(text, key),
    builtIn: z.looseObject({ public: text, secret: text, sandbox: text }),
    webhookSecret: z.string().check(z.minLength(1)),
    otherSecrets: z.optional(z.array(text)),
    phones: z.record(text, z.looseObject({ balanceCents: number, on: z.boolean() })),
    payments: z.array(payment),
    invoices: z.array(invoice),
    webhooks: z.array(z.looseObject({ id: text, name: text, url: text, events: z.array(text) })),
    deliveries: z.array(delivery),
    faults: z.array(z.looseObject({ match: anyObject, effect: anyObject, after: number })),
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
