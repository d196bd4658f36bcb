import type { WaitingDelivery } from "../batcher.ts";
import { type NewDelivery, type Receipt, receiptFor } from "../types.ts";
import type { Store } from "./store.ts";

/**
 * Whether an error can come from the data of one row: its class is "data exception", "integrity
 * constraint violation" or "program limit exceeded".
 */
const isOfOneRow = (error: unknown): boolean =>
  /^(22|23|54)...$/.test(String((error as { code?: unknown } | null)?.code));

/** Stores deliveries in one transaction, with a job for each new event. */
export async function storeDeliveries(
  store: Store,
  batch: readonly WaitingDelivery[],
  onNew: (kind: string) => void,
): Promise<void> {
  try {
    const kinds = await storeAll(
      store,
      batch.map(({ delivery }) => delivery),
    );
    for (const [at, { delivery, resolve }] of batch.entries()) {
      const kind = kinds[at] as Receipt["kind"];
      resolve(receiptFor(kind));
      if (kind === "accepted") onNew(delivery.event);
    }
  } catch (error) {
    if (batch.length === 1 || !isOfOneRow(error)) throw error;
    for (const one of batch) await storeDeliveries(store, [one], onNew).catch(one.reject);
  }
}

function storeAll(store: Store, deliveries: readonly NewDelivery[]): Promise<Receipt["kind"][]> {
  const { ledger } = store;
  // A statement cannot insert a key twice, and say which delivery was the first.
  const first = new Map(deliveries.toReversed().map((delivery) => [delivery.key, delivery]));
  return store.transaction(async (db) => {
    const stored = await ledger.insert(db, [...first.values()]);
    const isNew = (delivery: NewDelivery) =>
      stored.has(delivery.key) && first.get(delivery.key) === delivery;
    const others = deliveries.filter((delivery) => !isNew(delivery));
    const conflicts = others.length === 0 ? new Set() : await ledger.insertConflicts(db, others);
    const pending = deliveries.filter((one) => isNew(one) && one.deadLetterReason === undefined);
    await store.addJobs(db, pending);
    return deliveries.map((delivery) => {
      if (isNew(delivery)) return "accepted";
      return conflicts.has(delivery) ? "conflict" : "duplicate";
    });
  });
}
