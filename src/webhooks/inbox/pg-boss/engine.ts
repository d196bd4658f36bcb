import type { Db, PgBoss } from "pg-boss";
import { waitAtMost, withTimeout } from "../../../internal/timeout.ts";
import { Batcher, type WaitingDelivery } from "../batcher.ts";
import { alreadyStarted, forgottenUnprocessed } from "../errors.ts";
import { statsOf } from "../ledger/stats.ts";
import { MAX_RETRY_WAIT_MS } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import {
  type DrainLimits,
  type DrainResult,
  type Inbox,
  type NewDelivery,
  QUEUES,
  queueOf,
  queuesOf,
  type Receipt,
  receiptFor,
  type WorkerOptions,
} from "../types.ts";
import { claimJobs } from "./claim.ts";
import { noReply } from "./database.ts";
import { writeEnds } from "./ends.ts";
import { RETRY_DELAY_MS } from "./held-jobs.ts";
import { pgLists } from "./lists.ts";
import { type Settings, Store } from "./store.ts";
import { PgBossWorker } from "./worker.ts";

const MAINTENANCE_MS = 30_000;

/** The life of an inbox on a pg-boss. */
export class PgBossInbox {
  readonly #store: Store;
  readonly #batcher: Batcher;
  readonly #workers = new Set<PgBossWorker>();
  #queues: readonly string[] = QUEUES;
  #maintenance: ReturnType<typeof setInterval> | undefined;
  #onError: WorkerOptions["onError"] = () => {};
  #state: "new" | "started" | "stopped" = "new";

  constructor(boss: PgBoss, settings: Settings) {
    this.#store = new Store(boss, settings);
    // While one batch waits for the disk of PostgreSQL, the next one is on its way.
    const limits = { deadlineMs: this.#store.timeoutMs, parallel: 2 };
    this.#batcher = new Batcher((batch) => this.#storeBatch(batch), limits);
    // Without a listener, an error of pg-boss would end the process.
    boss.on("error", (error) => {
      if (settings.database !== undefined) this.#onError(error);
    });
  }

  /** The inbox, as functions: it may be spread into another one. */
  open(): Inbox {
    const { ledger, settings } = this.#store;
    return {
      accept: async (delivery) => {
        this.#throwIfStopped();
        return this.#batcher.add(delivery);
      },
      start: (options) => this.#start(options),
      stop: (timeoutMs) => this.#stop(timeoutMs),
      stats: () =>
        this.#query(async (db) => {
          const lists = await ledger.countForAPerson(db);
          return statsOf(await ledger.counts(db), this.#queues, lists);
        }),
      horizon: () => this.#query((db) => ledger.horizon(db)),
      drain: (options, limits) => this.#drain(options, limits),
      ...pgLists(this.#store, this.#query, (kind) => this.#notify(kind)),
      retentionMs: settings.retentionMs,
    };
  }

  #throwIfStopped(): void {
    if (this.#state === "stopped") throw new Error("The inbox was stopped.");
  }

  /** For a call whose caller waits for the result. */
  readonly #query: Store["transaction"] = async (run, timeoutMs) => {
    this.#throwIfStopped();
    return this.#store.transaction(run, timeoutMs);
  };

  #notify(kind: string): void {
    for (const worker of this.#workers) worker.notify(queueOf(kind));
  }

