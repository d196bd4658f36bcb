/**
 * An inbox in Redis, by BullMQ: for many machines.
 *
 * @module malipo/inbox/bullmq
 */

import { ConfigurationError } from "../../../errors/configuration.ts";
import { checkWholeNumber, describeValue, ownOptions } from "../../../internal/check-options.ts";
import { withTimeout } from "../../../internal/timeout.ts";
import { alreadyStarted } from "../errors.ts";
import { checkRetention, DEFAULT_PACE, type Pace } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import type { Inbox, InboxStats, NewDelivery, Receipt, WorkerOptions } from "../types.ts";
import {
  type BullmqConnection,
  connectToAccept,
  connectToWork,
  noReply,
  readyWaiter,
} from "./connection.ts";
import { checkDurability } from "./durability.ts";
import { conflictList } from "./lists/conflicts.ts";
import { deadLetterList } from "./lists/dead-letters.ts";
import { inboxStats } from "./lists/stats.ts";
import type { RedisClient } from "./shards/scripts.ts";
import { Shards } from "./shards/shards.ts";
import type { BullmqWorkerSettings } from "./work/worker.ts";
import { Workers } from "./work/workers.ts";

export type { BullmqConnection } from "./connection.ts";

/** What {@link bullmqInbox} takes. */
export interface BullmqInboxOptions {
  /**
   * An ioredis `Redis` or `Cluster`, or the options for a `Redis`. A client stays yours: the inbox opens
   * connections of its own, with its settings: Sentinel, TLS, a user name.
   */
  connection: BullmqConnection;
  /**
   * The queue's name. Conflicts are in a queue beside it, `<queue>-conflicts`. Set it where two shops,
   * or two environments, share a Redis. In a Redis Cluster, the name is put into braces.
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
  /**
   * On how many queues the events are, by their keys: `<queue>`, `<queue>-2` and so on, each in a slot
   * of its own. Set it where one node of a Redis Cluster cannot take all events. It can be raised, not
   * lowered: the highest number that a process asked for counts for all.
   * @default 1
   */
  shards?: number | undefined;
  /**
   * How many replicas must have an event before it is acknowledged. Set it where a replica may take over
   * from the Redis: with 1, no acknowledged event is lost if the replica that has it takes over. While
   * fewer are connected, deliveries are not acknowledged.
   * @default 0
   */
  replicas?: number | undefined;
  /**
   * How long processed events are remembered, in milliseconds, so that late duplicates are recognised.
   * Set it shorter where Redis is short of memory, but longer than the service retries a delivery.
   * @default 14 days
   */
  retentionMs?: number | undefined;
  /** @internal */
  pace?: Pace | undefined;
}

const OPTIONS = ["connection", "queue", "shards", "replicas", "retentionMs", "pace"];

/** More queues than this cost more connections than they are worth. */
const MAX_SHARDS = 64;

interface BullmqInboxSettings extends BullmqWorkerSettings {
  readonly queue: string;
  readonly shards: number;
  readonly replicas: number;
}

class BullmqInbox {
  readonly #connection: BullmqConnection;
  readonly #settings: BullmqInboxSettings;
  readonly #redis: RedisClient;
  readonly #shards: Shards;
  /** Waits a moment for a Redis that is away. */
  readonly #ready: () => Promise<void> | undefined;
  #workers: Workers | undefined;
  #options: WorkerOptions | undefined;

  constructor(connection: BullmqConnection, settings: BullmqInboxSettings) {
    this.#connection = connection;
    this.#settings = settings;
    this.#redis = connectToAccept(connection, settings.engineTimeoutMs);
    const maxAgeMs = (settings.pace.leaseMs * 2) / 3;
    this.#shards = new Shards(this.#redis, { ...settings, maxAgeMs });
    this.#ready = readyWaiter(this.#redis);
  }

  async accept(delivery: NewDelivery): Promise<Receipt> {
    const ready = this.#ready();
    if (ready !== undefined) await ready;
    return this.#shards.accept(delivery);
  }

  async start(given: WorkerOptions): Promise<void> {
    if (this.#workers !== undefined) throw alreadyStarted();
    const options = { ...given, onError: reportOncePerMinute(given.onError) };
    this.#options = options;
    const redis = connectToWork(this.#connection);
    this.#workers = new Workers(redis, this.#shards, options, this.#settings);
    const check = () => this.#reportDurability(options).catch(options.onError);
    if (this.#redis.status === "ready") void check();
    else this.#redis.once("ready", check);
  }

  async #reportDurability({ onError }: WorkerOptions): Promise<void> {
    const problems = await checkDurability(this.#redis, this.#settings.replicas);
    for (const problem of problems) onError(problem);
  }

  async stop(timeoutMs: number): Promise<void> {
    await this.#workers?.stop(timeoutMs);
    const { engineTimeoutMs } = this.#settings;
    const onError = this.#options?.onError ?? (() => {});
    await withTimeout(this.#shards.close(), engineTimeoutMs, noReply).catch(onError);
    this.#redis.disconnect();
  }

  /** All queues, when they can be used. */
  readonly shards = async () => {
    await this.#ready();
    const shards = await this.#shards.all();
    await Promise.all(shards.map(({ unprepared }) => unprepared));
    return shards;
  };

  async stats(): Promise<InboxStats> {
    return inboxStats(await this.shards(), this.#options?.kinds);
  }
}

/**
 * Keeps deliveries in a BullMQ queue: one job for each event, processed by any process on that Redis,
 * visible in every dashboard for BullMQ. Install `bullmq` and `ioredis` yourself.
 *
 * Deliveries are as safe as the Redis: set `appendonly yes`, `appendfsync always` and
 * `maxmemory-policy noeviction`. Where a setting differs, `onError` is called at the start.
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
  const retentionMs = checkRetention(own.retentionMs);
  const shards = checkWholeNumber("shards", own.shards ?? 1, 1, MAX_SHARDS);
  const replicas = checkWholeNumber("replicas", own.replicas ?? 0, 0);
  if (typeof connection !== "object") {
    throw new ConfigurationError(
      `\`connection\` must be an ioredis client or its options; got ${describeValue(connection)}.`,
    );
  }
  const settings = { queue, shards, replicas, pace, engineTimeoutMs, retentionMs };
  const inbox = new BullmqInbox(connection, settings);
  const forgetMs = Math.ceil(retentionMs);
  // Functions of their own, so that an inbox may be spread into another.
  return {
    retentionMs,
    accept: (delivery) => inbox.accept(delivery),
    start: (workerOptions) => inbox.start(workerOptions),
    stop: (timeoutMs) => inbox.stop(timeoutMs),
    stats: () => inbox.stats(),
    deadLetters: deadLetterList(inbox.shards, forgetMs),
    conflicts: conflictList(inbox.shards, forgetMs, replicas),
  };
}
