/**
 * An inbox in Redis, by BullMQ: for many machines.
 *
 * @module malipo/inbox/bullmq
 */

import { ConfigurationError } from "../../../errors/configuration.ts";
import {
  checkText,
  checkWholeNumber,
  ownOptions,
  wrongOption,
} from "../../../internal/check-options.ts";
import { durabilityProblems } from "../../../internal/redis/durability.ts";
import { waitAtMost, withTimeout } from "../../../internal/timeout.ts";
import { alreadyStarted, DeletedError } from "../errors.ts";
import { DEFAULT_PACE, type Pace, retentionFor } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import {
  type DrainLimits,
  type DrainResult,
  type Horizon,
  type Inbox,
  type InboxStats,
  QUEUES,
  queueOf,
  queuesOf,
  type WorkerOptions,
} from "../types.ts";
import { listsOf } from "./lists.ts";
import { type BullmqInboxOptions, OPTIONS } from "./options.ts";
import { InboxQueue, type QueueSettings } from "./queue.ts";
import {
  type BullmqConnection,
  connectToStore,
  connectToWork,
  type RedisClient,
  RedisClock,
  untilReady,
} from "./redis.ts";
import { dueJobs, inboxStats } from "./stats.ts";
import { upkeep } from "./upkeep.ts";
import { Workers } from "./workers.ts";

export type { BullmqInboxOptions } from "./options.ts";
export type { BullmqConnection } from "./redis.ts";

/** How long a start waits for Redis. After it, the start goes on in the background. */
const MAX_START_MS = 2_000;

/** How long a delivery waits until the horizon is read. */
const MAX_HORIZON_MS = 2_000;

/** Its node in a Redis Cluster has the double payments. */
const DOUBLE_PAYMENTS_QUEUE = "payment.completed";

interface BullmqInboxSettings extends QueueSettings {
  readonly pace: Pace;
}

class BullmqInbox {
  readonly #connection: BullmqConnection;
  readonly #settings: BullmqInboxSettings;
  readonly #stopped = new AbortController();
  readonly #redis: RedisClient;
  readonly #clock = new RedisClock();
  readonly #queues = new Map<string, InboxQueue>();
  readonly #upkeep: ReturnType<typeof setInterval>;
  #isLooking = false;
  #workers: Workers | undefined;
  #options: WorkerOptions | undefined;

  constructor(connection: BullmqConnection, settings: BullmqInboxSettings) {
    this.#connection = connection;
    this.#settings = settings;
    const { engineTimeoutMs, upkeepMs } = settings;
    this.#redis = connectToStore(connection, this.#stopped.signal, engineTimeoutMs);
    this.#upkeep = setInterval(() => void this.#lookAfterQueues(), upkeepMs);
    this.#upkeep.unref();
  }

  /** The queue of this name. */
  queue(name: string): InboxQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = new InboxQueue(this.#redis, name, this.#settings, this.#clock);
    this.#queues.set(name, queue);
    return queue;
  }

  /** Some queues, as soon as they can be used. */
  async open(names: readonly string[] = QUEUES): Promise<InboxQueue[]> {
    const queues = names.map((name) => this.queue(name));
    await Promise.all(queues.map((queue) => queue.open()));
    return queues;
  }