  /** Stores deliveries in one transaction, with a job for each new event. */
  async #storeBatch(batch: readonly WaitingDelivery[]): Promise<void> {
    const deliveries = batch.map(({ delivery }) => delivery);
    const kinds = await this.#store.transaction(async (db) => {
      const found = await this.#store.ledger.accept(db, deliveries);
      const isDue = ({ deadLetterReason }: NewDelivery, at: number) =>
        found[at] === "accepted" && deadLetterReason === undefined;
      await this.#store.addJobs(db, deliveries.filter(isDue));
      return found;
    });
    for (const [at, { delivery, resolve }] of batch.entries()) {
      resolve(receiptFor(kinds[at] as Receipt["kind"]));
      if (kinds[at] === "accepted") this.#notify(delivery.event);
    }
  }

  async #start(options: WorkerOptions): Promise<void> {
    if (this.#state !== "new") throw alreadyStarted();
    this.#state = "started";
    this.#queues = queuesOf(options);
    const onError = reportOncePerMinute(options.onError);
    this.#onError = onError;
    const worker = new PgBossWorker(this.#store, { ...options, onError });
    this.#workers.add(worker);
    const { maintenanceMs = MAINTENANCE_MS } = this.#store.settings.tuning;
    this.#maintenance = setInterval(() => {
      void this.#maintain(this.#queues, onError);
    }, maintenanceMs);
    await withTimeout(this.#startWorker(worker), this.#store.timeoutMs, noReply).catch(onError);
  }

  /** Tries until PostgreSQL is there. Resolves after the first try. */
  async #startWorker(worker: PgBossWorker): Promise<void> {
    try {
      await this.#store.open();
      for (const problem of await this.#store.checkDurability()) this.#onError(problem);
      if (this.#state === "started") worker.start();
    } catch (error) {
      this.#onError(error);
      setTimeout(() => {
        if (this.#state === "started") void this.#startWorker(worker);
      }, RETRY_DELAY_MS);
    }
  }

  /** @param queues - Those that this process works on. */
  async #maintain(queues: readonly string[], onError: WorkerOptions["onError"]): Promise<void> {
    const { ledger } = this.#store;
    try {
      await this.#store.matchQueues();
      const late = await this.#query((db) => ledger.lateQueues(db, MAX_RETRY_WAIT_MS));
      for (const worker of this.#workers) for (const queue of late) worker.notify(queue, true);
      while (await this.#query((db) => ledger.forget(db)));
      const deleted = await this.#query((db) => deleteUnprocessed(this.#store, db, queues));
      if (deleted > 0) onError(forgottenUnprocessed(deleted));
    } catch (error) {
      onError(error);
    }
  }

  async #drain(options: WorkerOptions, limits: DrainLimits): Promise<DrainResult> {
    const queues = queuesOf(options);
    const deadline = performance.now() + limits.timeoutMs;
    const worker = new PgBossWorker(this.#store, options);
    this.#workers.add(worker);
    // No other process may live for long enough to do this.
    const upkeep = this.#store
      .open()
      .then(() => this.#store.boss.supervise())
      .then(() => this.#maintain(queues, options.onError), options.onError);
    try {
      const processed = await worker.drain(limits);
      await waitAtMost(upkeep, deadline - performance.now());
      const counts = await this.#query((db) => this.#store.ledger.counts(db));
      const due = counts.filter(({ queue }) => queues.includes(String(queue)));
      return { processed, left: due.reduce((sum, one) => sum + Number(one.due), 0) };
    } finally {
      this.#workers.delete(worker);
    }
  }

  async #stop(timeoutMs: number): Promise<void> {
    this.#state = "stopped";
    clearInterval(this.#maintenance);
    const deadline = performance.now() + timeoutMs;
    await Promise.all([...this.#workers].map((worker) => worker.stop(timeoutMs)));
    const { database } = this.#store.settings;
    if (database === undefined) return;
    const leftMs = Math.max(500, Math.min(1_000, deadline - performance.now()));
    await waitAtMost(this.#store.boss.stop({ graceful: false }), leftMs);
    database.close();
  }
}

/**
 * Deletes events that no process worked on for the whole retention, with their jobs. Resolves with how
 * many there were.
 */
async function deleteUnprocessed(store: Store, db: Db, queues: readonly string[]): Promise<number> {
  const expired = await store.ledger.unprocessed(db, queues);
  let count = 0;
  for (const queue of new Set(expired.map(({ event }) => queueOf(event)))) {
    const keys = new Set(expired.map(({ key }) => key));
    const fetched = await claimJobs(store, db, queue, { batchSize: keys.size });
    // pg-boss has no way to hand back a job: others get a new one.
    for (const held of fetched) held.end = keys.has(held.key) ? "forgotten" : "released";
    await writeEnds(store, db, fetched);
    count += fetched.filter(({ end }) => end === "forgotten").length;
  }
  return count;
}
