import { Redis, type RedisOptions } from "ioredis";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { withTimeout } from "../../../internal/timeout.ts";

/** An ioredis client, which stays yours, or the options for one. */
export type BullmqConnection = Redis | (RedisOptions & { readonly url?: string | undefined });

// Without end, whatever the user set for other uses: a Redis that is back must be found.
const retryStrategy = (times: number) => Math.min(times * 100, 2_000);

/** A Redis that became a replica keeps its connections open: only a new one leads to its successor. */
const isReplica = (error: Error) => error.message.includes("READONLY");

/** A connection of the inbox, to the same Redis. */
function connect(connection: BullmqConnection, ours: RedisOptions): Redis {
  // BullMQ reads only this form of replies, whatever the user set for other uses.
  const options = {
    ...ours,
    retryStrategy,
    reconnectOnError: isReplica,
    replyMapping: "legacy" as const,
  };
  if ("duplicate" in connection) return connection.duplicate(options) as Redis;
  const { url, ...rest } = connection;
  const all = { ...rest, ...options };
  return url === undefined ? new Redis(all) : new Redis(url, all);
}

/** For calls with a sender that waits: they fail rather than wait. */
export const connectToAccept = (connection: BullmqConnection, commandTimeout: number): Redis =>
  connect(connection, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout });

/** For the worker: its calls wait rather than fail. */
export function connectToWork(connection: BullmqConnection): Redis {
  const redis = connect(connection, { maxRetriesPerRequest: null });
  // Without a listener, Node ends the process when Redis is away.
  redis.on("error", () => {});
  return redis;
}

export const noReply = (): Error => new Error("Redis does not reply.");

/** In this time a restarted Redis is back, and the delivery is accepted after all. */
const MAX_READY_WAIT_MS = 2_000;

/**
 * A function that gives nothing while Redis is reached, or else a promise of that, which rejects
 * before a sender gives up.
 */
export function readyWaiter(redis: Redis): () => Promise<void> | undefined {
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

/** One error for each setting with which this Redis can lose acknowledged deliveries. */
export async function checkDurability(redis: Redis): Promise<ConfigurationError[]> {
  const info = await redis.info();
  const field = (name: string) => info.match(new RegExp(`^${name}:(.*?)\\r?$`, "m"))?.[1];
  // Not every Redis lets its configuration be read.
  const [, fsync] = (await redis.config("GET", "appendfsync").catch(() => [])) as string[];
  const policy = field("maxmemory_policy");
  const problems: string[] = [];
  if (field("aof_enabled") === "0") {
    problems.push(
      "This Redis loses acknowledged webhooks when it restarts: `appendonly` is `no`. Set `appendonly yes` and `appendfsync always`.",
    );
  } else if (fsync !== undefined && fsync !== "always") {
    problems.push(
      `This Redis loses acknowledged webhooks when its machine fails: \`appendfsync\` is \`${fsync}\`. Set \`appendfsync always\`.`,
    );
  }
  if (policy !== undefined && policy !== "noeviction") {
    problems.push(
      `This Redis drops acknowledged webhooks when its memory is full: \`maxmemory-policy\` is \`${policy}\`. Set \`maxmemory-policy noeviction\`.`,
    );
  }
  return problems.map((problem) => new ConfigurationError(problem));
}
