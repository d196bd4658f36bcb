import type { AttemptRecord } from "../../idempotency/idempotency-store.ts";
import {
  checkOptions,
  checkWholeNumber,
  type OptionRows,
  optional,
} from "../../internal/check-options.ts";
import { DAY_MS } from "../../internal/units.ts";
import type { CallOptions } from "../options.ts";
import {
  attemptsFor,
  begunAtMs,
  type Candidate,
  compare,
  isPossible,
  readCandidates,
  takenReferences,
} from "./match-payments.ts";
import {
  type Attempt,
  type AttemptsContext,
  allRecords,
  type LookContext,
  toAttempt,
} from "./recorded-attempts.ts";
import { resolveInStore } from "./resolve-attempt.ts";

/** How `gateway.idempotency.resolveUnknown` looks for payments. */
export interface ResolveUnknownOptions {
  /**
   * How old an attempt may be, in milliseconds. The list of payments is read as far back. Older
   * attempts are not looked for: their state is `too_old`.
   */
  lookBackMs: number;
  /**
   * After how many milliseconds a payment is in your service's list for certain. Set it to have an
   * attempt resolved as not sent if it is older than that, its lease is safely over, and the list has
   * no payment like it and is known to reach back far enough: to its end, or by the times of payments
   * and the `Date` header of the service to 5 minutes before the attempt. The next call with the key
   * prompts the customer then. Leave it out if you do not know: then the attempt stays unknown.
   *
   * With a profile that measured the list, it is at least ten times as long as was measured.
   *
   * @default with such a profile that time, and at least 10 minutes; otherwise absence is never concluded
   */
  notSentAfterMs?: number | undefined;
  /** Ends the look at once. It rejects with the signal's own reason. */
  signal?: AbortSignal | undefined;
}

/**
 * What was found out about an attempt.
 *
 * - `resolved`: exactly one payment matches. The key has this reference now.
 * - `not_sent`: there is no payment, and `notSentAfterMs` has passed. The key is free now.
 * - `unclear`: several payments may be its own, or one may be the payment of another attempt, or a
 *   payment lacks one of account reference, amount and phone, differs in one of them, or seems to be
 *   older than the attempt. A person has to decide.
 * - `none`: no payment matches yet, or the list does not reach back far enough.
 * - `too_old`: it began before `lookBackMs`.
 * - `changed`: another process resolved it meanwhile.
 */
export type ResolveUnknownResult =
  | { readonly state: "resolved"; readonly attempt: Attempt; readonly reference: string }
  | { readonly state: "unclear"; readonly attempt: Attempt; readonly references: readonly string[] }
  | { readonly state: "not_sent" | "none" | "too_old" | "changed"; readonly attempt: Attempt };

// 100 years.
const MAX_AGE_MS = 36_500 * DAY_MS;

/** The least time, if no one but a profile knows better. */
const MIN_NOT_SENT_MS = 600_000;

const OPTIONS = {
  lookBackMs: (ms) => checkWholeNumber("lookBackMs", ms, 1, MAX_AGE_MS),
  notSentAfterMs: (ms) =>
    optional(ms, (given) => checkWholeNumber("notSentAfterMs", given, 1, MAX_AGE_MS)),
  signal: (signal) => signal,
} satisfies OptionRows<ResolveUnknownOptions>;

/** See `gateway.idempotency.resolveUnknown`. */
export async function resolveUnknown(
  context: LookContext,
  given: ResolveUnknownOptions,
): Promise<ResolveUnknownResult[]> {
  const options = checkOptions(given, OPTIONS, "resolveUnknown");
  const { notSentAfterMs, signal } = options;
  signal?.throwIfAborted();
  const { listedAfterMs } = context;
  const known =
    listedAfterMs === undefined
      ? options
      : { ...options, notSentAfterMs: Math.max(notSentAfterMs ?? MIN_NOT_SENT_MS, listedAfterMs) };
  return lookForPayments(context, known, { signal });
}

/**
 * Looks for the payments of all unknown attempts, and resolves what is certain.
 *
 * @param only - Only this attempt.
 */
