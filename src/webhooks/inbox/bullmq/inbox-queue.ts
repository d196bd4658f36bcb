import { type JobsOptions, Queue } from "bullmq";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { checkReplicas, MAX_REPLICATION_MS } from "../../../internal/redis/replication.ts";
import { Batcher, type WaitingDelivery } from "../batcher.ts";
import { MAX_ATTEMPTS, type NewDelivery, type Receipt, receiptFor } from "../types.ts";
import { untilReady } from "./connection.ts";
import { type Admission, QueueLedger } from "./ledger.ts";
import { LedgerMeta, type RedisClock } from "./meta.ts";
import { bullmqQueueName, formerKeys, ledgerKeys } from "./names.ts";
import { type RedisClient, runAll } from "./pipeline.ts";
import { type StoredEvent, storedEventOf } from "./stored-event.ts";

/** The type of backoff of our jobs: the worker computes the wait. */
const BACKOFF = "malipo";

const JOB_OPTIONS: JobsOptions = {
  // The ledger ends the event before BullMQ would: attempts during which a process died count, too.
  attempts: MAX_ATTEMPTS,
  backoff: { type: BACKOFF },
  removeOnComplete: true,
};

/** How many entries BullMQ's stream of events has, for dashboards. */
const MAX_STREAM = 1_000;

/** How many batches are under way at most: Redis has work while this process prepares the next one. */
const MAX_UNDER_WAY = 4;

export interface QueueSettings {
  /** The name of the inbox. */
  readonly inbox: string;
  readonly replicas: number;
  readonly retentionMs: number;
  readonly engineTimeoutMs: number;
  /** How often a process looks after its queues. */
  readonly upkeepMs: number;
}

/** The events of one queue: their ledger, and BullMQ's queue. */
export class InboxQueue {
  /** The kind of its events, or `other`. */
  readonly kind: string;
  readonly name: string;
  readonly ledger: QueueLedger;
  readonly meta: LedgerMeta;
  readonly #redis: RedisClient;
  readonly #settings: QueueSettings;
  readonly #clock: RedisClock;
  readonly #batcher: Batcher;
  readonly #underWay = new Set<Promise<void>>();
  #opening: Promise<Queue> | undefined;

  constructor(redis: RedisClient, kind: string, settings: QueueSettings, clock: RedisClock) {
    const { inbox, retentionMs, engineTimeoutMs } = settings;
    const keys = ledgerKeys(inbox, kind);
    this.kind = kind;
    this.name = bullmqQueueName(inbox, kind);
    this.ledger = new QueueLedger(redis, keys, retentionMs, clock);
    this.meta = new LedgerMeta(redis, keys, settings, clock);
    this.#redis = redis;
    this.#settings = settings;
    this.#clock = clock;
    const limits = { deadlineMs: engineTimeoutMs, count: 200, bytes: 1_048_576 };
    this.#batcher = new Batcher((batch) => this.#begin(batch), limits);
  }

  accept(delivery: NewDelivery): Promise<Receipt> {
    return this.#batcher.add(delivery);
  }

  /**
   * BullMQ's queue, as soon as it can be used.
   *
   * @throws {ConfigurationError} if Redis holds events in another format.
   */
  open(): Promise<Queue> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<Queue> {
    await untilReady(this.#redis);
    await this.meta.checkFormat();
    await this.#checkFormer();
    const queue = new Queue(this.name, {
      connection: this.#redis,
      // The inbox checks Redis itself.
      skipVersionCheck: true,
      streams: { events: { maxLen: MAX_STREAM } },
    });
    queue.on("error", () => {});
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      void queue.close().catch(() => {});
      throw error;
    }
  }

  async #checkFormer(): Promise<void> {
    const { inbox } = this.#settings;
    // In a cluster, these keys may be on a node that is down.
    const found = formerKeys(inbox).map((key) => this.#redis.exists(key).catch(() => 0));
    if (!(await Promise.all(found)).includes(1)) return;
    throw new ConfigurationError(
      `The queue ${JSON.stringify(inbox)} in Redis holds events of an earlier build of malipo, which this version cannot read. Process them with that build, or use another \`queue\`.`,
    );
  }

  /** Begins to store a batch, as soon as there is room for it. */
  async #begin(batch: readonly WaitingDelivery[]): Promise<void> {
    while (this.#underWay.size >= MAX_UNDER_WAY) await Promise.race(this.#underWay);
    const storing = this.#store(batch).catch((error) => {
      for (const { reject } of batch) reject(error);
    });
    this.#underWay.add(storing);
    void storing.then(() => this.#underWay.delete(storing));
  }

  async #store(batch: readonly WaitingDelivery[]): Promise<void> {
    const queue = await this.open();
    const admissions = await this.ledger.admit(batch.map(({ delivery }) => delivery));
    const jobs = new Map<string, NewDelivery>();
    for (const [at, { delivery }] of batch.entries()) {
      const admission = admissions[at] as Admission | Error;
      if ("needsJob" in admission && admission.needsJob) jobs.set(delivery.key, delivery);
    }
    const failed = await this.#addJobs(queue, [...jobs.values()]);
    await this.#confirm();
    for (const [at, { delivery, resolve, reject }] of batch.entries()) {
      const admission = admissions[at] as Admission | Error;
      const error = admission instanceof Error ? admission : failed.get(delivery.key);
      if (error === undefined) resolve(receiptFor((admission as Admission).kind));
      else reject(error);
    }
  }

  /** Adds a job for each event. One that exists is left unchanged. Resolves with what failed, by key. */
  async #addJobs(
    queue: Queue,
    deliveries: readonly NewDelivery[],
  ): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    if (deliveries.length === 0) return failed;
    try {
      await queue.addBulk(deliveries.map((delivery) => this.#jobOf(delivery)));
    } catch (error) {
      // One of them may be the reason.
      for (const delivery of deliveries.length > 1 ? deliveries : []) {
        await queue
          .addBulk([this.#jobOf(delivery)])
          .catch((reason: unknown) => failed.set(delivery.key, reason));
      }
      if (deliveries.length === 1) failed.set((deliveries[0] as NewDelivery).key, error);
    }
    return failed;
  }

  #jobOf(delivery: NewDelivery) {
    const { key, event } = delivery;
    const data: StoredEvent = storedEventOf(delivery);
    return {
      name: event,
      data,
      opts: { ...JOB_OPTIONS, jobId: key, timestamp: this.#clock.now() },
    };
  }

  /** Adds the job of an event that a person has requeued. */
  async addJob(delivery: NewDelivery): Promise<void> {
    const failed = await this.#addJobs(await this.open(), [delivery]);
    for (const error of failed.values()) throw error;
    await this.#confirm();
  }

  /** Waits until the replicas have what this connection wrote. */
  async #confirm(): Promise<void> {
    const { replicas } = this.#settings;
    if (replicas === 0) return;
    const pipeline = this.#redis.pipeline().exists(this.ledger.keys.meta);
    const replies = await runAll(pipeline.wait(replicas, MAX_REPLICATION_MS));
    checkReplicas(replies.at(-1), replicas, "a webhook");
  }

  /** Never waits for Redis: the connection is closed after it. */
  async close(): Promise<void> {
    const queue = await this.#opening?.catch(() => undefined);
    await queue?.close();
  }
}
