import { type Job, Queue } from "bullmq";
import type { Redis } from "ioredis";
import { deadLetterNotFound, EventMissingError } from "../errors.ts";
import { Groups } from "../groups.ts";
import { MAX_RETRY_WAIT_MS } from "../pace.ts";
import { exactText } from "../text.ts";
import {
  type DeadLetter,
  MAX_ATTEMPTS,
  type NewDelivery,
  type Receipt,
  receiptFor,
} from "../types.ts";
import { noReply } from "./connection.ts";

/** What a job holds. Its name is the event kind, its id the key of the event. */
export interface JobData {
  readonly body: string;
  readonly digest: string;
  readonly secretIndex: number;
  readonly receivedAt: number;
  /** Tells the delivery that created the job from deliveries that found it there. */
  readonly nonce: string;
  /** Stalls before the last requeue, which do not count as attempts any more. */
  readonly forgiven?: number;
}

/** Attempts that ended: failed ones, and those during which a process died. */
export const attemptsOf = ({ attemptsMade, stalledCounter, data }: Job<JobData>): number =>
  attemptsMade + stalledCounter - (data.forgiven ?? 0);

// Every emitter needs a listener, or Node ends the process when Redis is away.
const ignoreErrors = (emitter: { on(event: "error", listener: () => void): unknown }) =>
  emitter.on("error", () => {});

/** BullMQ's sorted set of delayed jobs: the time in milliseconds, and 12 bits that keep the order. */
const SCORE_PER_MS = 0x1000;

/** So many retries are freed at a time. */
const MAX_FREED = 1_000;

/** An event to add. */
interface Added {
  readonly key: string;
  readonly event: string;
  readonly data: JobData;
}

/** Redis refused a command. Any other error says that Redis is away, for the next one as well. */
const isReply = (error: unknown): boolean => (error as Error).name === "ReplyError";

/** The queue of deliveries, and the queue of conflicts beside it. */
export class DeliveryQueue {
  readonly #redis: Redis;
  readonly #queue: Queue<JobData, unknown, string>;
  readonly #conflicts: Queue<JobData, unknown, string>;

  readonly #groups: Groups<Added, JobData>;

  constructor(name: string, redis: Redis, engineTimeoutMs: number) {
    this.#redis = redis;
    // The inbox checks Redis itself, after the start: a connection that breaks during BullMQ's check
    // would end the queue.
    const options = { connection: redis, skipVersionCheck: true };
    this.#queue = new Queue(name, options);
    this.#conflicts = new Queue(`${name}-conflicts`, options);
    this.#groups = new Groups({
      run: (added) => this.#addAll(added),
      keyOf: ({ key }) => key,
      bytesOf: ({ data }) => data.body.length,
      isWorthRetrying: isReply,
      timeoutMs: engineTimeoutMs,
      timeoutError: noReply,
    });
    for (const emitter of [redis, this.#queue, this.#conflicts]) ignoreErrors(emitter);
  }

  async accept(delivery: NewDelivery): Promise<Receipt> {
    const { key, digest, event, raw, secretIndex, receivedAt } = delivery;
    const nonce = globalThis.crypto.randomUUID();
    const data: JobData = { body: exactText(raw), digest, secretIndex, receivedAt, nonce };
    const stored = await this.#groups.add({ key, event, data });
    if (stored.nonce === nonce) return receiptFor("accepted");
    if (stored.digest === digest) return receiptFor("duplicate");
    await this.#conflicts.add(event, data, { jobId: `${key}-${digest}` });
    return receiptFor("conflict");
  }

  /**
   * Adds a group of events. Resolves with what is stored under their keys then: a job that was there
   * before stays as it was.
   */
  async #addAll(added: readonly Added[]): Promise<JobData[]> {
    const jobs = added.map(({ key, event, data }) => ({
      name: event,
      data,
      opts: { jobId: key, attempts: MAX_ATTEMPTS, backoff: { type: "malipo" } },
    }));
    await this.#queue.addBulk(jobs);
    const reads = this.#redis.pipeline();
    for (const { key } of added) reads.hget(this.#queue.toKey(key), "data");
    const replies = (await reads.exec()) ?? [];
    return added.map((_, at) => {
      const [error, stored] = replies[at] ?? [];
      if (error) throw error;
      if (typeof stored !== "string") throw new EventMissingError("Redis");
      return JSON.parse(stored);
    });
  }

  async deadLetters(): Promise<DeadLetter[]> {
    return (await this.#queue.getFailed()).map((job) => ({
      id: job.id as string,
      event: job.name,
      body: job.data.body,
      attempts: Math.min(attemptsOf(job), MAX_ATTEMPTS),
      error: job.failedReason,
    }));
  }

  async requeue(id: string): Promise<void> {
    const [job, state] = await Promise.all([this.#queue.getJob(id), this.#queue.getJobState(id)]);
    if (job === undefined || state !== "failed") throw deadLetterNotFound(id);
    const forgiven = job.stalledCounter;
    if (forgiven !== (job.data.forgiven ?? 0)) await job.updateData({ ...job.data, forgiven });
    await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true });
  }

  /** Frees the retries that wait too long, because the clock was set back after they were planned. */
  async freeLateRetries(): Promise<void> {
    const delayed = this.#queue.toKey("delayed");
    const from = (Date.now() + MAX_RETRY_WAIT_MS) * SCORE_PER_MS;
    const ids = await this.#redis.zrangebyscore(delayed, from, "+inf", "LIMIT", 0, MAX_FREED);
    await Promise.all(ids.map(async (id) => (await this.#queue.getJob(id))?.promote()));
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#queue.close(), this.#conflicts.close()]);
  }
}
