import { ConfigurationError } from "../../errors/configuration.ts";
import type { State } from "./state.ts";

// A snapshot may come from a file that was cut short or edited: it is looked over before it takes
// the place of a world that works.

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isFlag: Check = (value) => typeof value === "boolean";
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const oneOf =
  (...choices: readonly unknown[]): Check =>
  (value) =>
    choices.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const recordOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check);
const holding =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const TASKS = ["answer", "expire", "deliver", "overdue"];
const KINDS = ["public", "secret", "sandbox"];

/** What the sandbox cannot do without, by the field of the state. */
const SHAPE: Readonly<Record<string, Check>> = {
  now: isNumber,
  timers: listOf(
    holding({ at: isNumber, turn: isNumber, task: holding({ kind: oneOf(...TASKS) }) }),
  ),
  nextTurn: isNumber,
  random: holding({ word: isNumber }),
  nextId: isNumber,
  nextInvoice: isNumber,
  keys: recordOf(holding({ kind: oneOf(...KINDS), scopes: listOf(isText) })),
  builtIn: holding({ public: isText, secret: isText, sandbox: isText }),
  webhookSecret: (value) => isText(value) && value !== "",
  phones: recordOf(holding({ balanceCents: isNumber, on: isFlag })),
  payments: listOf(
    holding({
      payment_id: isNumber,
      reference: isText,
      cents: isNumber,
      phone: isText,
      status: oneOf("pending", "completed", "failed"),
      createdAt: isNumber,
    }),
  ),
  invoices: listOf(
    holding({
      id: isText,
      number: isText,
      status: oneOf("draft", "sent", "paid", "overdue"),
      dueAt: isNumber,
      createdAt: isNumber,
      fields: isObject,
    }),
  ),
  webhooks: listOf(holding({ id: isText, name: isText, url: isText, events: listOf(isText) })),
  deliveries: listOf(
    holding({
      id: isText,
      event: isText,
      url: isText,
      body: isText,
      signature: isText,
      state: oneOf("pending", "delivered", "failed"),
      attempts: listOf(isObject),
      tries: isNumber,
    }),
  ),
  faults: listOf(holding({ match: isObject, effect: isObject, after: isNumber })),
  otherSecrets: maybe(listOf(isText)),
  chaos: maybe(
    holding({
      seed: isText,
      rates: recordOf(isNumber),
      calls: isNumber,
      held: recordOf(isText),
      nextSecret: maybe(isText),
    }),
  ),
};

/** A timer for a delivery that is not there would stop the clock. */
function leadsSomewhere({ timers, deliveries }: State): boolean {
  const ids = new Set(deliveries.map(({ id }) => id));
  return timers.every(({ task }) => task.kind !== "deliver" || ids.has(task.delivery));
}

/** @throws {ConfigurationError} naming the field that is damaged. */
export function checkSnapshot(snapshot: unknown): State {
  if (!isObject(snapshot) || snapshot.version !== 1) {
    throw new ConfigurationError(
      "This is no snapshot of a sandbox, or one of a later version. `sandbox.snapshot()` makes one.",
    );
  }
  const damaged = Object.entries(SHAPE).find(([name, check]) => !check(snapshot[name]))?.[0];
  const state = snapshot as unknown as State;
  if (damaged === undefined && leadsSomewhere(state)) return state;
  throw new ConfigurationError(
    `The snapshot is damaged: its \`${damaged ?? "timers"}\` is not what it was.`,
  );
}
