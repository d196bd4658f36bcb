/**
 * Idempotency keys, events and wake-ups in one Redis, for all processes of all machines.
 *
 * @module malipo/redis
 */

import { type Cluster, Redis } from "ioredis";
import type { Wakeups } from "../client/wakeups/local.ts";
import { redisWakeups } from "../client/wakeups/redis-wakeups.ts";
import type { WakeupsEngine } from "../client/wakeups/wakeups-engine.ts";
import { createDigest } from "../idempotency/digest.ts";
import type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { redisIdempotency } from "../idempotency/redis/store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../idempotency/store-options.ts";
import {
  checkOptions,
  checkText,
  checkWholeNumber,
  type OptionRows,
  wrongOption,
} from "../internal/check-options.ts";
import { isObject } from "../internal/is-object.ts";
import { once } from "../internal/once.ts";
import { durabilityProblems } from "../internal/redis/durability.ts";
import { warnOnce } from "../internal/warn-once.ts";
import { explained } from "../storage/redis/redis-errors.ts";
import type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";
import type { Inbox } from "../webhooks/inbox/inbox-types.ts";
import { INBOX_OPTIONS } from "../webhooks/inbox/pace.ts";
import {
  EngineLife,
  failuresOf,
  lateInbox,
  lateStore,
  lateWakeups,
  PartsByOptions,
  type StoredPart,
  type StoredSettings,
  withPackage,
} from "./engine-life.ts";

export type { WakeupsEngine } from "../client/wakeups/wakeups-engine.ts";
export type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
export type { IdempotencyStoreOptions } from "../idempotency/store-options.ts";
export type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";

/** How an engine works on Redis. */
export interface RedisOptions {
  /**
   * The prefix of the idempotency keys in Redis. Set it if two applications share a Redis. The store puts it into
   * braces, a hash tag, so that a Redis Cluster keeps all its keys on one node; a prefix that has a hash tag is
   * used unchanged.
   *
   * @default "{malipo:idempotency}:"
   */
  prefix?: string | undefined;
  /**
   * How many replicas must have an attempt before anything is sent, and an event before it is acknowledged. Set
   * it if a replica may take over from the Redis: with 1, nothing is lost if the replica that has it takes over.
   * While fewer are connected, calls are rejected, nothing is sent, and deliveries are not acknowledged.
   *
   * @default 0
   */
  replicas?: number | undefined;
  /**
   * A secret that keys the digests of phones, amounts and account references. Keep it outside the Redis, give
   * every process the same one, and do not change it. Set it if others may read the Redis.
   *
   * @default none
   */
  pepper?: string | Uint8Array | undefined;
  /**
   * The pub/sub channel that carries wake-ups. Set it if two applications share a Redis.
   *
   * @default "malipo:wakeups"
   */
  channel?: string | undefined;
  /**
   * Gets one warning, at the first attempt with an idempotency key, if the Redis may forget it: without an
   * append-only file, with an eviction policy, or with replicas that are not waited for. Set it to send the
   * warning to your log.
   *
   * @default `console.warn`
   */
  onWarning?: ((warning: string) => void) | undefined;
}

