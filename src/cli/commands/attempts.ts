import {
  type Attempt,
  type AttemptsContext,
  listAttempts,
} from "../../client/idempotency/resolving/attempts.ts";
import {
  type CreateName,
  resolveAttempt,
} from "../../client/idempotency/resolving/resolve-attempt.ts";
import { createRedactor } from "../../internal/redact.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { openStore } from "../input/attempt-store.ts";
import { readWholeNumber } from "../input/flag-values.ts";
import { formatTable, paint, printLine, printResult } from "../terminal/output.ts";

export async function run(input: Input): Promise<number> {
  const { store, close } = await openStore(input.values);
  // There is no API key to redact: a value that nothing contains.
  const context = { store, redactor: createRedactor(globalThis.crypto.randomUUID()) };
  try {
    return input.subcommand === "list" ? await list(context, input) : await resolve(context, input);
  } finally {
    await close();
  }
}

const MAX_LIMIT = 1_000;

async function list(context: AttemptsContext, { values, json }: Input): Promise<number> {
  const limit = readWholeNumber(values, "limit", 1, MAX_LIMIT);
  const state = values.state as Attempt["state"] | undefined;
  const { items, next } = await listAttempts(context, { state, limit, after: values.after });
  printResult(json, { items, next }, () => {
    if (items.length === 0) return "No attempts.";
    const more = next === undefined ? [] : [paint("dim", `More attempts: --after ${next}`)];
    return [formatAttempts(items), ...more].join("\n");
  });
  return EXIT.ok;
}

const HEAD = ["key", "state", "begun", "may be resolved as not_sent", "attempt", "endpoint"];

function formatAttempts(items: readonly Attempt[]): string {
  const rows = items.map(({ idempotencyKey, state, begunAt, notSentFrom, attempt, endpoint }) => [
    idempotencyKey,
    state,
    begunAt.toISOString(),
    notSentText(state, notSentFrom),
    attempt,
    endpoint,
  ]);
  return formatTable([HEAD, ...rows]);
}

function notSentText(state: Attempt["state"], notSentFrom: Date): string {
  if (state === "succeeded") return "";
  return notSentFrom.getTime() <= Date.now() ? "now" : `from ${notSentFrom.toISOString()}`;
}

async function resolve(context: AttemptsContext, { args, values, json }: Input): Promise<number> {
  const [key = "", outcome = ""] = args;
  const endpoint = values.endpoint as CreateName;
  const { attempt } = values;
  await resolveAttempt(context, key, outcome, { endpoint, ...(attempt && { attempt }) });
  if (json) printResult(json, { key, outcome }, () => "");
  else if (outcome === "not_sent") printLine(`${key} is free: the next call with it is sent.`);
  else printLine(`${key} has the reference ${outcome} now.`);
  return EXIT.ok;
}
