import { checkOptionNames, checkWholeNumber } from "../../../internal/check-options.ts";
import type { CallOptions } from "../../options.ts";
import { recordName } from "../run-once.ts";
import type { AttemptRecord } from "../store.ts";
import { encodeReference } from "../stored-response.ts";
import {
  type Attempt,
  type AttemptsContext,
  allRecords,
  fromStore,
  toAttempt,
} from "./attempts.ts";
import {
  attemptsFor,
  type Candidate,
  candidateOf,
  claimedReferences,
  compare,
} from "./match-payments.ts";
import { type PaymentHistory, type ReadPage, readPayments, timeOf } from "./payment-pages.ts";

/** How `gateway.idempotency.resolveUnknown` looks for payments. */
export interface ResolveUnknownOptions {
  /**
   * How old an attempt may be, in milliseconds. The list of payments is read as far back. Older
   * attempts are reported and not looked for.
   */
  lookBackMs: number;
  /**
   * After how many milliseconds a payment is in your service's list for certain. Set it to have an
   * attempt resolved as not sent where it is older than that, its lease is safely over, and the list
   * has no such payment though it is known to reach back far enough. The next call with the key
   * prompts the customer then. Leave it out where you do not know: absence is then only reported.
   *
   * @default absence is never concluded
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
 *   payment lacks what it could be recognised by. A person has to decide.
 * - `none`: no payment matches yet, or the list does not reach back far enough.
 * - `too_old`: it began before `lookBackMs`.
 * - `changed`: another process resolved it meanwhile.
 */
export type UnknownReport =
  | { readonly state: "resolved"; readonly attempt: Attempt; readonly reference: string }
  | { readonly state: "unclear"; readonly attempt: Attempt; readonly references: readonly string[] }
  | { readonly state: "not_sent" | "none" | "too_old" | "changed"; readonly attempt: Attempt };

/** What a look needs beside the store. */
export interface LookContext extends AttemptsContext {
  readonly baseUrl: string;
  readPage(options: CallOptions): ReadPage;
}

// 100 years.
const MAX_AGE_MS = 36_500 * 24 * 3_600_000;

export function checkResolveUnknownOptions(options: ResolveUnknownOptions): void {
  checkOptionNames(options, ["lookBackMs", "notSentAfterMs", "signal"], "resolveUnknown");
  checkWholeNumber("lookBackMs", options.lookBackMs, 1, MAX_AGE_MS);
  if (options.notSentAfterMs !== undefined) {
    checkWholeNumber("notSentAfterMs", options.notSentAfterMs, 1, MAX_AGE_MS);
  }
}

/**
 * Looks for the payments of all unknown attempts, and resolves what is certain.
 *
 * @param only - Only this attempt.
 */
export async function resolveUnknown(
  context: LookContext,
  options: ResolveUnknownOptions,
  callOptions: CallOptions = { signal: options.signal },
  only?: AttemptRecord,
): Promise<UnknownReport[]> {
  const { lookBackMs, notSentAfterMs, signal } = options;
  const lookedAt = Date.now();
  // Before the payments are read: only then does the absence of a payment say anything.
  const digests = { accountReference: only?.digests.accountReference };
  const all = await allRecords(context, { state: "unknown", digests });
  const isWanted = ({ owner }: AttemptRecord) => only === undefined || owner === only.owner;
  const unknown = all.filter((one) => one.baseUrl === context.baseUrl && isWanted(one));
  const isTooOld = ({ begunAt }: AttemptRecord) => begunAt < lookedAt - lookBackMs;
  const looked = unknown.filter((record) => !isTooOld(record));
  const reports: UnknownReport[] = unknown
    .filter(isTooOld)
    .map((record) => ({ state: "too_old", attempt: toAttempt(record) }));
  if (looked.length === 0) return reports;
  const oldest = Math.min(...looked.map(({ begunAt }) => begunAt));
  const history = await readPayments(context.readPage(callOptions), oldest);
  const candidates = history.payments.map((one) => candidateOf(context, one, timeOf(one)));
  for (const record of looked) {
    signal?.throwIfAborted();
    const mayBeAbsent =
      notSentAfterMs !== undefined &&
      record.notSentInMs === 0 &&
      lookedAt - record.begunAt >= notSentAfterMs &&
      reachesBack(history, record);
    reports.push(await lookFor(context, record, candidates, mayBeAbsent));
  }
  return reports;
}

/** Whether a payment of the attempt would be in the list. */
const reachesBack = ({ reachesBackTo }: PaymentHistory, { begunAt }: AttemptRecord) =>
  reachesBackTo < begunAt;

async function lookFor(
  context: LookContext,
  record: AttemptRecord,
  candidates: readonly Candidate[],
  mayBeAbsent: boolean,
): Promise<UnknownReport> {
  const attempt = toAttempt(record);
  const possible = candidates.filter((one) => compare(record, one) !== "no");
  const { accountReference } = record.digests;
  // Every attempt that a payment in the list may belong to has begun by now.
  const others =
    possible.length === 0 || accountReference === undefined
      ? []
      : (await attemptsFor(context, accountReference, context.baseUrl)).filter(
          (one) => one.owner !== record.owner,
        );
  const claimed = await claimedReferences(context, others);
  const left = possible.filter(({ reference }) => !claimed.has(reference));
  const [only] = left;
  if (only === undefined) {
    const isRecognisable = accountReference !== undefined;
    if (!mayBeAbsent || !isRecognisable) return { state: "none", attempt };
    return resolveRecord(context, record, undefined);
  }
  const isRival = (one: AttemptRecord) =>
    one.state !== "succeeded" && left.some((payment) => compare(one, payment) !== "no");
  const isSure = left.length === 1 && compare(record, only) === "yes" && !others.some(isRival);
  if (isSure && only.reference !== "") return resolveRecord(context, record, only.reference);
  return { state: "unclear", attempt, references: left.map(({ reference }) => reference) };
}

/**
 * Resolves the unknown attempt that made a payment, where exactly one can have made it.
 *
 * @returns Whether an attempt was resolved.
 */
export async function resolveByCandidate(
  context: LookContext,
  candidate: Candidate,
): Promise<boolean> {
  const { accountReference } = candidate.marks;
  if (accountReference === undefined || candidate.reference === "") return false;
  const records = await attemptsFor(context, accountReference, context.baseUrl);
  const possible = records.filter(
    (one) => one.state !== "succeeded" && compare(one, candidate) !== "no",
  );
  const [only] = possible;
  if (only === undefined || possible.length > 1) return false;
  if (only.state !== "unknown" || compare(only, candidate) !== "yes") return false;
  const claimed = await claimedReferences(context, records);
  if (claimed.has(candidate.reference)) return false;
  const { state } = await resolveRecord(context, only, candidate.reference);
  return state === "resolved";
}

/** Resolves an attempt, unless somebody else did. */
async function resolveRecord(
  context: AttemptsContext,
  record: AttemptRecord,
  reference: string | undefined,
): Promise<UnknownReport> {
  const attempt = toAttempt(record);
  const name = recordName(record.endpoint, record.idempotencyKey);
  const result = reference === undefined ? undefined : encodeReference(reference);
  const found = await fromStore(context, "while it resolved an attempt", () =>
    context.store.resolve(name, result, record.owner),
  );
  if (found.state !== "resolved") return { state: "changed", attempt };
  return reference === undefined
    ? { state: "not_sent", attempt }
    : { state: "resolved", attempt, reference };
}
