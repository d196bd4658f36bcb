import type { Payment } from "../../contract/payment.ts";
import type { AttemptDigests, AttemptRecord } from "../../idempotency/idempotency-store.ts";
import { recordName } from "../../idempotency/run-once.ts";
import { idText } from "../../internal/json.ts";
import { storedPayment } from "../http/stored-response.ts";
import { matchFieldsOf, storedPhonesOf } from "../match-fields.ts";
import type { CallOptions } from "../options.ts";
import { CLOCK_MARGIN_MS, readPayments, timeOf } from "./payment-pages.ts";
import {
  type AttemptsContext,
  allRecords,
  fromStore,
  type LookContext,
} from "./recorded-attempts.ts";

/** The names of what a payment can be recognised by. */
const MATCH_FIELDS = [
  "accountReference",
  "amount",
  "phone",
] as const satisfies readonly (keyof AttemptDigests)[];

/** What an attempt may have stored for the payment: digests, of which one must be its own. */
type MatchDigests = Readonly<Record<(typeof MATCH_FIELDS)[number], readonly string[]>>;

/** A payment with its digests, and when it was made, if that is known. */
export interface Candidate {
  readonly payment: Payment;
  readonly reference: string;
  readonly digests: MatchDigests;
  /** When the payment was made, by this machine's clock. */
  readonly atMs: number | undefined;
  /** How far `atMs` may be wrong, in milliseconds. Default: no one knows. */
  readonly marginMs?: number | undefined;
}

export function candidateOf(
  { store }: AttemptsContext,
  payment: Payment,
  time: Pick<Candidate, "atMs" | "marginMs"> = { atMs: undefined },
): Candidate {
  const { accountReference, amount } = matchFieldsOf(payment);
  const digestsOf = (...texts: (string | undefined)[]) =>
    texts.filter((text) => text !== undefined).map((text) => store.digest(text));
  return {
    payment,
    reference: idText(payment.reference) ?? "",
    digests: {
      accountReference: digestsOf(accountReference),
      amount: digestsOf(amount),
      phone: digestsOf(...storedPhonesOf(payment.phone, payment.currency)),
    },
    ...time,
  };
}

/**
 * Reads the payments since a time by this machine's clock, to compare attempts with them. `reachBackTo`
 * says whether a payment of an attempt that began then would be among them.
 */
export async function readCandidates(
  context: LookContext,
  sinceMs: number,
  options: CallOptions = {},
) {
  const readPage = context.readPage(options);
  const { payments, reachesBackTo, clockOffsetMs } = await readPayments(readPage, sinceMs);
  const marginMs = clockOffsetMs === undefined ? undefined : CLOCK_MARGIN_MS;
  return {
    candidates: payments.map((payment) => {
      const time = timeOf(payment);
      const atMs = time === undefined ? undefined : time - (clockOffsetMs ?? 0);
      return candidateOf(context, payment, { atMs, marginMs });
    }),
    // Without the service's clock, only the end of the list says so.
    reachBackTo: (begunMs: number) =>
      reachesBackTo === Number.NEGATIVE_INFINITY ||
      (clockOffsetMs !== undefined && reachesBackTo < begunMs + clockOffsetMs - CLOCK_MARGIN_MS),
  };
}

const pepperId = (digest: string): string | undefined =>
  /^([0-9a-f]{8}):[0-9a-f]{64}$/.exec(digest)?.[1];

/** Whether two digests can be compared: digests of two peppers differ for equal texts, too. */
const isSamePepper = (one: string, other: string): boolean => pepperId(one) === pepperId(other);

/** Whether an attempt was stored with the pepper that the store has now. */
export const hasPepperOf = ({ digests }: AttemptRecord, { store }: AttemptsContext): boolean =>
  isSamePepper(digests.parameters, store.digest(""));

/** When an attempt began by this machine's clock: a store on a server has its own. */
export const begunAtMs = ({ begunAt, ageMs }: AttemptRecord, nowMs: number): number =>
  Math.min(begunAt, nowMs - ageMs);

// Times without milliseconds, and the time that the measuring of a clock takes.
const SAME_TIME_MS = 10_000;

/**
 * Whether an attempt made a payment, as far as digests and times say:
 *
 * - `yes`: the account reference, the amount and the phone are equal.
 * - `maybe`: all that is there is equal, but something is missing, or the payment seems to be older
 *   than the attempt. A wrong clock makes no payment absent.
 * - `similar`: two of the three are equal, and one differs. A service may change what it was given.
 * - `no`: anything else.
 */
export function compare(
  record: AttemptRecord,
  { digests, atMs, marginMs }: Candidate,
  nowMs: number = Date.now(),
): "yes" | "maybe" | "similar" | "no" {
  let [equal, different] = [0, 0];
  for (const name of MATCH_FIELDS) {
    const attempt = record.digests[name];
    const payment = digests[name];
    const [first] = payment;
    if (attempt === undefined || first === undefined || !isSamePepper(attempt, first)) continue;
    if (payment.includes(attempt)) equal++;
    else different++;
  }
  const aheadMs = atMs === undefined ? 0 : begunAtMs(record, nowMs) - atMs;
  const isOlder = marginMs !== undefined && aheadMs > marginMs;
  if (different > 0) return different === 1 && equal === 2 && !isOlder ? "similar" : "no";
  if (equal === MATCH_FIELDS.length) return aheadMs > SAME_TIME_MS ? "maybe" : "yes";
  return isOlder ? "no" : "maybe";
}

export const isPossible = (record: AttemptRecord, candidate: Candidate): boolean =>
  ["yes", "maybe"].includes(compare(record, candidate));

/** Every attempt for an account reference, in whatever state, at the same service. */
export async function attemptsFor(
  context: LookContext,
  accountReference: string | undefined,
): Promise<AttemptRecord[]> {
  const records = await allRecords(context, { digests: { accountReference } });
  return records.filter(({ baseUrl }) => baseUrl === context.baseUrl);
}

/** The references of the payments that attempts made. Only those that succeeded have one. */
export async function takenReferences(
  context: AttemptsContext,
  records: readonly AttemptRecord[],
): Promise<Set<string>> {
  const taken = new Set<string>();
  for (const record of records) {
    const reference = record.state === "succeeded" && (await referenceOf(context, record));
    if (reference) taken.add(reference);
  }
  return taken;
}

async function referenceOf(
  context: AttemptsContext,
  { endpoint, idempotencyKey }: AttemptRecord,
): Promise<string | undefined> {
  const failed = "The idempotency store failed while it read an attempt.";
  const found = await fromStore(context, failed, () =>
    context.store.read(recordName(endpoint, idempotencyKey)),
  );
  return found?.result === undefined ? undefined : storedReference(found.result);
}

function storedReference(result: string): string | undefined {
  try {
    return storedPayment(result).reference;
  } catch {
    return undefined;
  }
}
