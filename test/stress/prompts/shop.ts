import { setTimeout as sleep } from "node:timers/promises";
import type { OrderRecord } from "./check.ts";
import type { Incident } from "./incidents/incident.ts";
import type { IncidentRunner } from "./incidents/runner.ts";
import type { FinalStatus, Reply } from "./messages.ts";
import type { Order } from "./plan.ts";
import type { Pool } from "./pool.ts";
import { createReconciler, type Reconciler } from "./reconciler.ts";
import type { Sleepers } from "./sleepers.ts";
import { MAX_INCIDENTS_MS, MIN_ARRIVAL_INTERVAL_MS, MIN_ARRIVALS_MS } from "./time-limits.ts";
import { waitFor } from "./waits.ts";

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
  /**
   * Takes the orders. Resolves when each has a final status or a pending payment.
   *
   * @param calm - The last orders begin after it: no worker is put to sleep any more.
   */
  sell(onBegin: (count: number) => void, calm: Promise<void>): Promise<void>;
  /** Resolves when the orders that put a worker to sleep are done. No incident begins after that. */
  calmDown(): Promise<void>;
  /** Reads the pending payments until each is final. */
  reconcile(): Promise<void>;
  /** Pays every order once more, under the same key. */
  payAgain(): Promise<void>;
  /** The keys whose attempt has not ended, according to the store. */
  openKeys(): Promise<readonly string[]>;
  records(): OrderRecord[];
  /** How many orders have a final status or a pending payment. */
  done(): number;
  readonly resolutions: Reconciler["counts"];
  readonly counts: { readonly clicks: number; readonly reconciled: number };
  /** How often the shop saw each error code. */
  readonly failures: ReadonlyMap<string, number>;
}

/** What the shop works with. */
export interface ShopSetup {
  readonly orders: readonly Order[];
  /** What happens in the middle of an order's first click, by idempotency key. */
  readonly incidents: ReadonlyMap<string, Incident>;
  readonly pool: Pool;
  readonly sleepers: Sleepers;
  readonly runner: IncidentRunner;
  readonly signal: AbortSignal;
}

/** How many orders are in progress at once. */
const CONCURRENCY = 300;

/** How long the other clicks of an order wait for the one in which something is to happen. */
const CLICK_DELAY_MS = 40;

/**
 * How long the shop waits before it tries again: longer and longer. Tries at a fixed interval keep a
 * machine that became slow busy for ever.
 */
const RETRY_DELAY_MS = 200;
const MAX_RETRY_DELAY_MS = 5_000;
const retryDelay = (tries: number) =>
  sleep(Math.min(RETRY_DELAY_MS * 2 ** tries, MAX_RETRY_DELAY_MS));

/** How many orders are paid again at once, at the end. They wait for no other. */
const CONCURRENCY_AT_END = 40;

/** The last orders begin when no worker is put to sleep any more, and soon the faults stop. */
const LATE_SHARE = 0.1;

/** How often the shop tries to have an incident happen, and once it has happened, happen again. */
const INCIDENT_TRIES = 3;

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

