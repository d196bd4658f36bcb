import { type ChainableCommander, type Cluster, Redis, type RedisOptions } from "ioredis";
import { isReadOnly } from "../../../internal/redis/replication.ts";
import { withTimeout } from "../../../internal/timeout.ts";
import { EngineAwayError, isPermanent } from "../../../storage/engine-away.ts";
import { explained } from "../../../storage/redis/redis-errors.ts";

/** An ioredis `Redis` or `Cluster`, which stays yours, or the options for a `Redis`. */
export type BullmqConnection =
  | Redis
  | Cluster
  | (RedisOptions & { readonly url?: string | undefined });

/** A `Redis`, or a `Cluster`: the commands that the inbox uses have the same types. */
export type RedisClient = Redis;

/** Several commands in one round trip. All of their keys are in one slot. */
export type Pipeline = ChainableCommander;

/** What the inbox sets for its connections. */
type OwnOptions = Omit<RedisOptions, "scripts"> & {
  readonly scripts?: Record<string, { readonly lua: string }>;
};

/** How long to wait for a connection to close before its socket is destroyed. */
const DISCONNECT_MS = 300;

/** A connection of the inbox, to the same Redis. It does not reconnect once the signal has aborted. */
function connect(connection: BullmqConnection, signal: AbortSignal, ours: OwnOptions): RedisClient {
  const redis = open(connection, signal, ours);
  // Each queue listens on the connection.
  redis.setMaxListeners(0);
  // Without a listener, Node ends the process when Redis is away.
  redis.on("error", (error) => failures.set(redis, explained(error)));
  redis.on("ready", () => failures.delete(redis));
  return redis;
}

/** What a connection that is not ready failed with last. */
const failures = new WeakMap<RedisClient, unknown>();

function open(connection: BullmqConnection, signal: AbortSignal, ours: OwnOptions): RedisClient {
  // Without end, whatever the user set for other uses: a Redis that is back must be found.
  const retryStrategy = (times: number) => (signal.aborted ? null : Math.min(times * 100, 2_000));
  // BullMQ reads only this form of replies, whatever the user set for other uses.
  const replyMapping = "legacy" as const;
  const disconnectTimeout = DISCONNECT_MS;
  // A duplicate of a client that connects at its first command would wait for one, and commands are not queued here.
  const lazyConnect = false;
  const options = {
    ...ours,
    lazyConnect,
    reconnectOnError: isReadOnly,
    disconnectTimeout,
    replyMapping,
  };
  if ("nodes" in connection) {
    const { enableOfflineQueue = true, scripts = {} } = ours;
    return connection.duplicate([], {
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue,
      replyMapping,
      scripts,
      redisOptions: options,
    }) as unknown as RedisClient;
  }
  const all = { ...options, retryStrategy };
  // Through `unknown`: the compiler would compare every command of two forms of the client, for seconds.
  if ("duplicate" in connection) return connection.duplicate(all) as unknown as RedisClient;
  const { url, ...rest } = connection;
  return url === undefined ? new Redis({ ...rest, ...all }) : new Redis(url, { ...rest, ...all });
}

/** Lua texts by their names. */
export type Scripts = Readonly<Record<string, string>>;

/**
 * For what may fail: calls with a sender that waits, and those that are tried again.
 *
 * @param scripts - What `runScript` runs on it.
 */
export const connectToStore = (
  connection: BullmqConnection,
  signal: AbortSignal,
  timeoutMs: number,
  scripts: Scripts,
): RedisClient =>
  connect(connection, signal, {
    scripts: Object.fromEntries(Object.entries(scripts).map(([name, lua]) => [name, { lua }])),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: timeoutMs,
    // Destroys a connection to a Redis that hangs, with what was sent on it.
    socketTimeout: timeoutMs,
  });

/** For BullMQ's workers: their calls wait rather than fail. */
export const connectToWork = (connection: BullmqConnection, signal: AbortSignal): RedisClient =>
  connect(connection, signal, { maxRetriesPerRequest: null });

/** In this time a restarted Redis is back, and the delivery is accepted after all. */
const MAX_READY_WAIT_MS = 2_000;

/**
 * Resolves when Redis is reached, or rejects before a sender has waited too long.
 *
 * @throws {ConfigurationError} at once for what waiting cannot heal, such as a wrong password.
 */
export async function untilReady(redis: RedisClient): Promise<void> {
  if (redis.status === "ready") return;
  let onReady = () => {};
  let onError = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    onReady = resolve;
    onError = () => {
      const failure = failures.get(redis);
      if (isPermanent(failure)) reject(failure);
    };
    redis.once("ready", onReady);
    redis.on("error", onError);
    onError();
  });
  const error = () => new EngineAwayError(`Redis cannot be reached (${redis.status}).`);
  await withTimeout(ready, MAX_READY_WAIT_MS, error).finally(() => {
    redis.off("ready", onReady);
    redis.off("error", onError);
  });
}

/** The reply of each command. @throws the error of the first one that failed. */
export async function runAll(pipeline: Pipeline): Promise<unknown[]> {
  const replies = (await pipeline.exec()) ?? [];
  for (const [error] of replies) if (error) throw error;
  return replies.map(([, reply]) => reply);
}

/**
 * Runs a script of the connection. Redis has its text after the first time, and is sent only its digest; a
 * Redis that has forgotten it, or another node, is sent the text again.
 */
export async function runScript(
  redis: RedisClient,
  name: string,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  type Run = (...args: readonly (string | number)[]) => Promise<unknown>;
  const run = redis[name as keyof RedisClient] as unknown as Run;
  return run.call(redis, keys.length, ...keys, ...values);
}

/** Collects what comes in one turn of the event loop, and sends it as one command. */
export class Together<Item, Reply> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Reply[]>;
  #next: { readonly items: Item[]; readonly replies: Promise<readonly Reply[]> } | undefined;

  /** @param send - Resolves with the reply of each item. */
  constructor(send: (items: readonly Item[]) => Promise<readonly Reply[]>) {
    this.#send = send;
  }

  async add(item: Item): Promise<Reply> {
    this.#next ??= this.#begin();
    const { items, replies } = this.#next;
    const at = items.push(item) - 1;
    return (await replies)[at] as Reply;
  }

  #begin() {
    const items: Item[] = [];
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const replies = turn.then(() => {
      this.#next = undefined;
      return this.#send(items);
    });
    return { items, replies };
  }
}

/** The time of Redis, between two readings by a clock that cannot be set. */
export class RedisClock {
  #offsetMs: number = performance.timeOrigin;

  /** Sets it by the reply of `TIME`. */
  read(reply: unknown): number {
    const [seconds, microseconds] = reply as [string, string];
    const now = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    this.#offsetMs = now - performance.now();
    return now;
  }

  /** In milliseconds since the epoch. */
  now(): number {
    return Math.round(performance.now() + this.#offsetMs);
  }
}
