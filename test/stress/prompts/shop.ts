import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../harness/processes.ts";
import { forEachConcurrently, retryDelay } from "../harness/waits.ts";
import type { Click, FinalStatus, Jobs, OrderRecord, Reply } from "./messages.ts";
import type { Order } from "./plan.ts";
import { Reconciler } from "./reconciler.ts";
import { MIN_ARRIVAL_INTERVAL_MS, MIN_ARRIVALS_MS } from "./time-limits.ts";

/** An order in the shop's records, which outlive its workers. */
interface Entry {
  readonly order: Order;
  readonly results: FinalStatus[];
  readonly unexpected: string[];
  /** The reference of a payment that is not final yet. */
  pending?: string;
  atEnd: FinalStatus | string;
}

const isDone = ({ results, pending }: Entry) => results.length > 0 || pending !== undefined;

/** What the shop works with. */
export interface ShopSetup {
  readonly pool: Pick<Pool<Jobs>, "run">;
  /** Has a process that is there for this click make it. Nothing else waits for that process. */
  readonly payApart: (click: Click) => Promise<Reply | undefined>;
  /** Whether the incident of a key has happened. */
  readonly hasHappened: (key: string) => boolean;
  /** Resolves when a process has stopped in the middle of a click on a key. */
  readonly stopped: (key: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** How many orders are in progress at once. */
const CONCURRENCY = 300;

/** How long the other clicks of an order wait for the one in which something is to happen. */
const CLICK_DELAY_MS = 40;

/** How many orders are paid again at once, at the end. They wait for no other. */
const CONCURRENCY_AT_END = 40;

/** The shop takes orders, and goes on until it knows how each ended. */
export class Shop {
  readonly counts = { clicks: 0, reconciled: 0 };
  /** How often the shop saw each error code. */
  readonly failures = new Map<string, number>();
  readonly #setup: ShopSetup;
  readonly #reconciler: Reconciler;
  readonly #entries: Entry[] = [];
  #turn = 0;

  constructor(setup: ShopSetup) {
    this.#setup = setup;
    this.#reconciler = new Reconciler(setup.pool, setup.signal);
  }

  get resolutions(): Reconciler["counts"] {
    return this.#reconciler.counts;
  }

  /** How many orders have a final status or a pending payment. */
  done = (): number => this.#entries.filter(isDone).length;

  #record(entry: Entry, reply: Reply | undefined): void {
    if (reply === undefined) return;
    if (reply.end === "final") entry.results.push(reply.result);
    if (reply.end === "pending") entry.pending = reply.reference;
    if (reply.end === "unexpected") entry.unexpected.push(reply.what);
    const code = "code" in reply ? reply.code : reply.end === "pending" ? "payment_pending" : "";
    if (code !== "") this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
  }

  /** A click in a process that falls asleep. Resolves when it sleeps, with the end of the click. */
  async #clickAsleep(entry: Entry): Promise<{ readonly over: Promise<void> }> {
    const { order } = entry;
    this.counts.clicks++;
    const stopped = this.#setup.stopped(order.id);
    const over = this.#setup
      .payApart({ order, stopAt: order.incident?.at })
      .then((reply) => this.#record(entry, reply));
    await Promise.race([stopped, over]);
    return { over };
  }

  /** Every click of an order at the same moment. The incident is in the first one. */
  async #click(order: Order, stopAt: Click["stopAt"]): Promise<(Reply | undefined)[]> {
    this.counts.clicks += order.clicks.length;
    return await Promise.all(
      order.clicks.map(async (worker, index) => {
        if (stopAt !== undefined && index > 0) await sleep(CLICK_DELAY_MS);
        return this.#setup.pool.run(worker, "pay", index === 0 ? { order, stopAt } : { order });
      }),
    );
  }

  async #serve(entry: Entry): Promise<void> {
    const { order, unexpected } = entry;
    const { incident, id } = order;
    const { signal, hasHappened } = this.#setup;
    const asleep = incident?.act === "sleep" ? await this.#clickAsleep(entry) : undefined;
    for (let tries = 0; !signal.aborted && unexpected.length === 0 && !isDone(entry); tries++) {
      // The service's faults may be faster, and while the engine of the store is down no attempt begins.
      const isStillDue = asleep === undefined && !hasHappened(id);
      const replies = await this.#click(order, isStillDue ? incident?.at : undefined);
      for (const reply of replies) this.#record(entry, reply);
      if (isDone(entry)) break;
      const unknown = replies.find((reply) => reply?.end === "unknown");
      if (unknown === undefined) await retryDelay(tries);
      else await this.#reconciler.resolve({ order, attempt: unknown.attempt });
    }
    await asleep?.over;
  }

  /** Takes orders. Resolves when each has a final status or a pending payment. */
  async sell(orders: readonly Order[], onBegin: () => void): Promise<void> {
    const entries = orders.map(
      (order): Entry => ({ order, results: [], unexpected: [], atEnd: "" }),
    );
    this.#entries.push(...entries);
    const intervalMs = Math.max(MIN_ARRIVAL_INTERVAL_MS, MIN_ARRIVALS_MS / orders.length);
    let arrival = Promise.resolve();
    await forEachConcurrently(entries, CONCURRENCY, async (entry) => {
      arrival = arrival.then(() => sleep(intervalMs));
      await arrival;
      onBegin();
      await this.#serve(entry);
    });
  }

  /** Reads the pending payments until each is final. */
  async reconcile(): Promise<void> {
    for (let tries = 0; !this.#setup.signal.aborted; tries++) {
      const open = this.#entries.filter(({ results, pending }) => results.length === 0 && pending);
      if (open.length === 0) return;
      const references = open.map(({ pending = "" }) => pending);
      const found = (await this.#setup.pool.run(this.#turn++, "reconcile", references)) ?? [];
      for (const result of found) {
        open.find(({ pending }) => pending === result.reference)?.results.push(result);
        this.counts.reconciled++;
      }
      if (found.length < open.length) await retryDelay(tries);
    }
  }

  /** Pays once more. A busy machine may need more than one wait. */
  async #statusAtEnd(order: Order): Promise<FinalStatus | string> {
    for (let tries = 0; !this.#setup.signal.aborted; tries++) {
      const again = { order: { ...order, way: "initiate" } } as const;
      const reply = await this.#setup.pool.run(this.#turn++, "pay", again);
      if (reply?.end === "final") return reply.result;
      if (reply?.end === "unexpected") return JSON.stringify(reply);
      // The shop knew the payment, and the store failed when the client reported it.
      if (reply?.end !== "unknown") await retryDelay(tries);
      else await this.#reconciler.resolve({ order, attempt: reply.attempt });
    }
    return "the time limit was reached";
  }

  /** Pays every order once more, under the same key. */
  payAgain(): Promise<void> {
    return forEachConcurrently(this.#entries, CONCURRENCY_AT_END, async (entry) => {
      entry.atEnd = await this.#statusAtEnd(entry.order);
    });
  }

  /** The keys whose attempt has not ended, according to the store. */
  async openKeys(): Promise<readonly string[]> {
    for (let tries = 0; ; tries++) {
      const keys = await this.#setup.pool.run(this.#turn++, "listOpen", {});
      if (keys !== undefined || this.#setup.signal.aborted) return keys ?? [];
      await retryDelay(tries);
    }
  }

  records(): (OrderRecord & { readonly key: string })[] {
    return this.#entries.map(({ order: { id: key }, results, atEnd, unexpected }) => ({
      ...{ key, results, atEnd, unexpected },
    }));
  }
}
