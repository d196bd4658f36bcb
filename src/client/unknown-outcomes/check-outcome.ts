import type { Payment } from "../../contract/payment.ts";
import { isGatewayError } from "../../errors/any.ts";
import type { AttemptRecord } from "../../idempotency/idempotency-store.ts";
import { startsPayment } from "../match-fields.ts";
import {
  attemptsFor,
  begunAtMs,
  candidateOf,
  compare,
  hasPepperOf,
  readCandidates,
  takenReferences,
} from "./match-payments.ts";
import type { LookContext } from "./recorded-attempts.ts";
import { freePayments } from "./resolve-unknown.ts";

/**
 * Looks at the service for what speaks against an outcome that a person wants to resolve an attempt
 * with. It sends nothing and changes nothing.
 *
 * @param outcome - The reference of a payment, or `"not_sent"`.
 * @returns A sentence; `undefined` if nothing speaks against it, or if the call starts no payment.
 * @throws {GatewayError} if it cannot look.
 */
export async function objectionTo(
  context: LookContext,
  record: AttemptRecord,
  outcome: string,
): Promise<string | undefined> {
  if (record.baseUrl !== context.baseUrl) {
    return `The attempt was made at ${record.baseUrl}, not at ${context.baseUrl}.`;
  }
  if (!startsPayment(record.endpoint)) return undefined;
  if (!hasPepperOf(record, context)) {
    return "The attempt was stored with another pepper, so that its payment cannot be recognised.";
  }
  return outcome === "not_sent"
    ? objectionToNotSent(context, record)
    : objectionToReference(context, record, outcome);
}

async function objectionToNotSent(
  context: LookContext,
  record: AttemptRecord,
): Promise<string | undefined> {
  const begunMs = begunAtMs(record, Date.now());
  const { candidates, reachBackTo } = await readCandidates(context, begunMs);
  const { left } = await freePayments(context, record, candidates);
  if (left.length > 0) {
    const names = left.map(({ reference }) => reference || "one without a reference").join(", ");
    return `The service lists ${left.length === 1 ? "a payment" : "payments"} that this attempt may have made: ${names}.`;
  }
  return reachBackTo(begunMs)
    ? undefined
    : "The list of payments is not known to reach back to the attempt, so that its payment may be missing there.";
}

async function objectionToReference(
  context: LookContext,
  record: AttemptRecord,
  reference: string,
): Promise<string | undefined> {
  const payment = await readIfThere(context, reference);
  if (payment === undefined) return `The service has no payment ${reference}.`;
  const candidate = candidateOf(context, payment);
  const match = compare(record, candidate);
  if (match === "no" || match === "similar") {
    return `The payment ${reference} is of another account reference, amount or phone than the attempt.`;
  }
  const { accountReference } = record.digests;
  const others = await attemptsFor(context, accountReference);
  const taken = await takenReferences(context, others);
  return taken.has(reference)
    ? `The payment ${reference} belongs to another idempotency key already.`
    : undefined;
}

async function readIfThere(context: LookContext, reference: string): Promise<Payment | undefined> {
  try {
    return { ...(await context.readPayment(reference)), reference };
  } catch (error) {
    if (isGatewayError(error) && error.code === "not_found") return undefined;
    throw error;
  }
}
