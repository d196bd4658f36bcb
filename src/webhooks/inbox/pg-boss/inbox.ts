/**
 * An inbox in PostgreSQL, by pg-boss: the effect of an event and its completion in one transaction.
 *
 * @module malipo/inbox/pg-boss
 */

import { getConstructionPlans, PgBoss } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { checkOptionNames } from "../../../internal/check-options.ts";
import { withTimeout } from "../../../internal/timeout.ts";
import { alreadyStarted } from "../errors.ts";
import { checkRetention, DEFAULT_PACE } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import type { DeadLetter, Inbox, NewDelivery, Receipt, WorkerOptions } from "../types.ts";
import { listenForErrors } from "./connections.ts";
import {
  BOSS_OPTIONS,
  checkDurability,
  DeliveryQueues,
  isSchemaMissing,
  noReply,
  type Tuning,
} from "./queues.ts";
import { PgBossWorkers } from "./worker.ts";

export type { PgBossTransaction } from "./transaction.ts";

interface CommonOptions {
  /**
   * The queue's name. Dead letters and conflicts are in queues beside it, `<queue>-dead` and
   * `<queue>-conflicts`. Set it where two shops, or two environments, share a database.
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
  /**
   * How long processed events are remembered, in milliseconds, so that late duplicates are recognised.
   * Set it shorter where the database is short of space, but longer than the service retries a
   * delivery.
   * @default 14 days
   */
  retentionMs?: number | undefined;
  /** @internal */
  tuning?: Tuning | undefined;
}

/** What {@link pgBossInbox} takes: the address of a database, or a pg-boss of your own. */
export type PgBossInboxOptions = CommonOptions &
  (
    | { readonly connectionString: string; readonly boss?: undefined }
    | { readonly boss: PgBoss; readonly connectionString?: undefined }
  );

const OPTIONS = ["connectionString", "boss", "queue", "retentionMs", "tuning"];

const RETRY_DELAY_MS = 2_000;
const CLOCK_CHECK_MS = 10_000;

interface Settings {
  readonly queue: string;
  readonly retentionMs: number;
  readonly tuning: Tuning;
  /** The user's own pg-boss is neither stopped nor are the errors of its other queues reported. */
  readonly isOwnBoss: boolean;
}

class PgBossInbox {
  readonly #boss: PgBoss;
  readonly #settings: Settings;
  readonly #engineTimeoutMs: number;
  readonly #queues: DeliveryQueues;
  #opening: Promise<void> | undefined;
  #workers: PgBossWorkers | undefined;
  #clockCheck: ReturnType<typeof setInterval> | undefined;
  #onError: WorkerOptions["onError"] = () => {};
  #state: "new" | "started" | "stopped" = "new";

  constructor(boss: PgBoss, settings: Settings) {
    this.#boss = boss;
    this.#settings = settings;
    this.#engineTimeoutMs = settings.tuning.engineTimeoutMs ?? DEFAULT_PACE.engineTimeoutMs;
    this.#queues = new DeliveryQueues(boss, settings.queue);
    boss.on("error", (error) => {
      const { queue } = error as { queue?: unknown };
      if (settings.isOwnBoss || queue === settings.queue) this.#onError(error);
    });
  }

