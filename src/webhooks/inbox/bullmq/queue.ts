import { type Job, Queue } from "bullmq";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { checkReplicas, MAX_REPLICATION_MS } from "../../../internal/redis/replication.ts";
import { explained } from "../../../storage/redis/redis-errors.ts";
import { Batcher, type Stored } from "../batcher.ts";
import { type Horizon, MAX_ATTEMPTS, type NewDelivery, type Receipt } from "../inbox-types.ts";
import { QUEUES } from "../kinds.ts";
import { QueueLedger } from "./ledger.ts";
import { type RedisClient, type RedisClock, runAll, untilReady } from "./redis-connections.ts";
import {
  bullmqQueueName,
  deliveryOf,
  FORMAT,
  ledgerKeys,
  storedEventIn,
  storedEventOf,
} from "./redis-layout.ts";

const JOB_OPTIONS = {
  // The ledger ends the event before BullMQ would: attempts during which a process died count, too.
  attempts: MAX_ATTEMPTS,
  // The worker computes the wait.
  backoff: { type: "malipo" },
  removeOnComplete: true,
};

/** How many entries BullMQ's stream of events has, for dashboards. */
const MAX_STREAM = 1_000;

/** The name of a field that has the moment until which processes with a retention may have forgotten events. */
const RETENTION = "retention:";

/** When a process last worked on a queue. */
const WORKED = "worked";

/**
 * The longest retention with which processes used an inbox. `undefined` if there is no inbox of this name
 * in Redis.
 */
export async function storedRetentionMs(
  redis: RedisClient,
  inbox: string,
): Promise<number | undefined> {
  const read = (queue: string) => redis.hkeys(ledgerKeys(inbox, queue).meta);
  const found = (await Promise.all(QUEUES.map(read))).flat();
  const used = found.filter((name) => name.startsWith(RETENTION));
  if (used.length === 0) return undefined;
  return Math.max(...used.map((name) => Number(name.slice(RETENTION.length))));
}

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
  readonly settings: QueueSettings;
  readonly clock: RedisClock;
  readonly #meta: string;
  readonly #redis: RedisClient;
  readonly #batcher: Batcher;
  #opening: Promise<Queue> | undefined;

  constructor(redis: RedisClient, kind: string, settings: QueueSettings, clock: RedisClock) {
    const { inbox, retentionMs, engineTimeoutMs } = settings;
    const keys = ledgerKeys(inbox, kind);
    this.kind = kind;
    this.name = bullmqQueueName(inbox, kind);
    this.ledger = new QueueLedger(redis, keys, retentionMs, clock);
    this.#meta = keys.meta;
    this.#redis = redis;
    this.settings = settings;
    this.clock = clock;
    this.#batcher = new Batcher((batch) => this.#store(batch), {
      deadlineMs: engineTimeoutMs,
      count: 200,
      bytes: 1_048_576,
      // Redis has work while this process prepares the next batch.
      parallel: 4,
    });
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
      throw explained(error);
    });
    return this.#opening;
  }

  async #open(): Promise<Queue> {
    await untilReady(this.#redis);
    await this.#checkFormat();
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

  async #checkFormat(): Promise<void> {
    const pipeline = this.#redis.pipeline().hsetnx(this.#meta, "format", FORMAT);
    const [, format] = await runAll(pipeline.hget(this.#meta, "format"));
    if (format !== `${FORMAT}`) {
      throw new ConfigurationError(
        `The events of this inbox in Redis have format ${format}, and this version of malipo reads format ${FORMAT}. Use the version that wrote them, or another \`queue\`.`,
      );
    }
    await this.touch(false);
  }

  async #store(deliveries: readonly NewDelivery[]): Promise<Stored[]> {
    const queue = await this.open();
    const admissions = await this.ledger.admit(deliveries);
    const needJobs = deliveries.filter((_, at) => admissions[at]?.needsJob);
    // A job that exists is left unchanged.
    const jobs = new Map(needJobs.map((delivery) => [delivery.key, this.#jobOf(delivery)]));
    if (jobs.size > 0) await queue.addBulk([...jobs.values()]);
    await this.#confirm();
    return admissions.map(({ as }) => as);
  }

  /**
   * Adds the job of a dead letter that was requeued before its job before had ended: BullMQ has ignored the
   * new one.
   */
  async addRequeued({ id = "", data }: Job): Promise<void> {
    const stored = storedEventIn(data);
    const record = await this.ledger.begin(id, 1);
    if (stored && record?.state === "pending") await this.accept(deliveryOf(id, stored));
  }

  #jobOf(delivery: NewDelivery) {
    const opts = { ...JOB_OPTIONS, jobId: delivery.key, timestamp: this.clock.now() };
    return { name: delivery.event, data: storedEventOf(delivery), opts };
  }

  /** Waits until the replicas have what this connection wrote. */
  async #confirm(): Promise<void> {
    const { replicas } = this.settings;
    if (replicas === 0) return;
    const pipeline = this.#redis.pipeline().exists(this.#meta);
    const replies = await runAll(pipeline.wait(replicas, MAX_REPLICATION_MS));
    checkReplicas(replies.at(-1), replicas, "a webhook");
  }

  /** Writes that this process uses the ledger now, and whether it works on the queue. */
  async touch(isWorkedOn: boolean): Promise<void> {
    // The second key is that of a node in a cluster.
    const [time] = await runAll(this.#redis.pipeline().time().exists(this.#meta));
    const now = this.clock.read(time);
    const { retentionMs, upkeepMs } = this.settings;
    const uses = { [`${RETENTION}${retentionMs}`]: now + upkeepMs * 2 };
    await this.#redis.hset(this.#meta, isWorkedOn ? { ...uses, [WORKED]: now } : uses);
  }

  /** Whether no process worked on the queue for the whole retention. */
  async isAbandoned(): Promise<boolean> {
    const worked = await this.#redis.hget(this.#meta, WORKED);
    return Number(worked ?? 0) < this.clock.now() - this.settings.retentionMs;
  }

  /**
   * What processes with other retentions have forgotten counts as long as it matters: what they have
   * processed goes on being forgotten after the last of them has ended.
   */
  async horizon(): Promise<Horizon> {
    await this.open();
    const [time, fields] = await runAll(this.#redis.pipeline().time().hgetall(this.#meta));
    const now = this.clock.read(time);
    const ownSince = now - this.settings.retentionMs;
    let remembersSince = ownSince;
    for (const [name, usedUntil] of Object.entries(fields as Record<string, string>)) {
      if (!name.startsWith(RETENTION)) continue;
      const since = Math.min(Number(usedUntil), now - Number(name.slice(RETENTION.length)));
      remembersSince = Math.max(remembersSince, since);
      if (since < ownSince) await this.#redis.hdel(this.#meta, name);
    }
    return { now, remembersSince };
  }

  /** Never waits for Redis: the connection is closed after it. */
  async close(): Promise<void> {
    const queue = await this.#opening?.catch(() => undefined);
    await queue?.close();
  }
}
