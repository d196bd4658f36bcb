import type { PgBoss } from "pg-boss";
import { waitAtMost, withTimeout } from "../../../internal/timeout.ts";
import { Batcher } from "../batcher.ts";
import { alreadyStarted, forgottenUnprocessed } from "../errors.ts";
import { MAX_RETRY_WAIT_MS } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import {
  type DrainLimits,
  type DrainResult,
  type Horizon,
  type InboxStats,
  type NewDelivery,
  QUEUES,
  queuesOf,
  type Receipt,
  type WorkerOptions,
} from "../types.ts";
import { noReply } from "./database.ts";
import { storeDeliveries } from "./deliveries.ts";
import { type Settings, Store } from "./store.ts";
import { deleteUnprocessed } from "./unprocessed.ts";
import { PgBossWorker } from "./worker.ts";

const RETRY_DELAY_MS = 2_000;
const MAINTENANCE_MS = 30_000;

/** The life of an inbox on a pg-boss. */
export class PgBossInbox {
  readonly store: Store;
  readonly #batcher: Batcher;
  readonly #workers = new Set<PgBossWorker>();
  #queues: readonly string[] = QUEUES;
  #maintenance: ReturnType<typeof setInterval> | undefined;
  #onError: WorkerOptions["onError"] = () => {};
  #state: "new" | "started" | "stopped" = "new";

  constructor(boss: PgBoss, settings: Settings) {
    this.store = new Store(boss, settings);
    this.#batcher = new Batcher(
      (batch) => storeDeliveries(this.store, batch, (kind) => this.notify(kind)),
      // While one batch waits for the disk of PostgreSQL, the next one is on its way.
      { deadlineMs: this.store.timeoutMs, parallel: 2 },
    );
    // Without a listener, an error of pg-boss would end the process.
    boss.on("error", (error) => {
      if (settings.database !== undefined) this.#onError(error);
    });
  }

  notify(kind: string): void {
    for (const worker of this.#workers) worker.notify(kind);
  }

  /** For a call whose caller waits for the result. */
  readonly query: Store["transaction"] = async (run, timeoutMs) => {
    if (this.#state === "stopped") throw new Error("The inbox was stopped.");
    return this.store.transaction(run, timeoutMs);
  };

  async accept(delivery: NewDelivery): Promise<Receipt> {
    if (this.#state === "stopped") throw new Error("The inbox was stopped.");
    return this.#batcher.add(delivery);
  }

  async stats(): Promise<InboxStats> {
    const counts = await this.query((db) => this.store.ledger.counts(db, this.#queues));
    const time = (value: unknown) => (value === null ? null : Number(value));
    return {
      waiting: Number(counts.waiting),
      unhandled: Number(counts.unhandled),
      running: Number(counts.running),
      dead: Number(counts.dead),
      conflicts: Number(counts.conflicts),
      retrying: Number(counts.retrying),
      oldestRetrying: time(counts.oldest_retrying),
      oldestWaiting: time(counts.oldest_waiting),
      lagMs: Math.max(0, Number(counts.lag)),
    };
  }

  horizon(): Promise<Horizon> {
    return this.query((db) => this.store.ledger.horizon(db));
  }

  async start(options: WorkerOptions): Promise<void> {
    if (this.#state !== "new") throw alreadyStarted();
    this.#state = "started";
    this.#queues = queuesOf(options);
    const onError = reportOncePerMinute(options.onError);
    this.#onError = onError;
    const worker = new PgBossWorker(this.store, { ...options, onError });
    this.#workers.add(worker);
    const { maintenanceMs = MAINTENANCE_MS } = this.store.settings.tuning;
    this.#maintenance = setInterval(() => void this.#maintain().catch(onError), maintenanceMs);
    const started = this.#startWorker(worker);
    await withTimeout(started, this.store.timeoutMs, noReply).catch(onError);
  }

  /** Tries until PostgreSQL is there. Resolves after the first try. */
  async #startWorker(worker: PgBossWorker): Promise<void> {
    try {
      await this.store.open();
      for (const problem of await this.store.checkDurability()) this.#onError(problem);
      if (this.#state === "started") worker.start();
    } catch (error) {
      this.#onError(error);
      setTimeout(() => {
        if (this.#state === "started") void this.#startWorker(worker);
      }, RETRY_DELAY_MS);
    }
  }

  async #maintain(): Promise<void> {
    const { ledger } = this.store;
    const late = await this.query(async (db) => {
      await ledger.noteRetention(db);
      return ledger.lateRetries(db, MAX_RETRY_WAIT_MS);
    });
    for (const worker of this.#workers) {
      worker.isAlive();
      worker.fetchLate(late);
    }
    while (await this.query((db) => ledger.forget(db)));
    const deleted = await this.query((db) => deleteUnprocessed(this.store, db));
    if (deleted > 0) this.#onError(forgottenUnprocessed(deleted));
  }

  async drain(options: WorkerOptions, limits: DrainLimits): Promise<DrainResult> {
    const worker = new PgBossWorker(this.store, options);
    this.#workers.add(worker);
    try {
      const processed = await worker.drain(limits);
      const { due } = await this.query((db) => this.store.ledger.counts(db, queuesOf(options)));
      return { processed, left: Number(due) };
    } finally {
      this.#workers.delete(worker);
    }
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#state = "stopped";
    clearInterval(this.#maintenance);
    const started = performance.now();
    await Promise.all([...this.#workers].map((worker) => worker.stop(timeoutMs)));
    const { database } = this.store.settings;
    if (database === undefined) return;
    const leftMs = Math.max(500, timeoutMs - (performance.now() - started));
    await waitAtMost(this.store.boss.stop({ graceful: false }), Math.min(1_000, leftMs));
    database.close();
  }
}
