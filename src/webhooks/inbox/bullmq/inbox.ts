import type { Job, Queue } from "bullmq";
import { ConfigurationError } from "../../../errors/configuration.ts";
import {
  checkOptions,
  checkText,
  checkWholeNumber,
  type OptionRows,
  wrongOption,
} from "../../../internal/check-options.ts";
import { durabilityProblems } from "../../../internal/redis/durability.ts";
import { waitAtMost, withTimeout } from "../../../internal/timeout.ts";
import { EngineAwayError, isPermanent } from "../../../storage/engine-away.ts";
import { alreadyStarted, DeletedError } from "../errors.ts";
import type {
  DrainLimits,
  DrainResult,
  Horizon,
  Inbox,
  InboxStats,
  WorkerOptions,
} from "../inbox-types.ts";
import { QUEUES, queueOf, queuesWith } from "../kinds.ts";
import { DEFAULT_PACE, INBOX_OPTIONS, MAX_RETRY_WAIT_MS, type Pace } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import { LEDGER_SCRIPTS } from "./ledger.ts";
import { dueJobs, inboxStats, listsOf } from "./lists.ts";
import { unreadableEvent } from "./processor.ts";
import { InboxQueue, type QueueSettings } from "./queue.ts";
import {
  type BullmqConnection,
  connectToStore,
  connectToWork,
  type RedisClient,
  RedisClock,
  untilReady,
} from "./redis-connections.ts";
import { failureOf, retryAt, storedEventIn } from "./redis-layout.ts";
import { Workers } from "./workers.ts";

export type { BullmqConnection } from "./redis-connections.ts";

/** What `bullmqInbox` takes. */
export interface BullmqInboxOptions {
  /**
   * An ioredis `Redis` or `Cluster`, or the options for a `Redis`. A client stays yours: the inbox opens
   * its own connections, with your settings: Sentinel, TLS, a user name.
   */
  connection: BullmqConnection;
  /**
   * The name of the inbox. Its queues are `{<queue>-payment.completed}` and so on, one for each of eight kinds
   * of events, and `{<queue>-other}` for all other kinds. Set it if two shops, or two environments, share a Redis.
   * Letters, digits, `.`, `_` and `-`. Another name is another, empty inbox: first let the old one run empty.
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
  /**
   * How many replicas must have an event before it is acknowledged. Set it if a replica may take over
   * from the Redis: with 1, no acknowledged event is lost if the replica that has it takes over. While
   * fewer are connected, deliveries are not acknowledged.
   * @default 0
   */
  replicas?: number | undefined;
  /**
   * How long processed events are remembered, in milliseconds, so that late duplicates are recognised: at
   * least one day, at most 68 years. Set it shorter if Redis is short of memory, but longer than the
   * service retries a delivery.
   * @default 14 days
   */
  retentionMs?: number | undefined;
  /** @internal */
  pace?: Pace | undefined;
}

function checkConnection(connection: BullmqInboxOptions["connection"]): typeof connection {
  if (typeof connection === "object") return connection;
  throw wrongOption("connection", "an ioredis client or its options", connection);
}

const QUEUE = '1 to 100 letters, digits, ".", "_" and "-"';

const OPTIONS = {
  ...INBOX_OPTIONS,
  connection: checkConnection,
  queue: (queue = "malipo-webhooks") => checkText("queue", queue, /^[\w.-]{1,100}$/, QUEUE),
  replicas: (count = 0) => checkWholeNumber("replicas", count, 0),
} satisfies OptionRows<BullmqInboxOptions>;

/** How long a start waits for Redis. After that, the start goes on in the background. */
const MAX_START_MS = 2_000;

/** How long a delivery waits until the horizon is read. */
const MAX_HORIZON_MS = 2_000;

/** Its node in a Redis Cluster has the double payments. */
const DOUBLE_PAYMENTS_QUEUE = "payment.completed";

/** How many jobs are looked at, or removed, each time. */
const PAGE = 1_000;

/**
 * What one process does for a queue from time to time. Resolves with how many events it deleted that no
 * process worked on.
 */
async function upkeep(inboxQueue: InboxQueue, isWorkedOn: boolean): Promise<number> {
  const queue = await inboxQueue.open();
  await inboxQueue.touch(isWorkedOn);
  await freeLateRetries(queue, inboxQueue.clock.now());
  await buryFailed(queue, inboxQueue);
  if (!(await inboxQueue.isAbandoned())) return 0;
  return forget(queue, inboxQueue);
}

/**
 * Frees the retries that wait too long. BullMQ goes by the clock of the process that planned a retry, and by
 * that of the one that looks for it. If this one is behind, it takes a retry for late that is planned for a
 * moment which no clock can explain, or which is over by the clock of Redis.
 */
