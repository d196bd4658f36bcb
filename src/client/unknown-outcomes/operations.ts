// What the methods of `gateway.idempotency` do, loaded when the first of them is called.

import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { MobileMoneyPaymentParams, Payment } from "../../contract/payment.ts";
import { IdempotencyConflictError } from "../../errors/attempt.ts";
import type { AttemptRecord } from "../../idempotency/idempotency-store.ts";
import { describeError } from "../../internal/describe-error.ts";
import { DAY_MS } from "../../internal/units.ts";
import type { Call } from "../call.ts";
import { matchFieldsOf } from "../match-fields.ts";
import type { CallOptions } from "../options.ts";
import type { Page } from "../response/page.ts";
import type { Settings } from "../settings.ts";
import type { Look } from "../waiting/collect.ts";
import { objectionTo } from "./check-outcome.ts";
import {
  attemptsFor,
  begunAtMs,
  candidateOf,
  compare,
  readCandidates,
  takenReferences,
} from "./match-payments.ts";
import {
  type Attempt,
  allRecords,
  type LookContext,
  listRecords,
  toAttempt,
} from "./recorded-attempts.ts";
import { type CreateName, resolveAttempt } from "./resolve-attempt.ts";
import { lookForPayments, resolveByCandidate } from "./resolve-unknown.ts";

export { listAttempts } from "./recorded-attempts.ts";
export { readKey, resolveAttempt } from "./resolve-attempt.ts";
export { resolveUnknown } from "./resolve-unknown.ts";

/** An attempt of unknown outcome, with the payments that may be its own. */
export interface UnknownAttempt {
  readonly attempt: Attempt;
  readonly payments: readonly Payment[];
  /** Why the payments could not be read; then there are none here. */
  readonly problem?: string;
}

export async function contextOf(
  { store, redactor, baseUrl, loadLearned }: Settings,
  call: Call,
): Promise<LookContext> {
  const learned = await loadLearned?.();
  return {
    store: await store(),
    redactor,
    baseUrl,
    listedAfterMs: learned?.listedAfterMs,
    readPayment: (reference) => call(ENDPOINTS["payments.get"], { path: [reference] }),
    readPage: (options) => (query) =>
      call<Page<Payment>>(ENDPOINTS["payments.list"], { query }, options).withResponse(),
  };
}

/** The unknown attempts, each with the payments of the last day that may be its own. */
export async function unknownBeside(
  context: LookContext,
  limit: number,
): Promise<UnknownAttempt[]> {
  const { attempts } = await listUnknown(context, limit);
  if (attempts.length === 0) return [];
  const now = Date.now();
  const since = Math.min(...attempts.map((record) => begunAtMs(record, now)));
  let found: Awaited<ReturnType<typeof readCandidates>>;
  try {
    found = await readCandidates(context, Math.max(since, now - DAY_MS));
  } catch (error) {
    // Attempts become unknown when the service is down: they are not hidden by that.
    const problem = describeError(error);
    return attempts.map((one) => ({ attempt: toAttempt(one), payments: [], problem }));
  }
  const { candidates } = found;
  const matches = (record: AttemptRecord) =>
    candidates.filter((one) => compare(record, one) !== "no").map(({ payment }) => payment);
  return attempts.map((one) => ({ attempt: toAttempt(one), payments: matches(one) }));
}

/**
 * Resolves an attempt as a person has decided, unless the service contradicts it.
 *
 * @param attempt - The id of the attempt.
 * @throws {IdempotencyConflictError} with the reason if nothing was resolved.
 */
export async function decide(
  context: LookContext,
  attempt: string,
  outcome: string,
): Promise<void> {
  const records = await allRecords(context, { state: "unknown" });
  const record = records.find(({ owner }) => owner === attempt);
  if (record === undefined) throw new IdempotencyConflictError("It is resolved already.", "");
  const objection = await objectionTo(context, record, outcome);
  const { idempotencyKey, endpoint } = record;
  if (objection !== undefined) throw new IdempotencyConflictError(objection, idempotencyKey);
  await resolveAttempt(context, idempotencyKey, outcome, {
    endpoint: endpoint as CreateName,
    attempt,
  });
}

/** Resolves the attempt that made a payment. Reads the payment if it lacks what it is recognised by. */
export async function resolveByPayment(
  context: LookContext,
  payment: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const { reference, account_reference, phone } = payment;
  const { attempts } = await listUnknown(context, 1);
  if (attempts.length === 0) return false;
  const isComplete = account_reference !== undefined && phone !== undefined;
  const read = isComplete ? {} : await context.readPayment(String(reference));
  const whole = { ...payment, ...read, reference } as Payment;
  return resolveByCandidate(context, candidateOf(context, whole));
}

const listUnknown = (context: LookContext, limit: number) =>
  listRecords(context, { state: "unknown", limit });

/**
 * The completed payments of an account reference that other idempotency keys made, as far as the
 * store remembers them.
 */
export async function otherCompletedPayments(
  context: LookContext,
  accountReference: string,
  reference: string,
): Promise<Payment[]> {
  const { accountReference: label } = matchFieldsOf({ account_reference: accountReference });
  if (label === undefined) return [];
  const records = await attemptsFor(context, context.store.digest(label));
  const others = await takenReferences(context, records);
  others.delete(reference);
  const completed: Payment[] = [];
  for (const other of others) {
    const payment = await context.readPayment(other);
    if (payment.status === "completed") completed.push({ ...payment, reference: other });
  }
  return completed;
}

const { method, path } = ENDPOINTS["mobileMoney.initiate"];
const PROMPT = `${method} ${path}`;

/** Longer than any attempt is old. */
const MAX_AGE_MS = Number.MAX_SAFE_INTEGER;

/**
 * Looks for the payment of one attempt to prompt a customer, and resolves the attempt by it. Never
 * concludes that there is none: that it is `gone` means that looking on is of no use.
 */
export async function lookForAttempt(
  context: LookContext,
  idempotencyKey: string,
  params: MobileMoneyPaymentParams,
  options: CallOptions,
): Promise<Look> {
  const { accountReference } = matchFieldsOf(params);
  if (accountReference === undefined) return "gone";
  const digest = context.store.digest(accountReference);
  const record = (await attemptsFor(context, digest)).find(
    (one) => one.idempotencyKey === idempotencyKey && one.endpoint === PROMPT,
  );
  if (record === undefined) return "gone";
  // A webhook, or another process, has resolved it.
  if (record.state === "succeeded") return "found";
  if (record.state === "in_flight") return "open";
  const results = await lookForPayments(context, { lookBackMs: MAX_AGE_MS }, options, record);
  if (results.some(({ state }) => state === "resolved")) return "found";
  // Its request cannot be on its way any more, so this look was the last one that makes sense.
  return record.notSentInMs === 0 ? "gone" : "open";
}
