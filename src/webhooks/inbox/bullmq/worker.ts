import { type Job, UnrecoverableError, WaitingError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { withTimeout } from "../../../internal/timeout.ts";
import { errorText, leaseLost, PROCESS_DIED, receiverStopped } from "../errors.ts";
import type { Pace } from "../pace.ts";
import { bytesOf } from "../text.ts";
import { MAX_ATTEMPTS, type WorkerOptions } from "../types.ts";
import { noReply } from "./connection.ts";
import { attemptsOf, type JobData } from "./queue.ts";

/** How the worker of an inbox is set up. */
export interface BullmqWorkerSettings {
  readonly queue: string;
  readonly pace: Pace;
  readonly engineTimeoutMs: number;
  readonly retentionMs: number;
}

interface Running {
  readonly controller: AbortController;
  readonly end: Promise<void>;
}

/** Processes the jobs of a queue. */
export class BullmqWorker {
  readonly #redis: Redis;
  readonly #options: WorkerOptions;
  readonly #settings: BullmqWorkerSettings;
  readonly #worker: Worker<JobData>;
  /** By the id of the job. */
  readonly #running = new Map<string, Running>();
  #isStopping = false;

  constructor(redis: Redis, options: WorkerOptions, settings: BullmqWorkerSettings) {
    this.#redis = redis;
    this.#options = options;
    this.#settings = settings;
    this.#worker = this.#start();
    this.#worker.on("error", (error) => options.onError(error));
    this.#worker.on("lockRenewalFailed", (ids) => {
      for (const id of ids) this.#running.get(id)?.controller.abort(leaseLost());
    });
  }

  #start(): Worker<JobData> {
    const { queue, pace, retentionMs } = this.#settings;
    return new Worker<JobData>(queue, (job, token) => this.#process(job, token as string), {
      connection: this.#redis,
      concurrency: this.#options.concurrency,
      lockDuration: pace.leaseMs,
      stalledInterval: (pace.leaseMs * 2) / 3,
      // The death of a process is counted as an attempt. BullMQ must not end the event by its own count.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      removeOnComplete: { age: Math.ceil(retentionMs / 1_000) },
      runRetryDelay: 1_000,
      settings: {
        backoffStrategy: (_made, _type, _error, job) =>
          pace.backoffMs(attemptsOf(job as Job<JobData>) + 1),
      },
    });
  }

  async #process(job: Job<JobData>, token: string): Promise<void> {
    const attempt = attemptsOf(job) + 1;
    if (attempt > MAX_ATTEMPTS) throw new UnrecoverableError(PROCESS_DIED);
    if (!this.#isStopping) {
      const isProcessed = await this.#run(job, attempt);
      if (isProcessed) return;
    }
    await job.moveToWait(token);
    throw new WaitingError();
  }

  /** Resolves with whether the job is processed; `false` for one that a stop interrupted. */
  async #run(job: Job<JobData>, attempt: number): Promise<boolean> {
    const id = job.id as string;
    const controller = new AbortController();
    const { signal } = controller;
    try {
      const end = this.#options.run({ key: id, raw: bytesOf(job.data.body), attempt, signal });
      this.#running.set(id, { controller, end });
      await end;
      return true;
    } catch (error) {
      if (this.#isStopping && signal.aborted) return false;
      // A new error: BullMQ treats some classes of errors, and some messages, in its own way.
      const Failure = attempt < MAX_ATTEMPTS ? Error : UnrecoverableError;
      throw new Failure(errorText(error));
    } finally {
      this.#running.delete(id);
    }
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    const ends = Promise.allSettled([...this.#running.values()].map(({ end }) => end));
    // Without Redis nothing can be written, and a graceful close would wait for ever.
    const isReached = this.#redis.status === "ready";
    const closing = isReached ? this.#worker.close() : ends.then(() => this.#worker.close(true));
    try {
      await withTimeout(closing, timeoutMs, noReply);
    } catch {
      for (const { controller } of this.#running.values()) controller.abort(receiverStopped());
      const { engineTimeoutMs } = this.#settings;
      await withTimeout(closing, engineTimeoutMs, noReply).catch(this.#options.onError);
    }
    this.#redis.disconnect();
  }
}