async function freeLateRetries(queue: Queue, now: number): Promise<void> {
  const isLate = (job: Job) => {
    const at = retryAt(job);
    return at > Date.now() + MAX_RETRY_WAIT_MS && (at <= now || at > now + MAX_RETRY_WAIT_MS);
  };
  const late = new Map<string, Job>();
  // Those that are due first, and those that are due last.
  for (const isFirst of Date.now() < now - MAX_RETRY_WAIT_MS ? [true, false] : [false]) {
    const jobs = await queue.getJobs(["delayed"], 0, PAGE - 1, isFirst);
    for (const job of jobs.filter(isLate)) late.set(job.id as string, job);
  }
  for (const job of late.values()) await job.promote().catch(() => {});
}

/** Makes dead letters of jobs that BullMQ, or a person with a dashboard, has failed. */
async function buryFailed(queue: Queue, { ledger }: InboxQueue): Promise<void> {
  for (const job of await queue.getJobs(["failed"], 0, PAGE - 1)) {
    const error = failureOf(job) || "BullMQ has failed the job of this event.";
    const unreadable = unreadableEvent(job, error);
    await ledger.bury(job.id as string, { ...unreadable, ...storedEventIn(job.data) });
    await job.remove();
  }
}

/** Deletes events that waited for the whole retention, while no process worked on their queue. */
async function forget(queue: Queue, { ledger, clock, settings }: InboxQueue): Promise<number> {
  // The method goes by the clock of this process, the jobs by that of Redis.
  const graceMs = Math.max(0, Date.now() - (clock.now() - settings.retentionMs));
  let count = 0;
  for (const state of ["wait", "delayed"] as const) {
    const ids = await queue.clean(graceMs, PAGE, state);
    if (ids.length > 0) await ledger.forget(ids);
    count += ids.length;
  }
  return count;
}

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
    this.#redis = connectToStore(connection, this.#stopped.signal, engineTimeoutMs, LEDGER_SCRIPTS);
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
    const queues = queuesWith(options.kinds).map((name) => this.queue(name));
    return new Workers(redis, queues, options, this.#settings.pace, limit);
  }

  async start(given: WorkerOptions): Promise<void> {
    if (this.#workers !== undefined) throw alreadyStarted();
    const options = { ...given, onError: reportOncePerMinute(given.onError) };
    this.#options = options;
    this.#workers = this.#workersFor(options);
    const workers = this.#workers;
    const started = Promise.all([workers.started, this.#checkAccess()]);
    try {
      if (!(await waitAtMost(started, MAX_START_MS))) started.catch(options.onError);
    } catch (error) {
      await workers.stop(0);
      this.#workers = undefined;
      throw error;
    }
    void this.#reportDurability(options).catch(options.onError);
  }

  /** Also without a handler, Redis must take deliveries. @throws {ConfigurationError} if it never will. */
  async #checkAccess(): Promise<void> {
    try {
      await this.queue(DOUBLE_PAYMENTS_QUEUE).open();
    } catch (error) {
      // What heals is reported by the workers, and by each delivery.
      if (isPermanent(error)) throw error;
    }
  }

  async #reportDurability({ onError }: WorkerOptions): Promise<void> {
    if (this.#redis.status !== "ready") {
      await new Promise((resolve) => this.#redis.once("ready", resolve));
    }
    const problems = await durabilityProblems(this.#redis, this.#settings.replicas, "redis");
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
    const worksOn = this.#options && queuesWith(this.#options.kinds);
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
    const queues = await Promise.all(
      (await this.open(queuesWith(options.kinds))).map((one) => one.open()),
    );
    const left = await Promise.all(queues.map(dueJobs));
    return { processed, left: left.reduce((sum, due) => sum + due, 0) };
  }

  /** By the queues that can be read: in a cluster, one node may be down. */
  async horizon(): Promise<Horizon> {
    const late = () => new EngineAwayError("Redis does not reply.");
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
    const now = this.#clock.now();
    return inboxStats(this.#redis, await this.open(), now, this.#options?.kinds);
  }
}

/**
 * Keeps deliveries in Redis, for many processes: a record for each event, and a job of BullMQ for each one
 * that is to be processed, visible in every dashboard for BullMQ. Install `bullmq` and `ioredis` yourself.
 *
 * Deliveries are as safe as the Redis: set `appendonly yes`, `appendfsync always` and
 * `maxmemory-policy noeviction`. If a setting differs, `onError` is called at the start.
 *
 * While Redis is away, deliveries are returned with 503, so that the service sends them again, and
 * `onError` is called at most once a minute. `receiver.start()` waits for it for 2 s, and then resolves:
 * events are processed as soon as Redis is there. `receiver.stop()` closes all connections of the inbox,
 * so there is nothing else to close. A client that you passed stays open: close it yourself.
 *
 * A handler has no `transaction` here: use its `idempotencyKey`.
 *
 * @throws {ConfigurationError} for an unknown option, a wrong value or a missing connection.
 */
export function bullmqInbox(options: BullmqInboxOptions): Inbox {
  const own = checkOptions(options, OPTIONS, "The inbox of redis");
  const { connection, queue, retentionMs, replicas, pace } = own;
  const { engineTimeoutMs = DEFAULT_PACE.engineTimeoutMs } = pace;
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
