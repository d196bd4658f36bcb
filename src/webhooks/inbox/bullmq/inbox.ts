/**
 * An inbox in Redis, by BullMQ: for many machines.
 *
 * @module malipo/inbox/bullmq
 */

import type { Redis } from "ioredis";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { checkOptionNames, describeValue } from "../../../internal/check-options.ts";
import { withTimeout } from "../../../internal/timeout.ts";
import { alreadyStarted } from "../errors.ts";
import { checkRetention, DEFAULT_PACE, type Pace } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import type { DeadLetter, Inbox, NewDelivery, Receipt, WorkerOptions } from "../types.ts";
import {
  type BullmqConnection,
  checkDurability,
  connectToAccept,
  connectToWork,
  noReply,
  readyWaiter,
} from "./connection.ts";
import { DeliveryQueue } from "./queue.ts";
import { BullmqWorker, type BullmqWorkerSettings } from "./worker.ts";

export type { BullmqConnection } from "./connection.ts";

/** What {@link bullmqInbox} takes. */
export interface BullmqInboxOptions {
  /** An ioredis client or its options. A client stays yours: the inbox opens connections of its own. */
  connection: BullmqConnection;
  /**
   * The queue's name. Conflicts are in a queue beside it, `<queue>-conflicts`. Set it where two shops,
   * or two environments, share a Redis.
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
  /**
   * How long processed events are remembered, in milliseconds, so that late duplicates are recognised.
   * Set it shorter where Redis is short of memory, but longer than the service retries a delivery.
   * @default 14 days
   */
  retentionMs?: number | undefined;
  /** @internal */
  pace?: Pace | undefined;
}

const OPTIONS = ["connection", "queue", "retentionMs", "pace"];

class BullmqInbox {
  readonly #connection: BullmqConnection;
  readonly #settings: BullmqWorkerSettings;
  readonly #redis: Redis;
  readonly #queue: DeliveryQueue;
  /** Waits a moment for a Redis that is away. */
  readonly #ready: () => Promise<void> | undefined;
  #worker: BullmqWorker | undefined;
  #clockCheck: ReturnType<typeof setInterval> | undefined;
  #onError: WorkerOptions["onError"] = () => {};

  constructor(connection: BullmqConnection, settings: BullmqWorkerSettings) {
    this.#connection = connection;
    this.#settings = settings;
    this.#redis = connectToAccept(connection, settings.engineTimeoutMs);
    this.#queue = new DeliveryQueue(settings.queue, this.#redis, settings.engineTimeoutMs);
    this.#ready = readyWaiter(this.#redis);
  }

  async accept(delivery: NewDelivery): Promise<Receipt> {
    await this.#ready();
    return this.#queue.accept(delivery);
  }

  async start(options: WorkerOptions): Promise<void> {
    if (this.#worker !== undefined) throw alreadyStarted();
    const onError = reportOncePerMinute(options.onError);
    this.#onError = onError;
    const redis = connectToWork(this.#connection);
    this.#worker = new BullmqWorker(redis, { ...options, onError }, this.#settings);
    const check = () => this.#reportDurability().catch(onError);
    if (this.#redis.status === "ready") void check();
    else this.#redis.once("ready", check);
    this.#clockCheck = setInterval(() => {
      if (this.#redis.status === "ready") void this.#queue.freeLateRetries().catch(onError);
    }, this.#settings.pace.leaseMs);
  }

  async #reportDurability(): Promise<void> {
    for (const problem of await checkDurability(this.#redis)) this.#onError(problem);
  }

  async stop(timeoutMs: number): Promise<void> {
    clearInterval(this.#clockCheck);
    await this.#worker?.stop(timeoutMs);
    const { engineTimeoutMs } = this.#settings;
    await withTimeout(this.#queue.close(), engineTimeoutMs, noReply).catch(this.#onError);
    this.#redis.disconnect();
  }

  async deadLetters(): Promise<DeadLetter[]> {
    await this.#ready();
    return this.#queue.deadLetters();
  }

  async requeue(id: string): Promise<void> {
    await this.#ready();
    await this.#queue.requeue(id);
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
  checkOptionNames(options, OPTIONS, "bullmqInbox");
  const { connection, queue = "malipo-webhooks", pace = DEFAULT_PACE } = options;
  const { engineTimeoutMs = DEFAULT_PACE.engineTimeoutMs } = pace;
  const retentionMs = checkRetention(options.retentionMs);
  if (typeof connection !== "object") {
    throw new ConfigurationError(
      `\`connection\` must be an ioredis client or its options; got ${describeValue(connection)}.`,
    );
  }
  const inbox = new BullmqInbox(connection, { queue, pace, engineTimeoutMs, retentionMs });
  // Functions of their own, so that an inbox may be spread into another.
  return {
    accept: (delivery) => inbox.accept(delivery),
    start: (workerOptions) => inbox.start(workerOptions),
    stop: (timeoutMs) => inbox.stop(timeoutMs),
    deadLetters: () => inbox.deadLetters(),
    requeue: (id) => inbox.requeue(id),
  };
}
