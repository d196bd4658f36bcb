import { type Cluster, Redis, type RedisOptions } from "ioredis";
import { withTimeout } from "../../../internal/timeout.ts";
import { recordCommands } from "./shards/batch.ts";
import { defineScripts, type RedisClient } from "./shards/scripts.ts";

/** An ioredis `Redis` or `Cluster`, which stays yours, or the options for a `Redis`. */
export type BullmqConnection =
  | Redis
  | Cluster
  | (RedisOptions & { readonly url?: string | undefined });

// Without end, whatever the user set for other uses: a Redis that is back must be found.
const retryStrategy = (times: number) => Math.min(times * 100, 2_000);

/** A Redis that became a replica keeps its connections open: only a new one leads to its successor. */
const isReplica = (error: Error) => error.message.includes("READONLY");

/** A connection of the inbox, to the same Redis. */
function connect(connection: BullmqConnection, ours: RedisOptions): RedisClient {
  // BullMQ reads only this form of replies, whatever the user set for other uses.
  const replyMapping = "legacy" as const;
  const options = { ...ours, reconnectOnError: isReplica, replyMapping };
  if ("nodes" in connection) {
    const { enableOfflineQueue = true } = ours;
    return connection.duplicate([], {
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue,
      replyMapping,
      redisOptions: options,
    }) as unknown as RedisClient;
  }
  const all = { ...options, retryStrategy };
  if ("duplicate" in connection) return connection.duplicate(all) as Redis;
  const { url, ...rest } = connection;
  return url === undefined ? new Redis({ ...rest, ...all }) : new Redis(url, { ...rest, ...all });
}

/** For calls with a sender that waits: they fail rather than wait. */
export const connectToAccept = (
  connection: BullmqConnection,
  commandTimeout: number,
): RedisClient =>
  prepared(
    connect(connection, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout }),
  );

/** For the worker: its calls wait rather than fail. */
export const connectToWork = (connection: BullmqConnection): RedisClient =>
  prepared(connect(connection, { maxRetriesPerRequest: null }));

function prepared(redis: RedisClient): RedisClient {
  // Without a listener, Node ends the process when Redis is away.
  redis.on("error", () => {});
  recordCommands(redis);
  defineScripts(redis);
  return redis;
}

export const noReply = (): Error => new Error("Redis does not reply.");

/** In this time a restarted Redis is back, and the delivery is accepted after all. */
const MAX_READY_WAIT_MS = 2_000;

/**
 * A function that gives nothing while Redis is reached, or else a promise of that, which rejects
 * before a sender gives up.
 */
export function readyWaiter(redis: RedisClient): () => Promise<void> | undefined {
  let waiting: Promise<void> | undefined;
  return () => {
    if (redis.status === "ready") return undefined;
    waiting ??= new Promise<void>((resolve) => redis.once("ready", resolve)).then(() => {
      waiting = undefined;
    });
    const error = () => new Error(`Redis cannot be reached (${redis.status}).`);
    return withTimeout(waiting, MAX_READY_WAIT_MS, error);
  };
}
