import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from "bullmq";
import { withTimeout } from "../../../../internal/timeout.ts";
import {
  errorText,
  isLastAttempt,
  leaseLost,
  PROCESS_DIED,
  receiverStopped,
} from "../../errors.ts";
import type { Pace } from "../../pace.ts";
import { bytesOf } from "../../text.ts";
import { MAX_ATTEMPTS, type WorkerOptions } from "../../types.ts";
import { noReply } from "../connection.ts";
import { attemptsOf, type JobData } from "../shards/job-data.ts";
import { type RedisClient, runScript } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";
import { FORGOTTEN, type KeptEvent, WorkerBackend } from "./backend.ts";
import type { Slots } from "./slots.ts";

/** How the worker of an inbox is set up. */
export interface BullmqWorkerSettings {
  readonly pace: Pace;
  readonly engineTimeoutMs: number;
  readonly retentionMs: number;
}

interface Running {
  readonly controller: AbortController;
  readonly end: Promise<void>;
}

/** Processes the jobs of a shard. */
export class ShardWorker {
  readonly #redis: RedisClient;
  readonly #shard: Shard;
  readonly #options: WorkerOptions;
  readonly #settings: BullmqWorkerSettings;
  readonly #slots: Slots;
  readonly #backend: WorkerBackend;
  readonly #worker: Worker<JobData>;
  /** By the id of the job. */
  readonly #running = new Map<string, Running>();
  #kept: KeptEvent[] = [];
  #isStopping = false;

  constructor(
    redis: RedisClient,
    shard: Shard,
    options: WorkerOptions,
    settings: BullmqWorkerSettings,
    slots: Slots,
  ) {
    this.#redis = redis;
    this.#shard = shard;
    this.#options = options;
    this.#settings = settings;
    this.#slots = slots;
    this.#backend = new WorkerBackend(redis, shard, settings.retentionMs, () => this.#kept.shift());
    this.#worker = this.#start();
    this.#worker.on("error", (error) => options.onError(error));
    this.#worker.on("lockRenewalFailed", (ids) => {
      for (const id of ids) this.#running.get(id)?.controller.abort(leaseLost());
    });
  }

  #start(): Worker<JobData> {
    const { pace } = this.#settings;
    const options = {
      connection: this.#redis,
      // The slots of all shards limit how many run.
      concurrency: 1,
      lockDuration: pace.leaseMs,
      stalledInterval: (pace.leaseMs * 2) / 3,
      // The death of a process is counted as an attempt. BullMQ must not end the event by its own count.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: 1_000,
      settings: {
        backoffStrategy: (_made: number, _type?: string, _error?: Error, job?: unknown) =>
          pace.backoffMs(attemptsOf(job as Job<JobData>) + 1),
      },
    };
    return new Worker<JobData>(
      this.#shard.name,
      (job, token) => this.#process(job, token as string),
      options,
      this.#backend.factory,
    );
  }

  /** How many jobs this worker processes at the same time. */
  set concurrency(concurrency: number) {
    this.#worker.concurrency = concurrency;
  }

  /** Takes these events, which were kept, before others. */
  take(kept: KeptEvent[]): void {
    this.#kept = kept;
    if (kept.length > 0) this.#backend.wake();
  }

  async #process(job: Job<JobData>, token: string): Promise<typeof FORGOTTEN | undefined> {
    const { kinds } = this.#options;
    if (kinds !== undefined && !kinds.includes(job.name)) return this.#keep(job, token);
    const attempt = attemptsOf(job) + 1;
    if (attempt > MAX_ATTEMPTS) throw new UnrecoverableError(PROCESS_DIED);
    if (!this.#isStopping) {
      const isProcessed = await this.#slots.use(() => this.#run(job, attempt));
      if (isProcessed) return undefined;
    }
    await job.moveToWait(token);
    throw new WaitingError();
  }

  /**
   * Puts an event of a kind that this process does not take aside. A dashboard shows it as delayed,
   * until its retention ends: then it is forgotten.
   */
  async #keep(job: Job<JobData>, token: string): Promise<typeof FORGOTTEN> {
    const [id, now] = [job.id as string, Date.now()];
    const { keptUntil = Number.POSITIVE_INFINITY } = job.data;
    if (keptUntil <= now) {
      await this.#redis.zrem(this.#shard.keptKey(job.name), id);
      return FORGOTTEN;
    }
    this.#options.onKept?.(job.name);
    const delay = Math.ceil(this.#settings.retentionMs);
    const data = JSON.stringify({ ...job.data, keptUntil: now + delay });
    const backend = this.#worker.getBackend();
    const args = backend.moveToDelayedArgs(id, now, token, delay, {
      skipAttempt: true,
      fieldsToUpdate: { data },
    });
    const keys = [this.#shard.keptKey(job.name), this.#shard.keptKindsKey];
    // Where it is moved, it is found: first the index, and both in one round trip.
    const indexed = runScript(this.#redis, "malipoKeep", keys, [id, job.name, now + delay]);
    const moved = backend.execCommand(await backend.client, "moveToDelayed", args);
    const [, code] = await Promise.all([indexed, moved]);
    if (code < 0) throw leaseLost();
    throw new DelayedError();
  }

  /** Resolves with whether the job is processed; `false` for one that a stop interrupted. */
  async #run({ id = "", data }: Job<JobData>, attempt: number): Promise<boolean> {
    if (this.#isStopping) return false;
    const controller = new AbortController();
    const { signal } = controller;
    const { receivedAt, traceContext } = data;
    try {
      const raw = bytesOf(data.body);
      const job = { key: id, raw, attempt, signal, receivedAt, traceContext };
      const end = this.#options.run(job);
      this.#running.set(id, { controller, end });
      await end;
      return true;
    } catch (error) {
      if (this.#isStopping && signal.aborted) return false;
      // A new error: BullMQ treats some classes of errors, and some messages, in its own way.
      const Failure = isLastAttempt(attempt, error) ? UnrecoverableError : Error;
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
  }
}
