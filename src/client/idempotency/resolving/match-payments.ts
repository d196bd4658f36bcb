import type { Payment } from "../../../contract/payment.ts";
import { idText, paymentIn } from "../../http/payment-in-body.ts";
import { LEASE_MARGIN_MS } from "../lease.ts";
import { recordName } from "../run-once.ts";
import type { AttemptDigests, AttemptRecord } from "../store.ts";
import { decodeResponse } from "../stored-response.ts";
import { type AttemptsContext, allRecords, fromStore } from "./attempts.ts";
import { marksOf } from "./payment-marks.ts";

/** The digests of what a payment can be recognised by. */
type Marks = Pick<AttemptDigests, "accountReference" | "amount" | "phone">;

const MARKS = ["accountReference", "amount", "phone"] as const;

/** A payment with its digests, and when it was made, where that is known. */
export interface Candidate {
  readonly reference: string;
  readonly marks: Marks;
  readonly atMs: number | undefined;
}

export function candidateOf(
  { store }: AttemptsContext,
  payment: Payment | Readonly<Record<string, unknown>>,
  atMs: number | undefined,
): Candidate {
  const marks = marksOf(payment);
  const digest = (text: string | undefined) =>
    text === undefined ? undefined : store.digest(text);
  return {
    reference: idText(payment.reference) ?? "",
    marks: {
      accountReference: digest(marks.accountReference),
      amount: digest(marks.amount),
      phone: digest(marks.phone),
    },
    atMs,
  };
}

/**
 * Whether an attempt made a payment, as far as digests say: `yes` where the account reference, the
 * amount and the phone are equal, `no` where one of them differs, `maybe` where one is missing.
 */
export function compare(
  { digests, begunAt }: AttemptRecord,
  { marks, atMs }: Candidate,
): "yes" | "maybe" | "no" {
  // The clocks of two machines differ a little.
  if (atMs !== undefined && atMs < begunAt - LEASE_MARGIN_MS) return "no";
  let isSure = true;
  for (const name of MARKS) {
    const [attempt, payment] = [digests[name], marks[name]];
    if (attempt === undefined || payment === undefined) isSure = false;
    else if (attempt !== payment) return "no";
  }
  return isSure ? "yes" : "maybe";
}

/** Every attempt for an account reference, in whatever state, at the same service. */
export async function attemptsFor(
  context: AttemptsContext,
  accountReference: string | undefined,
  baseUrl: string,
): Promise<AttemptRecord[]> {
  const records = await allRecords(context, { digests: { accountReference } });
  return records.filter((record) => record.baseUrl === baseUrl);
}

/** The reference of the payment that a succeeded attempt made. */
export async function referenceOf(
  context: AttemptsContext,
  { endpoint, idempotencyKey, baseUrl }: AttemptRecord,
): Promise<string | undefined> {
  const { store } = context;
  const name = recordName(endpoint, idempotencyKey);
  const owner = globalThis.crypto.randomUUID();
  return fromStore(context, "while it read an attempt", async () => {
    const attempt = { parameters: "", owner, leaseMs: 1, endpoint, idempotencyKey, baseUrl };
    const found = await store.begin(name, attempt);
    // Its retention ended in this moment.
    if (found.state === "begun") await store.forget(name, owner);
    return found.state === "succeeded" ? storedReference(found.result) : undefined;
  });
}

function storedReference(result: string): string | undefined {
  try {
    return paymentIn(JSON.parse(decodeResponse(result).text))?.reference;
  } catch {
    return undefined;
  }
}

/** The references that succeeded attempts have already. */
export async function claimedReferences(
  context: AttemptsContext,
  records: readonly AttemptRecord[],
): Promise<Set<string>> {
  const claimed = new Set<string>();
  for (const record of records) {
    if (record.state !== "succeeded") continue;
    const reference = await referenceOf(context, record);
    if (reference !== undefined) claimed.add(reference);
  }
  return claimed;
}
