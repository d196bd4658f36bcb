import { Redis, type RedisOptions } from "ioredis";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { bounded } from "../bounded.ts";

/** An ioredis client, which stays yours, or the options for one. */
export type BullmqConnection = Redis | (RedisOptions & { readonly url?: string | undefined });

// For ever: a Redis that is back must be found, whatever the client was told for other uses.
const retryStrategy = (times: number) => Math.min(times * 100, 2_000);

/** A connection of our own, to the same Redis. */
function connect(connection: BullmqConnection, ours: RedisOptions): Redis {
  // `replyMapping`: what BullMQ reads, whatever the client was told for other uses.
  const options = { ...ours, retryStrategy, replyMapping: "legacy" as const };
  if ("duplicate" in connection) return connection.duplicate(options) as Redis;
  const { url, ...rest } = connection;
  const all = { ...rest, ...options };
  return url === undefined ? new Redis(all) : new Redis(url, all);
}

/** For answers that somebody waits for: fails rather than waits. */
export const connectToAccept = (connection: BullmqConnection, commandTimeout: number): Redis =>
  connect(connection, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout });

/** For the worker: waits rather than fails. */
export const connectToWork = (connection: BullmqConnection): Redis =>
  connect(connection, { maxRetriesPerRequest: null });

// A Redis that is restarted is back by then, and the delivery is taken after all.
const READY_WITHIN_MS = 2_000;

/** Resolves at once, or when Redis is reached, or rejects before a sender gives up. */
export function readiness(redis: Redis): () => Promise<void> | undefined {
  let waiting: Promise<void> | undefined;
  return () => {
    if (redis.status === "ready") return undefined;
    waiting ??= new Promise<void>((resolve) => redis.once("ready", resolve)).then(() => {
      waiting = undefined;
    });
    return bounded(waiting, READY_WITHIN_MS, `Redis cannot be reached (${redis.status}).`);
  };
}

/** What would make this Redis lose what it acknowledged, each with the way out. */
export async function distrust(redis: Redis): Promise<ConfigurationError[]> {
  const info = await redis.info();
  const field = (name: string) => info.match(new RegExp(`^${name}:(.*?)\\r?$`, "m"))?.[1];
  // Not every Redis lets its configuration be read.
  const [, fsync] = (await redis.config("GET", "appendfsync").catch(() => [])) as string[];
  const faults: string[] = [];
  const policy = field("maxmemory_policy");
  if (field("aof_enabled") === "0") {
    faults.push(
      "`appendonly` is no: it loses acknowledged webhooks when it restarts. Set `appendonly yes` and `appendfsync always`.",
    );
  } else if (fsync !== undefined && fsync !== "always") {
    faults.push(
      `\`appendfsync\` is ${fsync}: it loses acknowledged webhooks when its machine fails. Set \`appendfsync always\`.`,
    );
  }
  if (policy !== undefined && policy !== "noeviction") {
    faults.push(
      `\`maxmemory-policy\` is ${policy}: it drops acknowledged webhooks when its memory is full. Set \`maxmemory-policy noeviction\`.`,
    );
  }
  return faults.map(
    (fault) => new ConfigurationError(`This Redis cannot be trusted with webhooks: ${fault}`),
  );
}