  /** Workers, on a connection that closes with them. */
  #workersFor(options: WorkerOptions, limit?: number): Workers {
    const redis = connectToWork(this.#connection, this.#stopped.signal);
    const queues = queuesOf(options).map((name) => this.queue(name));
    return new Workers(redis, queues, options, this.#settings.pace, limit);
  }

  async start(given: WorkerOptions): Promise<void> {
    if (this.#workers !== undefined) throw alreadyStarted();
    const options = { ...given, onError: reportOncePerMinute(given.onError) };
    this.#options = options;
    this.#workers = this.#workersFor(options);
    const { started } = this.#workers;
    if (!(await waitAtMost(started, MAX_START_MS))) started.catch(options.onError);
    void this.#reportDurability(options).catch(options.onError);
  }

  async #reportDurability({ onError }: WorkerOptions): Promise<void> {
    if (this.#redis.status !== "ready") {
      await new Promise((resolve) => this.#redis.once("ready", resolve));
    }
    const problems = await durabilityProblems(this.#redis, this.#settings.replicas, "bullmqInbox");
    for (const problem of problems) {
      onError(
        new ConfigurationError(`This Redis can lose webhooks that were acknowledged. ${problem}`),
      );
    }
  }

  async #lookAfterQueues(): Promise<void> {
    if (this.#redis.status !== "ready" || this.#isLooking) return;
    this.#isLooking = true;
    const { onError = () => {} } = this.#options ?? {};
    const worksOn = this.#options && queuesOf(this.#options);
    const lookAfter = async (name: string, queue: InboxQueue) => {
      try {
        const deleted = await upkeep(queue, worksOn?.includes(name) === true);
        if (deleted > 0) onError(new DeletedError(deleted));
      } catch (error) {
        if (!this.#stopped.signal.aborted) onError(error);
      }
    };
    const all = [...this.#queues].map(([name, queue]) => lookAfter(name, queue));
    await Promise.all(all);
    this.#isLooking = false;
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#upkeep);
    await this.#workers?.stop(timeoutMs);
    for (const queue of this.#queues.values()) void queue.close().catch(() => {});
    this.#redis.disconnect();
  }

  async drain(given: WorkerOptions, limits: DrainLimits): Promise<DrainResult> {
    const options = { ...given, onError: reportOncePerMinute(given.onError) };
    await untilReady(this.#redis);
    const processed = await this.#workersFor(options, limits.limit).drain(limits);
    const queues = await Promise.all((await this.open(queuesOf(options))).map((one) => one.open()));
    const left = await Promise.all(queues.map(dueJobs));
    return { processed, left: left.reduce((sum, due) => sum + due, 0) };
  }

  /** By the queues that can be read: in a cluster, one node may be down. */
  async horizon(): Promise<Horizon> {
    const late = () => new Error("Redis does not reply.");
    const read = (name: string) => withTimeout(this.queue(name).horizon(), MAX_HORIZON_MS, late);
    const results = await Promise.allSettled(QUEUES.map(read));
    const horizons = results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const [first] = horizons;
    if (first === undefined) throw (results[0] as PromiseRejectedResult).reason;
    const remembersSince = Math.max(...horizons.map((one) => one.remembersSince));
    return { now: first.now, remembersSince };
  }

  async doublePayments() {
    const queue = this.queue(DOUBLE_PAYMENTS_QUEUE);
    await queue.open();
    return queue.ledger.doublePayments;
  }

  async stats(): Promise<InboxStats> {
    const own = this.#options === undefined ? QUEUES : queuesOf(this.#options);
    return inboxStats(this.#redis, await this.open(), this.#clock.now(), own);
  }
}

/**
 * Keeps deliveries in Redis, for many processes: a record for each event, and a job of BullMQ for each one
 * that is to be processed, visible in every dashboard for BullMQ. Install `bullmq` and `ioredis` yourself.
 *
 * Deliveries are as safe as the Redis: set `appendonly yes`, `appendfsync always` and
 * `maxmemory-policy noeviction`. If a setting differs, `onError` is called at the start.
 *
 * A handler has no `transaction` here: use its `idempotencyKey`.
 *
 * @throws {ConfigurationError} for an unknown option, a wrong value or a missing connection.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { bullmqInbox } from "malipo/inbox/bullmq";
 *
 * const inbox = bullmqInbox({ connection: { host: "127.0.0.1", port: 6379 } });
 * const receiver = createWebhookReceiver({ secret, inbox });
 * ```
 */
export function bullmqInbox(options: BullmqInboxOptions): Inbox {
  const own = ownOptions(options, OPTIONS, "bullmqInbox");
  const { connection, queue = "malipo-webhooks", pace = DEFAULT_PACE } = own;
  const { engineTimeoutMs = DEFAULT_PACE.engineTimeoutMs } = pace;
  const retentionMs = retentionFor(own.retentionMs, pace);
  const replicas = checkWholeNumber("replicas", own.replicas ?? 0, 0);
  if (typeof connection !== "object") {
    throw wrongOption("connection", "an ioredis client or its options", connection);
  }
  checkText("queue", queue, /^[\w.-]{1,100}$/, '1 to 100 letters, digits, ".", "_" and "-"');
  const upkeepMs = (pace.leaseMs * 2) / 3;
  const settings = { inbox: queue, replicas, pace, engineTimeoutMs, upkeepMs, retentionMs };
  const inbox = new BullmqInbox(connection, settings);
  // Separate functions, so that an inbox may be spread into another.
  return {
    retentionMs,
    horizon: () => inbox.horizon(),
    accept: (delivery) => inbox.queue(queueOf(delivery.event)).accept(delivery),
    start: (workerOptions) => inbox.start(workerOptions),
    stop: (timeoutMs) => inbox.stop(timeoutMs),
    drain: (workerOptions, limits) => inbox.drain(workerOptions, limits),
    stats: () => inbox.stats(),
    ...listsOf(
      () => inbox.open(),
      () => inbox.doublePayments(),
    ),
  };
}
