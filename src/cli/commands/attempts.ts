import { createCall } from "../../client/call.ts";
import { matchFieldsOf, startsPayment, storedPhonesOf } from "../../client/match-fields.ts";
import { objectionTo } from "../../client/unknown-outcomes/check-outcome.ts";
import { contextOf } from "../../client/unknown-outcomes/operations.ts";
import {
  type Attempt,
  type AttemptsContext,
  allRecords,
  listAttempts,
} from "../../client/unknown-outcomes/recorded-attempts.ts";
import {
  type CreateName,
  endpointNameOf,
  resolveAttempt,
} from "../../client/unknown-outcomes/resolve-attempt.ts";
import type { ResolveUnknownResult } from "../../client/unknown-outcomes/resolve-unknown.ts";
import { countryCodes } from "../../contract/countries.ts";
import type {
  AttemptRecord,
  IdempotencyStore,
  ListQuery,
} from "../../idempotency/idempotency-store.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { createRedactor } from "../../internal/redact.ts";
import { internationalDigits } from "../../phones/phone-number.ts";
import { encodeProfile } from "../../profile/file-format.ts";
import { CliError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type {
  ATTEMPT_STORE,
  ATTEMPTS_LIST,
  ATTEMPTS_RESOLVE,
  ATTEMPTS_RESOLVE_UNKNOWN,
} from "../flags/stores.ts";
import { createGateway, gatewaySettings } from "../gateway-from-flags.ts";
import { readAmount, readSecretFile, readTimeout, readWholeNumber } from "../input/flag-values.ts";
import { openEngine } from "../input/open-engine.ts";
import { readProfile } from "../learn/profile-arguments.ts";
import { confirm } from "../terminal/confirm.ts";
import { paint } from "../terminal/output.ts";
import { formatTable, type Screen } from "../terminal/table.ts";
import { relativeTime } from "../terminal/times.ts";

type StoreFlags = FlagsOf<typeof ATTEMPT_STORE>;
type ListFlags = FlagsOf<typeof ATTEMPTS_LIST>;
type ResolveFlags = FlagsOf<typeof ATTEMPTS_RESOLVE>;
type ResolveUnknownFlags = FlagsOf<typeof ATTEMPTS_RESOLVE_UNKNOWN>;

/** A command about the store that `--store` names. */
const withStore =
  <Flags extends StoreFlags>(
    work: (context: AttemptsContext, input: Input<Flags>) => Promise<Output>,
  ) =>
  async (input: Input<Flags>): Promise<Output> => {
    const pepper = readSecretFile(input, "pepper-file");
    const { engine, close } = await openEngine(input, "idempotency", { pepper });
    const store = engine.idempotency({ scope: input.flags.scope });
    // There is no API key to redact: a value that nothing contains.
    const context = { store, redactor: createRedactor(globalThis.crypto.randomUUID()) };
    try {
      return await work(context, input);
    } finally {
      await close();
    }
  };

const MAX_LIMIT = 1_000;

/** `malipo attempts list` */
export const list = withStore(async (context, { flags, io }: Input<ListFlags>) => {
  const limit = readWholeNumber(flags, "limit", 1, MAX_LIMIT);
  const query = { state: flags.state, limit, after: flags.after };
  const [digests, ...others] = digestsOf(context, flags);
  let found = await listAttempts(context, query, digests);
  for (const other of others) {
    if (found.items.length === 0) found = await listAttempts(context, query, other);
  }
  const { items, next } = found;
  const text = () => {
    if (items.length === 0) return "No attempts.";
    const more = next === undefined ? [] : [paint("dim", `More attempts: --after ${next}`)];
    const hint = digests === undefined ? [paint("dim", DIGESTS_HINT)] : [];
    return [formatAttempts(items, io.stdout), ...more, ...hint].join("\n");
  };
  return { value: { items, next }, text };
});

const DIGESTS_HINT =
  "The store has digests of account references, amounts and phones. To find the attempts of an order: --account-reference, --amount, --phone";

/** The digests of the payment that the flags describe: one for each way in which its phone may be stored. */
function digestsOf({ store }: AttemptsContext, flags: ListFlags): ListQuery["digests"][] {
  const amount = flags.amount === undefined ? undefined : readAmount(flags, "amount");
  const fields = matchFieldsOf({ account_reference: flags["account-reference"], amount });
  const { phone } = flags;
  // The store does not say in which country a number without its code was asked.
  const wholes = countryCodes().flatMap((one) => internationalDigits(phone ?? "", one) ?? []);
  const phones = new Set([...wholes, phone].flatMap((one) => storedPhonesOf(one)));
  return (phones.size === 0 ? [undefined] : [...phones]).map((one) => {
    const found = Object.entries({ ...fields, phone: one }).filter(
      ([, text]) => text !== undefined,
    );
    return found.length === 0
      ? undefined
      : Object.fromEntries(found.map(([name, text]) => [name, store.digest(text as string)]));
  });
}

const HEAD = ["key", "state", "begun", "may be resolved as not_sent", "attempt", "endpoint"];

function formatAttempts(items: readonly Attempt[], screen: Screen): string {
  const rows = items.map(({ idempotencyKey, state, begunAt, notSentFrom, attempt, endpoint }) => {
    const from = notSentFrom.getTime() <= Date.now() ? "now" : relativeTime(notSentFrom);
    const notSent = state === "succeeded" ? "" : from;
    return [idempotencyKey, state, relativeTime(begunAt), notSent, attempt, endpoint];
  });
  return formatTable(screen, [HEAD, ...rows]);
}

/** `malipo attempts resolve` */
export const resolve = withStore(async (context, input: Input<ResolveFlags>) => {
  const { args, flags } = input;
  const [key = "", outcome = ""] = args;
  const endpoint = flags.endpoint as CreateName;
  const name = endpointNameOf(endpoint, context);
  const record = (await allRecords(context, { state: "unknown" })).find(
    (one) =>
      one.idempotencyKey === key &&
      one.endpoint === name &&
      (flags.attempt === undefined || one.owner === flags.attempt),
  );
  if (record !== undefined && !flags.force) await look(context, input, record, outcome);
  const attempt = flags.attempt ?? record?.owner;
  await resolveAttempt(context, key, outcome, { endpoint, attempt });
  const text = () =>
    outcome === "not_sent"
      ? `${key} is free: the next call with it is sent.`
      : `${key} has the reference ${outcome} now.`;
  return { value: { key, outcome }, text };
});

/** Looks at the service before an outcome is believed. @throws {CliError} for a contradiction. */
async function look(
  { store }: AttemptsContext,
  input: Input<ResolveFlags>,
  record: AttemptRecord,
  outcome: string,
): Promise<void> {
  if (!startsPayment(record.endpoint)) return;
  const settings = await gatewaySettings(input);
  const call = createCall(settings);
  const context = await contextOf({ ...settings, store: async () => store }, call);
  const objection = await objectionTo(context, record, outcome);
  if (objection === undefined) return;
  throw new CliError(
    "contradiction",
    `${objection} Nothing was resolved. If you are certain nevertheless, add --force.`,
  );
}

/** `malipo attempts resolve-unknown` */
export const resolveUnknown = withStore(async ({ store }, input: Input<ResolveUnknownFlags>) => {
  const { flags, io } = input;
  const lookBackMs = readTimeout(flags, "look-back");
  const isAfter = flags["not-sent-after"] !== undefined;
  const notSentAfterMs = isAfter ? readTimeout(flags, "not-sent-after") : undefined;
  const profile =
    flags.profile === undefined ? undefined : encodeProfile(readProfile(io, flags.profile));
  const look = async (resolve: IdempotencyStore["resolve"]) => {
    const gateway = await createGateway(input, { idempotency: { ...store, resolve }, profile });
    return gateway.idempotency.resolveUnknown({ lookBackMs, notSentAfterMs });
  };
  // The first look writes nothing: it shows what the second one does.
  const planned = await look(async () => ({ state: "resolved" }));
  const changes = planned.filter(({ state }) => state === "resolved" || state === "not_sent");
  const isDryRun = flags["dry-run"];
  if (isDryRun || changes.length === 0) {
    const value = { ...(isDryRun && { dry_run: true }), results: planned };
    return { value, text: () => resultsAsText(planned, io.stdout) };
  }
  const amount = changes.length === 1 ? "1 attempt" : `${changes.length} attempts`;
  await confirm(`${amount} would be resolved`, formatResults(changes, io.stderr), input);
  const shown = new Set(changes.map(({ attempt }) => attempt.attempt));
  const results = await look(async (name, result, owner) =>
    owner !== undefined && shown.has(owner)
      ? store.resolve(name, result, owner)
      : { state: "another" },
  );
  return { value: { results }, text: () => resultsAsText(results, io.stdout) };
});

const resultsAsText = (results: readonly ResolveUnknownResult[], screen: Screen): string =>
  results.length === 0 ? "No attempts of unknown outcome." : formatResults(results, screen);

function formatResults(results: readonly ResolveUnknownResult[], screen: Screen): string {
  const rows = results.map((result) => {
    const references =
      result.state === "resolved"
        ? [result.reference]
        : result.state === "unclear"
          ? result.references
          : [];
    return [result.attempt.idempotencyKey, result.state, references.join(", ")];
  });
  return formatTable(screen, [["key", "state", "payments"], ...rows]);
}
