import type { PgBoss } from "pg-boss";
import { waitAtMost, withTimeout } from "../../../internal/timeout.ts";
import { Batcher } from "../batcher.ts";
import { alreadyStarted, notFoundIn } from "../errors.ts";
import type {
  DrainLimits,
  DrainResult,
  Inbox,
  Lists,
  NewDelivery,
  Receipt,
  WorkerOptions,
} from "../inbox-types.ts";
import { includesKind } from "../kinds.ts";
import { Workers } from "../lease-workers.ts";
import { listsOf } from "../ledger/lists.ts";
import { hexOf, traceContextIn } from "../ledger/rows.ts";
import { statsOf } from "../ledger/stats.ts";
import { DEFAULT_PACE } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import { noReply } from "./database.ts";
import { type Settings, Store } from "./inbox-store.ts";
import { PgBossLeases } from "./leases.ts";
import { heartbeatMsOf } from "./queues.ts";
import { rows } from "./tables.ts";

/** How long a stop waits for pg-boss. */
const STOP_MS = 500;

/** A thousand events may change at once. */
const CHANGE_TIMEOUT_MS = 30_000;

/**
 * The lists of what waits for a person.
 *
 * @param query - Runs statements in one transaction.
 * @param notify - Has the events of a kind processed.
 */
const pgLists = (
  store: Store,
  query: Store["transaction"],
  notify: (kind: string) => void,
): Lists =>
  listsOf({
    statements: store.ledger.statements,
    read: ({ text, values }) => query((db) => rows(db, text, [...values])),
    insert: async ({ text, values }) =>
      (await query((db) => rows(db, `${text} RETURNING 1`, [...values]))).length === 1,
    decide: async (name, how, ids, deliveries) => {
      const due = await query(async (db) => {
        const events = [];
        // In the order of the ids, so that two calls do not deadlock.
        for (const id of [...ids].sort()) {
          const { text, values } = store.ledger.statements.decide(name, how, id);
          const [row] = await rows(db, `${text} RETURNING *`, [...values]);
          if (row === undefined) throw notFoundIn(name, id);
          if (row.state !== "pending") continue;
          const traceContext = traceContextIn(row);
          events.push({ key: hexOf(row.key), event: String(row.kind), traceContext });
        }
        const stored = await store.ledger.insert(db, deliveries);
        events.push(...deliveries.filter(({ key }) => stored.has(key)));
        await store.addJobs(db, events);
        return events;
      }, CHANGE_TIMEOUT_MS);
      for (const { event } of due) notify(event);
    },
  });

/** The life of an inbox on a pg-boss. */
export class PgBossInbox {
  readonly #store: Store;
  readonly #batcher: Batcher;
  readonly #workers: Workers;
  #onError: WorkerOptions["onError"] = () => {};
  #isStopped = false;

  constructor(boss: PgBoss, settings: Settings) {
    this.#store = new Store(boss, settings);
    // While one batch waits for the disk of PostgreSQL, the next one is on its way.
    const limits = { deadlineMs: this.#store.timeoutMs, parallel: 2 };
    this.#batcher = new Batcher((batch) => this.#storeBatch(batch), limits);
    const open = () => new PgBossLeases(this.#store);
    const { tuning } = settings;
    const pace = { ...DEFAULT_PACE, ...tuning.pace, leaseMs: heartbeatMsOf(tuning) };
    this.#workers = new Workers(open, pace);
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
          return statsOf(
            await ledger.counts(db),
            (kind) => includesKind(this.#workers.kinds, kind),
            lists,
          );
        }),
      horizon: () => this.#query((db) => ledger.horizon(db)),
      drain: (options, limits) => this.#drain(options, limits),
      ...pgLists(this.#store, this.#query, () => this.#workers.arrived()),
      retentionMs: settings.retentionMs,
    };
  }

  #throwIfStopped(): void {
    if (this.#isStopped) throw new Error("The inbox was stopped.");
  }

  /** For a call whose caller waits for the result. */
  readonly #query: Store["transaction"] = async (run, timeoutMs) => {
    this.#throwIfStopped();
    return this.#store.transaction(run, timeoutMs);
  };

  /** Stores deliveries in one transaction, with a job for each new event. */
  async #storeBatch(deliveries: readonly NewDelivery[]): Promise<Receipt["kind"][]> {
    const kinds = await this.#store.transaction(async (db) => {
      const found = await this.#store.ledger.accept(db, deliveries);
      const isDue = ({ deadLetterReason }: NewDelivery, at: number) =>
        found[at] === "accepted" && deadLetterReason === undefined;
      await this.#store.addJobs(db, deliveries.filter(isDue));
      return found;
    });
    for (const [at] of deliveries.entries()) {
      if (kinds[at] === "accepted") this.#workers.arrived();
    }
    return kinds;
  }

  /** Resolves when PostgreSQL was reached, or could not be. The worker goes on trying. */
  async #start(options: WorkerOptions): Promise<void> {
    if (this.#isStopped) throw alreadyStarted();
    const onError = reportOncePerMinute(options.onError);
    this.#workers.start({ ...options, onError });
    this.#onError = onError;
    await withTimeout(this.#store.open(), this.#store.timeoutMs, noReply).catch(onError);
    for (const problem of this.#store.durabilityProblems.splice(0)) onError(problem);
  }

  async #drain(options: WorkerOptions, limits: DrainLimits): Promise<DrainResult> {
    const deadline = performance.now() + limits.timeoutMs;
    // No other process may live for long enough to do this.
    const supervised = this.#store
      .open()
      .then(() => this.#store.boss.supervise())
      .catch(options.onError);
    const result = await this.#workers.drain(options, limits);
    await waitAtMost(supervised, Math.max(0, deadline - performance.now()));
    return result;
  }

  async #stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#workers.stop(timeoutMs);
    const { database } = this.#store.settings;
    if (database === undefined) return;
    await waitAtMost(this.#store.boss.stop({ graceful: false }), STOP_MS);
    database.close();
  }
}
