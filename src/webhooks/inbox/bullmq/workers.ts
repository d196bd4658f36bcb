import { ErrorCode, type Job, Worker } from "bullmq";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { Poller } from "../../../internal/poller.ts";
import { sleep, waitAtMost } from "../../../internal/timeout.ts";
import { isPermanent } from "../../../storage/engine-away.ts";
import { explained } from "../../../storage/redis/redis-errors.ts";
import { leaseLost } from "../errors.ts";
import type { DrainLimits, WorkerOptions } from "../inbox-types.ts";
import type { Pace } from "../pace.ts";
import { attemptsOf, JOBS_PER_PLACE, Processor } from "./processor.ts";
import type { InboxQueue } from "./queue.ts";
import type { RedisClient } from "./redis-connections.ts";

/** A queue that cannot be used is tried again after this time. */
const RETRY_MS = 1_000;

/** How long a stop waits for Redis after its limit: what is handed back is written. */
const HAND_BACK_MS = 700;

/**
 * Another process has the job of a handler that ended, or has ended it.
 *
 * @see https://docs.bullmq.io/guide/troubleshooting
 */
const LOST: readonly unknown[] = [ErrorCode.JobLockNotExist, ErrorCode.JobNotExist];

/** Processes the jobs of some queues, within one concurrency. */
export class Workers {
  readonly #redis: RedisClient;
  readonly #options: WorkerOptions;
  readonly #pace: Pace;
  readonly #processor: Processor;
  readonly #workers: Worker[] = [];
  readonly #empty: Promise<unknown>[] = [];
  readonly #stopping = new AbortController();
  readonly #renewer = new Poller(() => this.#renew());
  /** Resolves when all queues have workers. @throws {ConfigurationError} */
  readonly started: Promise<void>;

  /** @param redis - A connection that the workers close. */
  constructor(
    redis: RedisClient,
    queues: readonly InboxQueue[],
    options: WorkerOptions,
    pace: Pace,
    limit: number = Number.POSITIVE_INFINITY,
  ) {
    this.#redis = redis;
    this.#options = options;
    this.#pace = pace;
    this.#processor = new Processor(options, limit);
    redis.on("error", (error) => this.#report(error));
    this.#renewer.in(pace.leaseMs / 3);
    this.started = Promise.all(queues.map((queue) => this.#serve(queue))).then(() => {});
  }

  /** Starts the worker of a queue as soon as the queue can be used. */
  async #serve(queue: InboxQueue): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      try {
        await queue.open();
        if (!signal.aborted) this.#startWorker(queue);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ConfigurationError) throw error;
        this.#options.onError(error);
        if (!(await sleep(RETRY_MS, signal))) return;
      }
    }
  }

  #startWorker(queue: InboxQueue): void {
    const { leaseMs, backoffMs } = this.#pace;
    const process = (job: Job, token = "") => this.#processor.process(queue.ledger, job, token);
    const worker = new Worker(queue.name, process, {
      connection: this.#redis,
      concurrency: this.#options.concurrency * JOBS_PER_PLACE,
      lockDuration: leaseMs,
      // The processor renews them, by a clock that cannot be set.
      skipLockRenewal: true,
      // Whole milliseconds: Redis takes nothing else, and no dead process would be noticed.
      stalledInterval: Math.ceil((leaseMs * 2) / 3),
      // The death of a process is counted as an attempt. BullMQ must not end the event by its own count.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      settings: {
        backoffStrategy: (_made: number, _type?: string, _error?: Error, job?: unknown) =>
          backoffMs(attemptsOf(job as Job) + 1),
      },
    });
    this.#workers.push(worker);
    this.#empty.push(new Promise<void>((resolve) => worker.once("drained", resolve)));
    worker.on("error", (error) => this.#report(error));
    worker.on("completed", (job, isDead) => {
      if (isDead) queue.addRequeued(job).catch((error) => this.#report(error));
    });
  }

  /** In place of BullMQ, which goes by the clock of this process: it renews none after that was set back. */
  async #renew(): Promise<void> {
    const { leaseMs } = this.#pace;
    try {
      await this.#processor.renew(leaseMs);
    } catch (error) {
      this.#report(error);
    }
    this.#renewer.in(leaseMs / 3);
  }

  /** While it stops, connections are closed on purpose. What waiting cannot heal rejects the start. */
  #report(given: unknown): void {
    if (this.#stopping.signal.aborted) return;
    const { code } = Object(given) as { code?: unknown };
    const error = LOST.includes(code) ? leaseLost() : explained(given);
    if (this.#workers.length > 0 || !isPermanent(error)) this.#options.onError(error);
  }

  /** Works until nothing is due or a limit is reached, and stops. Resolves with how many handlers have run. */
  async drain({ timeoutMs }: Pick<DrainLimits, "timeoutMs">): Promise<number> {
    const end = performance.now() + timeoutMs;
    const isDone = this.started.then(() =>
      Promise.race([Promise.all(this.#empty), this.#processor.limitReached]),
    );
    await waitAtMost(isDone, timeoutMs);
    await this.#close(Math.max(0, end - performance.now()));
    return this.#processor.ended;
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#processor.stop(false);
    await this.#close(timeoutMs);
  }

  /** Takes no other jobs, and hands back those that have not ended in time. */
  async #close(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    // Without Redis, a graceful close would wait for ever.
    const isReached = this.#redis.status === "ready";
    if (!isReached) await this.#handlersEnd(timeoutMs);
    const closed = Promise.allSettled(this.#workers.map((worker) => worker.close(!isReached)));
    if (!(await waitAtMost(closed, timeoutMs))) {
      this.#processor.stop(true);
      await waitAtMost(closed, HAND_BACK_MS);
    }
    this.#renewer.stop();
    this.#redis.disconnect();
    await waitAtMost(closed, HAND_BACK_MS);
  }

  async #handlersEnd(timeoutMs: number): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (this.#processor.running > 0 && performance.now() < end) await sleep(20);
  }
}