  /** Once; again after it failed. */
  #open(): Promise<void> {
    this.#opening ??= this.#startBoss().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #startBoss(): Promise<void> {
    const started = this.#boss.start();
    // Now, for the first connections, and again where an earlier stop made the start wait.
    listenForErrors(this.#boss);
    await started;
    listenForErrors(this.#boss);
    const { retentionMs, tuning, isOwnBoss } = this.#settings;
    // A pg-boss that was started before does not look for its schema again.
    if (isOwnBoss && !(await this.#boss.isInstalled())) {
      await this.#boss.getDb().executeSql(getConstructionPlans(tuning.boss?.schema));
    }
    await this.#queues.create(retentionMs, tuning.queue ?? {});
  }

  /** For a call with somebody who waits for its result. */
  #query<T>(query: () => Promise<T>): Promise<T> {
    if (this.#state === "stopped") return Promise.reject(new Error("The inbox was stopped."));
    const result = this.#open()
      .then(query)
      .catch((error: unknown) => {
        // The next call makes again what is missing.
        if (isSchemaMissing(error)) this.#opening = undefined;
        throw error;
      });
    return withTimeout(result, this.#engineTimeoutMs, noReply);
  }

  accept(delivery: NewDelivery): Promise<Receipt> {
    return this.#query(async () => {
      const receipt = await this.#queues.accept(delivery);
      if (receipt.kind === "accepted") this.#workers?.notify();
      return receipt;
    });
  }

  async start(options: WorkerOptions): Promise<void> {
    if (this.#state !== "new") throw alreadyStarted();
    this.#state = "started";
    const onError = reportOncePerMinute(options.onError);
    this.#onError = onError;
    const { queue, tuning } = this.#settings;
    this.#workers = new PgBossWorkers(this.#boss, queue, { ...options, onError }, tuning);
    this.#clockCheck = setInterval(
      () => void this.#query(() => this.#queues.freeLateRetries()).catch(onError),
      tuning.clockCheckMs ?? CLOCK_CHECK_MS,
    );
    const started = this.#startWorkers(this.#workers);
    await withTimeout(started, this.#engineTimeoutMs, noReply).catch(onError);
  }

  /** Tries until PostgreSQL is there. Resolves after the first try. */
  async #startWorkers(workers: PgBossWorkers): Promise<void> {
    try {
      await this.#open();
      for (const problem of await checkDurability(this.#boss)) this.#onError(problem);
      await workers.start(() => this.#state === "stopped");
    } catch (error) {
      this.#onError(error);
      setTimeout(() => {
        if (this.#state === "started") void this.#startWorkers(workers);
      }, RETRY_DELAY_MS);
    }
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#state = "stopped";
    clearInterval(this.#clockCheck);
    const half = this.#engineTimeoutMs / 2;
    await this.#workers?.stop(timeoutMs, half);
    if (!this.#settings.isOwnBoss) return;
    const stopped = this.#boss.stop({ graceful: false });
    await withTimeout(stopped, half, noReply).catch(this.#onError);
  }

  deadLetters(): Promise<DeadLetter[]> {
    return this.#query(() => this.#queues.deadLetters());
  }

  requeue(id: string): Promise<void> {
    return this.#query(() => this.#queues.requeue(id));
  }
}

/**
 * Keeps deliveries in a pg-boss queue: one job for each event, processed by any process on that
 * PostgreSQL. A handler's `transaction` runs its own writes to that database and "processed" in one
 * transaction: each event has its effect once. Install `pg-boss` yourself.
 *
 * A pg-boss of your own is started where you have not started it, and you stop it. Create it with
 * `monitorIntervalSeconds: 10` and `superviseIntervalSeconds: 10`, so that the events of a process
 * that died are retried within a minute.
 *
 * An event that `stop` hands back counts as a failed attempt here.
 *
 * @throws {ConfigurationError} for an unknown option, a wrong value, or not exactly one of
 * `connectionString` and `boss`.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { pgBossInbox, type PgBossTransaction } from "malipo/inbox/pg-boss";
 *
 * const inbox = pgBossInbox({ connectionString: "postgres://localhost/shop" });
 * const receiver = createWebhookReceiver({ secret, inbox });
 * receiver.on("payment.completed", async (event, { transaction }) => {
 *   await transaction?.(async (client: PgBossTransaction) => {
 *     await client.query("UPDATE orders SET paid = true WHERE id = $1", [event.data.account_reference]);
 *   });
 * });
 * ```
 */
export function pgBossInbox(options: PgBossInboxOptions): Inbox {
  checkOptionNames(options, OPTIONS, "pgBossInbox");
  const { connectionString, boss, queue = "malipo-webhooks", tuning = {} } = options;
  const retentionMs = checkRetention(options.retentionMs);
  if ((connectionString === undefined) === (boss === undefined)) {
    throw new ConfigurationError(
      "pgBossInbox takes either `connectionString` or `boss`: pass exactly one of them.",
    );
  }
  const isOwnBoss = boss === undefined;
  const inbox = new PgBossInbox(
    boss ??
      new PgBoss({ ...BOSS_OPTIONS, connectionString: String(connectionString), ...tuning.boss }),
    { queue, retentionMs, tuning, isOwnBoss },
  );
  // Functions of their own, so that an inbox may be spread into another.
  return {
    accept: (delivery) => inbox.accept(delivery),
    start: (workerOptions) => inbox.start(workerOptions),
    stop: (timeoutMs) => inbox.stop(timeoutMs),
    deadLetters: () => inbox.deadLetters(),
    requeue: (id) => inbox.requeue(id),
  };
}
