// What the methods of `gateway.idempotency` do, loaded when the first of them is called.
import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { Payment } from "../../contract/payment.ts";
import type { AttemptRecord } from "../../idempotency/store.ts";
import type { Call } from "../call.ts";
import { signalsOf } from "../payment-signals.ts";
import type { Page } from "../response/page.ts";
import type { Settings } from "../settings.ts";
import { type Attempt, listRecords, toAttempt } from "./attempts.ts";
import { attemptsFor, candidateOf, compare, referenceOf } from "./match-payments.ts";
import { type LookContext, resolveByCandidate } from "./resolve-unknown.ts";

export { listAttempts } from "./attempts.ts";
export { lookForAttempt } from "./look-for-attempt.ts";
export { resolveAttempt } from "./resolve-attempt.ts";
export { resolveUnknown } from "./resolve-unknown.ts";

/** An attempt of unknown outcome, with the payments that may be its own. */
export interface UnknownAttempt {
  readonly attempt: Attempt;
  readonly payments: readonly Payment[];
}

export async function contextOf(
  { store, redactor, baseUrl }: Settings,
  call: Call,
): Promise<LookContext> {
  return {
    store: await store(),
    redactor,
    baseUrl,
    readPayment: (reference) => call(ENDPOINTS["payments.get"], { path: [reference] }),
    readPage: (options) => (query) =>
      call<Page<Payment>>(ENDPOINTS["payments.list"], { query }, options).withResponse(),
  };
}

/** The unknown attempts, each with those of the payments that may be its own. */
export async function unknownBeside(
  context: LookContext,
  payments: readonly Payment[],
  limit: number,
): Promise<UnknownAttempt[]> {
  const { attempts } = await listUnknown(context, limit);
  const matches = (record: AttemptRecord) =>
    payments.filter((one) => compare(record, candidateOf(context, one)) !== "no");
  return attempts.map((one) => ({ attempt: toAttempt(one), payments: matches(one) }));
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
  const whole = isComplete
    ? payment
    : { ...payment, ...(await context.readPayment(String(reference))), reference };
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
  const { accountReference: label } = signalsOf({ account_reference: accountReference });
  if (label === undefined) return [];
  const records = await attemptsFor(context, context.store.digest(label), context.baseUrl);
  const completed: Payment[] = [];
  for (const record of records) {
    if (record.state !== "succeeded") continue;
    const other = await referenceOf(context, record);
    if (other === undefined || other === reference) continue;
    const payment = await context.readPayment(other);
    if (payment.status === "completed") completed.push({ ...payment, reference: other });
  }
  return completed;
}