export function createShop(setup: ShopSetup): Shop {
  const { orders, incidents, pool, sleepers, runner, signal } = setup;
  const entries = orders.map((order): Entry => ({ order, results: [], unexpected: [], atEnd: "" }));
  const reconciler = createReconciler(pool, signal);
  const counts = { clicks: 0, reconciled: 0 };
  const failures = new Map<string, number>();
  const isDone = ({ results, pending }: Entry) => results.length > 0 || pending !== undefined;
  /** The orders that put a worker to sleep, until they are done. */
  const pauses = new Map<string, Promise<void>>();
  let calm = false;
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

  /** A click on a worker that falls asleep. Resolves when it sleeps; `over` is the end of the click. */
  async function clickAsleep(entry: Entry, incident: Incident): Promise<{ over: Promise<void> }> {
    const { order } = entry;
    const sleeper = await sleepers.take();
    counts.clicks++;
    const over = sleeper.pool
      .run(sleeper.index, "pay", { order, incident })
      .then((reply) => record(entry, reply))
      .finally(sleeper.release);
    await runner.stopped(order.idempotencyKey, over);
    return { over };
  }

  /** Every click of an order at the same moment. The incident is in the first one. */
  async function click(order: Order, incident: Incident | undefined) {
    counts.clicks += order.clicks.length;
    return await Promise.all(
      order.clicks.map(async (worker, index) => {
        if (incident !== undefined && index > 0) await sleep(CLICK_DELAY_MS);
        return pool.run(worker, "pay", { order, incident: index === 0 ? incident : undefined });
      }),
    );
  }

  /** The service's faults may be faster, and while the engine of the store is down no attempt begins. */
  const mayHappen = (order: Order, incident: Incident | undefined, tries: number): boolean =>
    tries < INCIDENT_TRIES ||
    (incident?.act !== "clock" && !runner.hasHappened(order.idempotencyKey));

  async function serve(entry: Entry): Promise<void> {
    const { order, unexpected } = entry;
    const incident = incidents.get(order.idempotencyKey);
    const asleep = incident?.act === "pause" ? await clickAsleep(entry, incident) : undefined;
    for (let tries = 0; !signal.aborted && unexpected.length === 0 && !isDone(entry); tries++) {
      const hasIncident = asleep === undefined && !calm && mayHappen(order, incident, tries);
      const replies = await click(order, hasIncident ? incident : undefined);
      for (const reply of replies) record(entry, reply);
      if (isDone(entry)) break;
      const unknown = replies.find((reply) => reply?.end === "unknown");
      if (unknown !== undefined) await reconciler.resolve({ order, attempt: unknown.attempt });
      else await retryDelay(tries);
    }
    await asleep?.over;
  }

  async function serveAndCount(entry: Entry): Promise<void> {
    const { idempotencyKey } = entry.order;
    const served = serve(entry);
    if (incidents.get(idempotencyKey)?.act === "pause") pauses.set(idempotencyKey, served);
    await served;
    pauses.delete(idempotencyKey);
  }

  /** Pays once more. A busy machine may need more than one wait. */
  async function statusAtEnd(order: Order): Promise<FinalStatus | string> {
    for (let tries = 0; !signal.aborted; tries++) {
      const reply = await pool.run(turn++, "payAgain", order);
      if (reply?.end === "final") return reply.result;
      if (reply?.end === "unexpected") return JSON.stringify(reply);
      // The shop knew the payment, and the store failed when the client reported it.
      if (reply?.end === "unknown") await reconciler.resolve({ order, attempt: reply.attempt });
      else await retryDelay(tries);
    }
    return "the time limit was reached";
  }

  return {
    counts,
    failures,
    resolutions: reconciler.counts,
    done: () => entries.filter(isDone).length,
    sell: async (onBegin, calmed) => {
      const firstLate = Math.floor(orders.length * (1 - LATE_SHARE));
      const intervalMs = Math.max(MIN_ARRIVAL_INTERVAL_MS, MIN_ARRIVALS_MS / orders.length);
      let begun = 0;
      let arrival = Promise.resolve();
      await forEachConcurrently(entries, CONCURRENCY, async (entry) => {
        arrival = arrival.then(() => sleep(intervalMs));
        await arrival;
        if (begun >= firstLate) await calmed;
        onBegin(++begun);
        await serveAndCount(entry);
      });
    },
    calmDown: async () => {
      await waitFor(Promise.all(pauses.values()), {
        what: () => `the orders that put a worker to sleep: ${[...pauses.keys()].join(", ")}`,
        limitMs: MAX_INCIDENTS_MS,
      });
      calm = true;
    },
    reconcile: async () => {
      for (let tries = 0; !signal.aborted; tries++) {
        const open = entries.filter(({ results, pending }) => results.length === 0 && pending);
        if (open.length === 0) return;
        const references = open.map(({ pending = "" }) => pending);
        const found = await pool.run(turn++, "reconcile", references);
        for (const result of found ?? []) {
          open.find(({ pending }) => pending === result.reference)?.results.push(result);
          counts.reconciled++;
        }
        if ((found?.length ?? 0) < open.length) await retryDelay(tries);
      }
    },
    openKeys: async () => {
      for (let tries = 0; ; tries++) {
        const keys = await pool.run(turn++, "listOpen", undefined);
        if (keys !== undefined || signal.aborted) return keys ?? [];
        await retryDelay(tries);
      }
    },
    payAgain: () =>
      forEachConcurrently(entries, CONCURRENCY_AT_END, async (entry) => {
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
