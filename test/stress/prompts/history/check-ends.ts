import { type Breach, groupBy } from "../../harness/table.ts";
import type { EventOf, FinalStatus, HistoryEvent } from "../messages.ts";

type Payment = EventOf<"payment">;

const isFinal = (status: string) => status === "completed" || status === "failed";

/** Compares a result with the service's own ledger. */
function mistakesIn({ reference, status }: FinalStatus, prompts: readonly Payment[]): string[] {
  const got = `got ${status} (${reference})`;
  const payment = prompts.find((one) => one.reference === reference);
  if (payment === undefined) return [`${got}, but the ledger has no such payment for this order`];
  if (payment.status !== status) return [`${got}, but the ledger says ${payment.status}`];
  return isFinal(status) ? [] : [`${got}, which is not final`];
}

function breachesOf(record: EventOf<"order">, prompts: readonly Payment[]): Breach[] {
  const { key: order, results, atEnd, unexpected } = record;
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

/** Finds second prompts, wrong statuses and orders left unknown, by the service's own ledger. */
export function breachesAtEnd(events: readonly HistoryEvent[]): Breach[] {
  const orders = events.filter((event) => event.what === "order");
  const byKey = groupBy(
    events.filter((event) => event.what === "payment"),
    ({ key }) => key,
  );
  const known = new Set(orders.map(({ key }) => key));
  const strays = [...byKey].flatMap(([order, payments]) => (known.has(order) ? [] : payments));
  return [
    ...orders.flatMap((order) => breachesOf(order, byKey.get(order.key) ?? [])),
    ...strays.map(({ key, reference }) => ({
      ...{ kind: "stray", order: key },
      what: `${reference} belongs to no order`,
    })),
  ];
}
