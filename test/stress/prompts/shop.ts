import { setTimeout as sleep } from "node:timers/promises";
import type { OrderRecord } from "./check.ts";
import type { FinalStatus, Reply } from "./messages.ts";
import type { Order } from "./plan.ts";
import type { Pool } from "./pool.ts";
import { createReconciler, type Reconciler } from "./reconciler.ts";

/** An order in the shop's records, which outlive its workers. */
interface Entry {
  readonly order: Order;
  readonly results: FinalStatus[];
  readonly unexpected: string[];
  /** The reference of a payment that is not final yet. */
  pending?: string;
  atEnd: FinalStatus | string;
}

/** The shop takes orders, and goes on until it knows how each ended. */
export interface Shop {
  /** Takes the orders. Resolves when each has a final status or a pending payment. */
  sell(onBegin: (count: number) => void): Promise<void>;
  /** Reads the pending payments until each is final. */
  reconcile(): Promise<void>;
  /** Pays every order once more, under the same key. */
  payAgain(): Promise<void>;
  records(): OrderRecord[];
  readonly resolutions: Reconciler["counts"];
  readonly counts: { readonly clicks: number; readonly reconciled: number };
  /** How often the shop saw each error code. */
  readonly failures: ReadonlyMap<string, number>;
}

/** How many orders are in progress at once, and how far apart customers arrive. */
const CONCURRENCY = 200;
const ARRIVAL_INTERVAL_MS = 8;

async function forEachConcurrently<T>(
  list: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = list.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

export function createShop(orders: readonly Order[], pool: Pool, signal: AbortSignal): Shop {
  const entries = orders.map((order): Entry => ({ order, results: [], unexpected: [], atEnd: "" }));
  const reconciler = createReconciler(pool, signal);
  const counts = { clicks: 0, reconciled: 0 };
  const failures = new Map<string, number>();
  let turn = 0;

  /** Records a reply. */
  function record(entry: Entry, reply: Reply | undefined): void {
    if (reply === undefined) return;
    if (reply.end === "final") entry.results.push(reply.result);
    if (reply.end === "pending") entry.pending = reply.reference;
    if (reply.end === "unexpected") entry.unexpected.push(reply.what);
    const code = "code" in reply ? reply.code : reply.end === "pending" ? "payment_pending" : "";
    if (code !== "") failures.set(code, (failures.get(code) ?? 0) + 1);
  }

  async function serve(entry: Entry): Promise<void> {
    const { order, results, unexpected } = entry;
    while (!signal.aborted && unexpected.length === 0) {
      counts.clicks += order.clicks.length;
      const replies = await Promise.all(order.clicks.map((at) => pool.run(at, "pay", order)));
      for (const reply of replies) record(entry, reply);
      if (results.length > 0 || entry.pending !== undefined) return;
      if (replies.some((reply) => reply?.end === "unknown")) await reconciler.resolve(order);
      else await sleep(100);
    }
  }

  /** Pays once more. A busy machine may need more than one wait. */
  async function statusAtEnd(order: Order): Promise<FinalStatus | string> {
    while (!signal.aborted) {
      const reply = await pool.run(turn++, "payAgain", order);
      if (reply?.end === "final") return reply.result;
      if (reply?.end === "unknown" || reply?.end === "unexpected") return JSON.stringify(reply);
      await sleep(100);
    }
    return "the time limit was reached";
  }

  return {
    counts,
    failures,
    resolutions: reconciler.counts,
    sell: async (onBegin) => {
      let begun = 0;
      let arrival = Promise.resolve();
      await forEachConcurrently(entries, CONCURRENCY, async (entry) => {
        arrival = arrival.then(() => sleep(ARRIVAL_INTERVAL_MS));
        await arrival;
        onBegin(++begun);
        await serve(entry);
      });
    },
    reconcile: async () => {
      while (!signal.aborted) {
        const open = entries.filter(({ results, pending }) => results.length === 0 && pending);
        if (open.length === 0) return;
        const references = open.map(({ pending = "" }) => pending);
        const found = await pool.run(turn++, "reconcile", references);
        for (const result of found ?? []) {
          open.find(({ pending }) => pending === result.reference)?.results.push(result);
          counts.reconciled++;
        }
        if ((found?.length ?? 0) < open.length) await sleep(200);
      }
    },
    payAgain: () =>
      forEachConcurrently(entries, CONCURRENCY, async (entry) => {
        entry.atEnd = await statusAtEnd(entry.order);
      }),
    records: () =>
      entries.map(({ order: { id }, results, atEnd, unexpected }) => ({
        id,
        results,
        atEnd,
        unexpected,
      })),
  };
}
