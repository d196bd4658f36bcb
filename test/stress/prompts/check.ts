import type { LedgerEntry as Payment } from "../harness/service/service.ts";
import { type Breach, countEach, groupBy } from "../harness/table.ts";
import type { FinalStatus } from "./messages.ts";

/** What is checked of a payment in the service's own ledger. */
export type LedgerEntry = Pick<Payment, "account_reference" | "reference" | "status">;

/** What the shop knows of an order. */
export interface OrderRecord {
  readonly id: string;
  /** Every final status that it got, oldest first. */
  readonly results: readonly FinalStatus[];
  /** The status that the same key gave at the end, or why it gave none. */
  readonly atEnd: FinalStatus | string;
  /** Errors that must never happen. */
  readonly unexpected: readonly string[];
}

/** Whether the promises held, according to the ledger. */
export interface CheckResult {
  readonly prompts: number;
  /** The highest number of prompts for one key. */
  readonly mostPrompts: number;
  /** The number of orders in each final status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly breaches: readonly Breach[];
}

const isFinal = (status: string) => status === "completed" || status === "failed";

/** Compares a result with the ledger. */
function mistakesIn({ reference, status }: FinalStatus, prompts: readonly LedgerEntry[]): string[] {
  const got = `got ${status} (${reference})`;
  const payment = prompts.find((one) => one.reference === reference);
  if (payment === undefined) return [`${got}, but the ledger has no such payment for this order`];
  if (payment.status !== status) return [`${got}, but the ledger says ${payment.status}`];
  return isFinal(status) ? [] : [`${got}, which is not final`];
}

function breachesOf(record: OrderRecord, prompts: readonly LedgerEntry[]): Breach[] {
  const { id: order, results, atEnd, unexpected } = record;
  const found: Breach[] = unexpected.map((what) => ({ kind: "unexpected", order, what }));
  if (prompts.length > 1) {
    const names = prompts.map(({ reference, status }) => `${reference} ${status}`).join(", ");
    found.push({ kind: "prompts", order, what: `${prompts.length} prompts: ${names}` });
  }
  const given = typeof atEnd === "string" ? results : [...results, atEnd];
  const wrong = new Set(given.flatMap((result) => mistakesIn(result, prompts)));
  for (const what of wrong) found.push({ kind: "wrong", order, what });
  if (typeof atEnd === "string") {
    found.push({ kind: "unknown", order, what: `at the end: ${atEnd}` });
  } else if (results.length === 0) {
    found.push({ kind: "unknown", order, what: "no final status before the end" });
  }
  return found;
}

/** Counts prompts, wrong statuses and orders left unknown, from the service's own ledger. */
export function check(
  records: readonly OrderRecord[],
  ledger: readonly LedgerEntry[],
): CheckResult {
  const byOrder = groupBy(ledger, (entry) => entry.account_reference);
  const breaches = records.flatMap((record) => breachesOf(record, byOrder.get(record.id) ?? []));
  const known = new Set(records.map(({ id }) => id));
  for (const { account_reference, reference } of ledger) {
    if (known.has(account_reference)) continue;
    breaches.push({
      kind: "stray",
      order: account_reference,
      what: `${reference} belongs to no order`,
    });
  }
  const statuses = records.flatMap(({ atEnd }) =>
    typeof atEnd === "string" ? [] : [atEnd.status],
  );
  return {
    prompts: ledger.length,
    mostPrompts: Math.max(0, ...[...byOrder.values()].map(({ length }) => length)),
    statuses: Object.fromEntries(countEach(statuses)),
    breaches,
  };
}
