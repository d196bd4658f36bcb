import { randomUUID } from "node:crypto";
import { type Job, WaitingError, Worker } from "bullmq";
import { waitAtMost } from "../../../internal/timeout.ts";
import type { Pace } from "../pace.ts";
import { type DrainLimits, type DrainResult, queuesOf, type WorkerOptions } from "../types.ts";
import type { InboxQueue } from "./inbox-queue.ts";
import type { RedisClient } from "./pipeline.ts";
import { Processor } from "./processor.ts";
import { dueJobs } from "./stats.ts";
import { workerOptions } from "./workers.ts";

/** How long jobs that are handed back at the end may take. */
const HAND_BACK_MS = 700;

/** Jobs of one queue that a drain fetches by itself. */
interface Source {
  readonly queue: InboxQueue;
  readonly worker: Worker;
}

/** Processes what is due, by BullMQ's interface for jobs that are fetched one by one. */
export class Drain {
  readonly #options: WorkerOptions;
  readonly #pace: Pace;
  readonly #redis: RedisClient;
  readonly #processor: Processor;
  readonly #held = new Map<Job, string>();
  #sources: Source[] = [];
  #processed = 0;
  #begun = 0;
  #isOver = false;

  constructor(redis: RedisClient, options: WorkerOptions, pace: Pace) {
    this.#redis = redis;
    this.#options = options;
    this.#pace = pace;
    this.#processor = new Processor(options);
  }

  async run(
    queueOf: (kind: string) => InboxQueue,
    { timeoutMs, limit }: DrainLimits,
  ): Promise<DrainResult> {
    const queues = queuesOf(this.#options).map(queueOf);
    const renewal = setInterval(() => this.#renewLocks(), this.#pace.leaseMs / 3);
    const working = this.#work(queues, limit);
    try {
      if (!(await waitAtMost(working, timeoutMs))) {
        this.#isOver = true;
        this.#processor.stop(true);
        await waitAtMost(working, HAND_BACK_MS);
      }
      const left = await Promise.all(queues.map(async (queue) => dueJobs(await queue.open())));
      return { processed: this.#processed, left: left.reduce((sum, due) => sum + due, 0) };
    } finally {
      this.#isOver = true;
      clearInterval(renewal);
      await waitAtMost(
        Promise.allSettled(this.#sources.map(({ worker }) => worker.close(true))),
        HAND_BACK_MS,
      );
      this.#redis.disconnect();
    }
  }

  async #work(queues: readonly InboxQueue[], limit: number): Promise<void> {
    const open = async (queue: InboxQueue): Promise<Source> => {
      await queue.open();
      const worker = new Worker(queue.name, null, {
        ...workerOptions(this.#redis, this.#pace),
        autorun: false,
      });
      worker.on("error", (error) => {
        if (!this.#isOver) this.#options.onError(error);
      });
      await worker.startStalledCheckTimer();
      return { queue, worker };
    };
    this.#sources = await Promise.all(queues.map(open));
    const places = Array.from({ length: this.#options.concurrency }, () => this.#take(limit));
    await Promise.all(places);
  }

  /** Processes one job after the other, until none is due. */
  async #take(limit: number): Promise<void> {
    for (let empty = 0; empty < this.#sources.length && !this.#isOver; ) {
      if (this.#begun >= limit) return;
      this.#begun++;
      const source = this.#sources[empty] as Source;
      const token = randomUUID();
      const job = await source.worker.getNextJob(token, { block: false });
      if (job === undefined) {
        this.#begun--;
        empty++;
      } else await this.#process(source, job, token);
    }
  }

  async #process({ queue }: Source, job: Job, token: string): Promise<void> {
    this.#held.set(job, token);
    try {
      await this.#processor.process(queue.ledger.by(this.#redis), job, token);
      this.#processed++;
      await job.moveToCompleted(undefined, token, false);
    } catch (error) {
      if (error instanceof WaitingError) return;
      this.#processed++;
      await job.moveToFailed(error as Error, token, false).catch(this.#options.onError);
    } finally {
      this.#held.delete(job);
    }
  }

  #renewLocks(): void {
    for (const [job, token] of this.#held) {
      job.extendLock(token, this.#pace.leaseMs).then(
        (extended) => {
          if (extended !== 1) this.#processor.loseLease(job.id as string);
        },
        () => {},
      );
    }
  }
}