export async function lookForPayments(
  context: LookContext,
  options: ResolveUnknownOptions,
  callOptions: CallOptions,
  only?: AttemptRecord,
): Promise<ResolveUnknownResult[]> {
  const { lookBackMs, notSentAfterMs, signal } = options;
  const nowMs = Date.now();
  // Before the payments are read: only then does the absence of a payment say anything.
  const digests = { accountReference: only?.digests.accountReference };
  const all = await allRecords(context, { state: "unknown", digests });
  const isWanted = ({ owner }: AttemptRecord) => only === undefined || owner === only.owner;
  const unknown = all.filter((one) => one.baseUrl === context.baseUrl && isWanted(one));
  const isTooOld = (record: AttemptRecord) => begunAtMs(record, nowMs) < nowMs - lookBackMs;
  const looked = unknown.filter((record) => !isTooOld(record));
  const results: ResolveUnknownResult[] = unknown
    .filter(isTooOld)
    .map((record) => ({ state: "too_old", attempt: toAttempt(record) }));
  if (looked.length === 0) return results;
  const since = Math.min(...looked.map((record) => begunAtMs(record, nowMs)));
  const { candidates, reachBackTo } = await readCandidates(context, since, callOptions);
  for (const record of looked) {
    signal?.throwIfAborted();
    const isOldEnough =
      notSentAfterMs !== undefined &&
      record.notSentInMs === 0 &&
      // By the clock that says less: a clock that jumped must not make an attempt older.
      Math.min(record.ageMs, nowMs - record.begunAt) >= notSentAfterMs;
    const mayBeAbsent = isOldEnough && reachBackTo(begunAtMs(record, nowMs));
    results.push(await lookFor(context, record, candidates, mayBeAbsent));
  }
  return results;
}

/** The attempts that may have made one of some payments, without the one that is looked for. */
async function otherAttempts(
  context: LookContext,
  record: AttemptRecord,
  payments: readonly Candidate[],
): Promise<AttemptRecord[]> {
  const found: AttemptRecord[] = [];
  for (const digest of new Set(payments.map(({ digests }) => digests.accountReference[0]))) {
    const own = digest ?? record.digests.accountReference;
    if (own !== undefined) found.push(...(await attemptsFor(context, own)));
  }
  return found.filter(({ owner }) => owner !== record.owner);
}

/** The payments that an attempt may have made, without those of other attempts. */
export async function freePayments(
  context: LookContext,
  record: AttemptRecord,
  candidates: readonly Candidate[],
): Promise<{ readonly left: readonly Candidate[]; readonly others: readonly AttemptRecord[] }> {
  const near = candidates.filter((one) => compare(record, one) !== "no");
  // Every attempt that a payment in the list may belong to has begun by now.
  const others = await otherAttempts(context, record, near);
  const taken = await takenReferences(context, others);
  return { left: near.filter(({ reference }) => !taken.has(reference)), others };
}

async function lookFor(
  context: LookContext,
  record: AttemptRecord,
  candidates: readonly Candidate[],
  mayBeAbsent: boolean,
): Promise<ResolveUnknownResult> {
  const attempt = toAttempt(record);
  const { left, others } = await freePayments(context, record, candidates);
  if (left.length === 0) {
    const isRecognisable = record.digests.accountReference !== undefined;
    if (!mayBeAbsent || !isRecognisable) return { state: "none", attempt };
    return resolveRecord(context, record, undefined);
  }
  const possible = left.filter((one) => isPossible(record, one));
  const [only] = possible;
  const isRival = (one: AttemptRecord) =>
    one.state !== "succeeded" && possible.some((payment) => isPossible(one, payment));
  const isSure =
    only !== undefined &&
    possible.length === 1 &&
    compare(record, only) === "yes" &&
    !others.some(isRival);
  if (isSure && only.reference !== "") return resolveRecord(context, record, only.reference);
  return { state: "unclear", attempt, references: left.map(({ reference }) => reference) };
}

/**
 * Resolves the unknown attempt that made a payment, if exactly one can have made it.
 *
 * @returns Whether an attempt was resolved.
 */
export async function resolveByCandidate(
  context: LookContext,
  candidate: Candidate,
): Promise<boolean> {
  const [accountReference] = candidate.digests.accountReference;
  if (accountReference === undefined || candidate.reference === "") return false;
  const records = await attemptsFor(context, accountReference);
  const possible = records.filter((one) => one.state !== "succeeded" && isPossible(one, candidate));
  const [only] = possible;
  if (only === undefined || possible.length > 1) return false;
  if (only.state !== "unknown" || compare(only, candidate) !== "yes") return false;
  const taken = await takenReferences(context, records);
  if (taken.has(candidate.reference)) return false;
  const { state } = await resolveRecord(context, only, candidate.reference);
  return state === "resolved";
}

/** Resolves an attempt, unless another process did. */
async function resolveRecord(
  context: AttemptsContext,
  record: AttemptRecord,
  reference: string | undefined,
): Promise<ResolveUnknownResult> {
  const attempt = toAttempt(record);
  const found = await resolveInStore(context, record, reference, record.owner);
  if (found.state !== "resolved") return { state: "changed", attempt };
  return reference === undefined
    ? { state: "not_sent", attempt }
    : { state: "resolved", attempt, reference };
}
