import { getConstructionPlans, type PgBoss } from "pg-boss";
import { withTimeout } from "../../../internal/timeout.ts";
import { alreadyStarted } from "../errors.ts";
import { DEFAULT_PACE, MAX_RETRY_WAIT_MS } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import type { InboxStats, NewDelivery, Receipt, WorkerOptions } from "../types.ts";
import { listenForErrors } from "./connections.ts";
import { Deliveries } from "./deliveries.ts";
import {
  checkDurability,
  createQueues,
  isSchemaMissing,
  noReply,
  type Queues,
  type Tuning,
} from "./queues.ts";
import { countJobs } from "./stats.ts";
import { WaitingLists } from "./waiting-lists.ts";
import { PgBossWorker } from "./worker.ts";

const RETRY_DELAY_MS = 2_000;
const CLOCK_CHECK_MS = 10_000;

export interface Settings {
  readonly queue: string;
  readonly schema: string | undefined;
  readonly retentionMs: number;
  readonly tuning: Tuning;
  /** The user's own pg-boss is neither stopped nor are the errors of its other queues reported. */
  readonly isOwnBoss: boolean;
}

/** The life of an inbox on a pg-boss. */
export class PgBossInbox {
  readonly #boss: PgBoss;
  readonly #settings: Settings;
  readonly #engineTimeoutMs: number;
  readonly #deliveries: Deliveries;
  readonly lists: WaitingLists;
  #opening: Promise<Queues> | undefined;
  /** Those of the last time that it was opened. */
  #queues: Queues | undefined;
  #worker: PgBossWorker | undefined;
  #kinds: WorkerOptions["kinds"];
  #clockCheck: ReturnType<typeof setInterval> | undefined;
  #onError: WorkerOptions["onError"] = () => {};
  #state: "new" | "started" | "stopped" = "new";

  constructor(boss: PgBoss, settings: Settings) {
    this.#boss = boss;
    this.#settings = settings;
    const { tuning, retentionMs } = settings;
    this.#engineTimeoutMs = tuning.engineTimeoutMs ?? DEFAULT_PACE.engineTimeoutMs;
    this.#deliveries = new Deliveries(boss, this.#openQueues, this.#engineTimeoutMs);
    const withQueues = <T>(run: (queues: Queues) => Promise<T>) =>
      this.#query(() => run(this.#openQueues()));
    this.lists = new WaitingLists(boss, withQueues, retentionMs, () => this.#worker?.notify());
    // Without a listener, an error of pg-boss would end the process.
    boss.on("error", (error) => {
      if (settings.isOwnBoss) this.#onError(error);
    });
  }

  readonly #openQueues = (): Queues => this.#queues as Queues;

  /** Once; again after it failed. */
  #open(): Promise<Queues> {
    this.#opening ??= this.#startBoss().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #startBoss(): Promise<Queues> {
    const started = this.#boss.start();
    // Now, for the first connections, and again where an earlier stop made the start wait.
    listenForErrors(this.#boss);
    await started;
    listenForErrors(this.#boss);
    const { queue, schema, retentionMs, tuning, isOwnBoss } = this.#settings;
    // A pg-boss that was started before does not look for its schema again.
    if (isOwnBoss && !(await this.#boss.isInstalled())) {
      await this.#boss.getDb().executeSql(getConstructionPlans(schema));
    }
    const overrides = tuning.queue ?? {};
    this.#queues = await createQueues(this.#boss, { name: queue, retentionMs, overrides });
    return this.#queues;
  }

  readonly #whenOpen = async <T>(run: () => Promise<T>): Promise<T> => {
    await this.#open();
    try {
      return await run();
    } catch (error) {
      // The next call makes again what is missing.
      if (isSchemaMissing(error)) this.#opening = undefined;
      throw error;
    }
  };

  /** For a call with somebody who waits for its result. */
  #query<T>(query: () => Promise<T>): Promise<T> {
    if (this.#state === "stopped") return Promise.reject(new Error("The inbox was stopped."));
    return withTimeout(this.#whenOpen(query), this.#engineTimeoutMs, noReply);
  }

  accept(delivery: NewDelivery): Promise<Receipt> {
    return this.#query(async () => {
      const receipt = await this.#deliveries.accept(delivery);
      if (receipt.kind === "accepted") this.#worker?.notify();
      return receipt;
    });
  }

  stats(): Promise<InboxStats> {
    return this.#query(() => countJobs(this.#boss, this.#openQueues(), this.#kinds));
  }

  async start(options: WorkerOptions): Promise<void> {
    if (this.#state !== "new") throw alreadyStarted();
    this.#state = "started";
    this.#kinds = options.kinds;
    const onError = reportOncePerMinute(options.onError);
    this.#onError = onError;
    const { tuning, retentionMs } = this.#settings;
    this.#worker = new PgBossWorker(
      this.#boss,
      { ...options, onError },
      {
        queues: this.#openQueues,
        whenOpen: this.#whenOpen,
        tuning,
        retentionMs,
        engineTimeoutMs: this.#engineTimeoutMs,
      },
    );
    this.#clockCheck = setInterval(
      () => void this.#query(() => this.#freeLateRetries()).catch(onError),
      tuning.clockCheckMs ?? CLOCK_CHECK_MS,
    );
    const started = this.#startWorker(this.#worker);
    await withTimeout(started, this.#engineTimeoutMs, noReply).catch(onError);
  }

  /** Tries until PostgreSQL is there. Resolves after the first try. */
  async #startWorker(worker: PgBossWorker): Promise<void> {
    try {
      await this.#open();
      for (const problem of await checkDurability(this.#boss)) this.#onError(problem);
      if (this.#state === "started") worker.start();
    } catch (error) {
      this.#onError(error);
      setTimeout(() => {
        if (this.#state === "started") void this.#startWorker(worker);
      }, RETRY_DELAY_MS);
    }
  }

  /** Frees the retries that wait too long, because the clock was set back after they were planned. */
  async #freeLateRetries(): Promise<void> {
    const { name, table } = this.#openQueues().deliveries;
    await this.#boss.getDb().executeSql(
      `UPDATE ${table} SET start_after = now()
        WHERE name = $1 AND state = 'retry' AND start_after > now() + interval '1 ms' * $2`,
      [name, MAX_RETRY_WAIT_MS],
    );
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#state = "stopped";
    clearInterval(this.#clockCheck);
    const half = this.#engineTimeoutMs / 2;
    await this.#worker?.stop(timeoutMs, half);
    if (!this.#settings.isOwnBoss) return;
    const stopped = this.#boss.stop({ graceful: false });
    await withTimeout(stopped, half, noReply).catch(this.#onError);
  }
}
