import type { Answer } from "./messages.ts";

/** A payment as the service's own ledger has it. */
export interface LedgerEntry extends Answer {
  readonly account_reference: string;
}

/** What the shop came to know of an order. */
export interface OrderRecord {
  readonly id: string;
  /** Every final answer that it was given, in the order of asking. */
  readonly answers: readonly Answer[];
  /** What the same key gave when everything was over; no answer, or why not. */
  readonly asked: Answer | string;
  /** What happened over it that must never happen. */
  readonly broken: readonly string[];
}

/** A promise that was not kept. */
export interface Breach {
  readonly kind: "prompts" | "stray" | "wrong" | "unknown" | "broken";
  /** The label of the order. */
  readonly order: string;
  readonly what: string;
}

/** What the ledger says to the promises. */
export interface Verdict {
  readonly prompts: number;
  /** For the key that has most. */
  readonly mostPrompts: number;
  /** Orders by how they ended, of those whose end is known. */
  readonly ends: Readonly<Record<string, number>>;
  readonly breaches: readonly Breach[];
}

const isFinal = (status: string) => status === "completed" || status === "failed";

/** Does an answer say what the ledger says? Gives what is wrong with it. */
function wrongIn({ reference, status }: Answer, prompts: readonly LedgerEntry[]): string[] {
  const said = `answered ${status} (${reference})`;
  const payment = prompts.find((one) => one.reference === reference);
  if (payment === undefined) return [`${said}, but the ledger has no such payment of this order`];
  if (payment.status !== status) return [`${said}, but in the ledger it is ${payment.status}`];
  return isFinal(status) ? [] : [`${said}, which is no end`];
}

function breachesOf(record: OrderRecord, prompts: readonly LedgerEntry[]): Breach[] {
  const { id: order, answers, asked, broken } = record;
  const found: Breach[] = broken.map((what) => ({ kind: "broken", order, what }));
  if (prompts.length > 1) {
    const names = prompts.map(({ reference, status }) => `${reference} ${status}`).join(", ");
    found.push({ kind: "prompts", order, what: `${prompts.length} prompts: ${names}` });
  }
  const given = typeof asked === "string" ? answers : [...answers, asked];
  const wrong = new Set(given.flatMap((answer) => wrongIn(answer, prompts)));
  for (const what of wrong) found.push({ kind: "wrong", order, what });
  if (typeof asked === "string") {
    found.push({ kind: "unknown", order, what: `asked at the end: ${asked}` });
  } else if (answers.length === 0) {
    found.push({ kind: "unknown", order, what: "no final answer before the end" });
  }
  return found;
}

/** Counts prompts, wrong answers and orders left unknown, from the service's own ledger. */
export function check(records: readonly OrderRecord[], ledger: readonly LedgerEntry[]): Verdict {
  const byOrder = new Map<string, LedgerEntry[]>();
  for (const entry of ledger) {
    const { account_reference } = entry;
    byOrder.set(account_reference, [...(byOrder.get(account_reference) ?? []), entry]);
  }
  const breaches = records.flatMap((record) => breachesOf(record, byOrder.get(record.id) ?? []));
  const known = new Set(records.map(({ id }) => id));
  for (const { account_reference, reference } of ledger) {
    if (known.has(account_reference)) continue;
    breaches.push({ kind: "stray", order: account_reference, what: `${reference} is nobody's` });
  }
  const ends: Record<string, number> = {};
  for (const { asked } of records) {
    if (typeof asked !== "string") ends[asked.status] = (ends[asked.status] ?? 0) + 1;
  }
  return {
    prompts: ledger.length,
    mostPrompts: Math.max(0, ...[...byOrder.values()].map(({ length }) => length)),
    ends,
    breaches,
  };
}
