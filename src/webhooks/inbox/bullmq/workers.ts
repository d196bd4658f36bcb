import { type WorkerOptions as BullmqOptions, type Job, Worker } from "bullmq";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { sleep, waitAtMost } from "../../../internal/timeout.ts";
import type { Pace } from "../pace.ts";
import { queuesOf, type WorkerOptions } from "../types.ts";
import type { InboxQueue } from "./inbox-queue.ts";
import type { RedisClient } from "./pipeline.ts";
import { attemptsOf, Processor } from "./processor.ts";

/** A queue that cannot be used is tried again after this time. */
const RETRY_MS = 1_000;

/** How long a stop waits for Redis after its limit: what is handed back is written. */
const HAND_BACK_MS = 700;

/**
 * How many jobs a worker has for each one that may run. An attempt takes three round trips beside its
 * handler: it asks the ledger, writes the end there, and ends the job, which fetches the next one.
 */
const JOBS_PER_PLACE = 3;

/** The options of a worker, whether it fetches by itself or not. */
export const workerOptions = (redis: RedisClient, { leaseMs, backoffMs }: Pace): BullmqOptions => ({
  connection: redis,
  lockDuration: leaseMs,
  stalledInterval: (leaseMs * 2) / 3,
  // The death of a process is counted as an attempt. BullMQ must not end the event by its own count.
  maxStalledCount: Number.MAX_SAFE_INTEGER,
  settings: {
    backoffStrategy: (_made: number, _type?: string, _error?: Error, job?: unknown) =>
      backoffMs(attemptsOf(job as Job) + 1),
  },
});

/** Processes the jobs of the queues that a process works on, within one concurrency. */
export class Workers {
  readonly #redis: RedisClient;
  readonly #options: WorkerOptions;
  readonly #pace: Pace;
  readonly #processor: Processor;
  readonly #workers = new Map<Worker, { isReady: boolean }>();
  readonly #stopping = new AbortController();
  /** Resolves when all queues have workers. @throws {ConfigurationError} */
  readonly started: Promise<void>;

  constructor(
    redis: RedisClient,
    queueOf: (kind: string) => InboxQueue,
    options: WorkerOptions,
    pace: Pace,
  ) {
    this.#redis = redis;
    this.#options = options;
    this.#pace = pace;
    this.#processor = new Processor(options);
    redis.on("error", (error) => this.#report(error));
    const queues = queuesOf(options).map(queueOf);
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
    const ledger = queue.ledger.by(this.#redis);
    const worker = new Worker(
      queue.name,
      (job: Job, token = "") => this.#processor.process(ledger, job, token),
      {
        ...workerOptions(this.#redis, this.#pace),
        concurrency: this.#options.concurrency * JOBS_PER_PLACE,
      },
    );
    const state = { isReady: false };
    this.#workers.set(worker, state);
    worker.on("error", (error) => this.#report(error));
    worker.on("lockRenewalFailed", (ids) => {
      for (const id of ids) this.#processor.loseLease(id);
    });
    const onReady = () => {
      state.isReady = true;
    };
    worker.waitUntilReady().then(onReady, (error) => this.#report(error));
  }

  /** While it stops, connections are closed on purpose. */
  #report(error: unknown): void {
    if (!this.#stopping.signal.aborted) this.#options.onError(error);
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    this.#processor.stop(false);
    const isReached = this.#redis.status === "ready";
    const closing = [...this.#workers].map(async ([worker, { isReady }]) => {
      // Without Redis, a graceful close would wait for ever.
      if (isReached && isReady) return worker.close();
      await this.#handlersEnd(timeoutMs);
      return worker.close(true);
    });
    const closed = Promise.allSettled(closing);
    if (!(await waitAtMost(closed, timeoutMs))) {
      this.#processor.stop(true);
      await waitAtMost(closed, HAND_BACK_MS);
    }
    this.#redis.disconnect();
    await waitAtMost(closed, HAND_BACK_MS);
  }

  async #handlersEnd(timeoutMs: number): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (this.#processor.running > 0 && performance.now() < end) await sleep(20);
  }
}