/** What an inbox in Redis takes. */
export interface RedisInboxOptions extends InboxOptions {
  /**
   * The name of the inbox. Its queues are `{<queue>-payment.completed}` and so on, one for each of eight kinds
   * of events, and `{<queue>-other}` for all other kinds. Set it if two shops, or two environments, share a Redis.
   * At most 100 letters, digits, `.`, `_` and `-`. Another name is another, empty inbox: first let the old one run
   * empty.
   *
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
}

/** What {@link redis} returns. */
export interface RedisEngine extends IdempotencyEngine, InboxEngine, WakeupsEngine {
  /**
   * The store of idempotency keys. The same options return the same store.
   *
   * @param options - `pepper` has the default of the engine.
   * @throws {ConfigurationError} for a wrong option, and after `close`.
   */
  idempotency(options?: IdempotencyStoreOptions): IdempotencyStore;
  /**
   * An inbox: a record for each event, and a job of BullMQ for each one that is to be processed, visible in every
   * dashboard for BullMQ. Install `bullmq` yourself if you use it. It opens its own connections, with the settings
   * of your client, and `receiver.stop()` closes them. A handler has no `transaction` here: use its
   * `idempotencyKey`.
   *
   * @throws {ConfigurationError} for a wrong option, and after `close`.
   */
  inbox(options?: RedisInboxOptions): Inbox;
  /**
   * Wake-ups between machines, over pub/sub: a webhook that arrives at one ends a wait at another with the next
   * read. They are only hints: a lost one makes a wait some seconds longer, and loses no payment. It subscribes on
   * a duplicate of the client, from the first wait on.
   *
   * @throws {ConfigurationError} after `close`.
   */
  wakeups(): Wakeups;
  /**
   * Connects. Resolves when the Redis has responded; rejects if it cannot be reached.
   *
   * @throws {ConfigurationError} if it rejects the password or the user.
   */
  open(): Promise<void>;
  /** Closes what the engine has opened. A client that you passed stays open. Call it when the process stops. */
  close(): Promise<void>;
  /**
   * Says what is wrong, a sentence for each: settings with which the Redis loses what it acknowledged, keys of
   * another version, or that it cannot be reached. An empty list says that nothing was found.
   */
  check(): Promise<string[]>;
  /** @internal What is stored of a part; `undefined` if nothing is. It makes nothing. */
  stored(part: StoredPart, queue?: string): Promise<StoredSettings | undefined>;
}

const QUEUE = "malipo-webhooks";
const QUEUE_EXPECTED = '1 to 100 letters, digits, ".", "_" and "-"';

const OPTIONS = {
  prefix: (prefix) =>
    prefix === undefined ? undefined : checkText("prefix", prefix, /./s, "a non-empty string"),
  replicas: (count = 0) => checkWholeNumber("replicas", count, 0),
  pepper: STORE_OPTIONS.pepper,
  channel: (channel = "malipo:wakeups") =>
    checkText("channel", channel, /./s, "a non-empty string"),
  onWarning: warnOnce,
} satisfies OptionRows<RedisOptions>;

const PART_OPTIONS = {
  ...INBOX_OPTIONS,
  queue: (queue = QUEUE) => checkText("queue", queue, /^[\w.-]{1,100}$/, QUEUE_EXPECTED),
} satisfies OptionRows<RedisInboxOptions>;

type Client = Redis | Cluster;

/** See `Inbox.place`. A cluster that the user passes is known by itself. */
function placeOf(source: string | Client, queue: string): unknown {
  if (typeof source === "string") return JSON.stringify(["redis", source, queue]);
  if ("nodes" in source) return source;
  const { host, port, path, db } = source.options;
  return JSON.stringify(["redis", { host, port, path, db }, queue]);
}

function checkSource(source: string | Client): string | Client {
  if (typeof source === "string" && /^rediss?:\/\//.test(source)) return source;
  if (isObject(source) && typeof source.duplicate === "function")
    return source as unknown as Client;
  throw wrongOption(
    "source",
    "an address such as redis://localhost:6379, or an ioredis client",
    source,
  );
}

/**
 * Keeps idempotency keys and events in Redis, and carries wake-ups: for all machines that share the Redis, and
 * across their crashes. Install `ioredis` yourself, and `bullmq` if you use the inbox.
 *
 * Set up the Redis with `appendonly yes`, `appendfsync always` and a `maxmemory-policy` of `noeviction`, and with
 * `replicas` if a replica may take over. A Redis that loses what it acknowledged, in a crash, a failover or an
 * eviction, loses keys and events: `check()` says so. Leases are measured by its clock: a clock that jumps forward
 * ends them early. It works with a Redis Cluster and behind Sentinel.
 *
 * While the Redis is away, calls with a key are rejected and nothing is sent, and deliveries are returned with 503,
 * so that the service sends them again.
 *
 * It cannot hold the orders of a checkout: use `sqlite()` or `postgres()`.
 *
 * @param source - The address of the Redis, or your own ioredis `Redis` or `Cluster`, which you close yourself. A
 * `Redis` that became a replica rejects writes: give a client that you use for other commands, too,
 * `reconnectOnError: (error) => error.message.includes("READONLY")`.
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 * import { redis } from "malipo/redis";
 * import { createWebhookReceiver } from "malipo/webhooks";
 *
 * const db = redis("redis://localhost:6379");
 * const gateway = new Gateway({ idempotency: db, wakeups: db });
 * const receiver = createWebhookReceiver({ inbox: db, wakeups: db });
 * ```
 */
export function redis(source: string | Redis | Cluster, options: RedisOptions = {}): RedisEngine {
  const own = checkOptions(options, OPTIONS, "redis");
  checkSource(source);
  const life = new EngineLife("redis(url)");
  const client = clientOf(source, life);

  const keys = new PartsByOptions((given: IdempotencyStoreOptions) => {
    const { prefix, replicas, onWarning } = own;
    // It connects at its first use.
    return lateStore(
      once(async () => redisIdempotency(client(), { ...given, prefix, replicas, onWarning })),
      createDigest(given.pepper),
      () => life.check(),
    );
  });
  const idempotency = (given: IdempotencyStoreOptions = {}) => {
    life.check();
    const options = { ...given, pepper: given.pepper ?? own.pepper };
    return keys.get(checkOptions(options, STORE_OPTIONS, "The idempotency store of redis"));
  };
  let wakeups: Wakeups | undefined;
  return {
    idempotency,
    inbox: (given = {}) => {
      life.check();
      const checked = checkOptions(given, PART_OPTIONS, "The inbox of redis");
      const inbox = lateInbox(async () => {
        life.check();
        const { bullmqInbox } = await loadInbox();
        const connection = typeof source === "string" ? { url: source } : source;
        return bullmqInbox({ ...checked, connection, replicas: own.replicas });
      }, checked.retentionMs);
      life.onClose(() => inbox.stop(0));
      return { ...inbox, place: () => placeOf(source, checked.queue) };
    },
    wakeups: () => {
      life.check();
      wakeups ??= lateWakeups(life, () => connectWakeups(client(), own.channel));
      return wakeups;
    },
    open: async () => {
      await client()
        .ping()
        .catch((error: unknown) => {
          throw explained(error);
        });
    },
    close: () => life.close(),
    check: async () => {
      const redis = client();
      try {
        const problems = await durabilityProblems(redis, own.replicas, "redis");
        return [...problems, ...(await failuresOf(() => idempotency().list({ limit: 1 })))];
      } catch (error) {
        return failuresOf(() => {
          throw explained(error);
        });
      }
    },
    stored: async (part, queue = QUEUE) => {
      if (part !== "inbox") return {};
      await loadInbox();
      const { storedRetentionMs } = await import("../webhooks/inbox/bullmq/queue.ts");
      const retentionMs = await storedRetentionMs(client() as Redis, queue);
      return retentionMs === undefined ? undefined : { retentionMs };
    },
  };
}

const loadInbox = () =>
  withPackage("bullmq", "The inbox of redis", () => import("../webhooks/inbox/bullmq/inbox.ts"));

/** The client of the user, or one of the engine, which connects at its first use. */
function clientOf(source: string | Client, life: EngineLife): () => Client {
  let made: Client | undefined;
  return () => {
    life.check();
    if (made !== undefined) return made;
    made = typeof source === "string" ? new Redis(source) : source;
    if (typeof source !== "string") return made;
    const own = made as Redis;
    // Without a listener, each failed attempt to connect is printed. The command itself rejects.
    own.on("error", () => {});
    // What was sent has its reply first, unless there is no connection.
    life.onClose(() => (own.status === "ready" ? own.quit() : own.disconnect()));
    return made;
  };
}

/** Wake-ups on a duplicate of the client, which is closed with them. */
function connectWakeups(publisher: Client, channel: string): Wakeups & { close(): Promise<void> } {
  // A cluster has the same methods here.
  const subscriber = (publisher as Redis).duplicate();
  subscriber.on("error", () => {});
  const made = redisWakeups({ publisher, subscriber }, { channel });
  return {
    ...made,
    close: async () => {
      await made.close();
      subscriber.disconnect();
    },
  };
}
