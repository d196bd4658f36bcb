import type { Cluster, Redis } from "ioredis";
import { ConfigurationError } from "../../../errors/configuration.ts";
import type { RedisClient } from "./pipeline.ts";

/** One error for each setting with which this Redis can lose acknowledged deliveries. */
export async function checkDurability(
  redis: RedisClient,
  replicas: number,
): Promise<ConfigurationError[]> {
  const nodes = "nodes" in redis ? (redis as unknown as Cluster).nodes("master") : [redis];
  const problems = await Promise.all(nodes.map((node) => problemsOf(node, replicas)));
  return [...new Set(problems.flat())].map((problem) => new ConfigurationError(problem));
}

async function problemsOf(redis: Redis, replicas: number): Promise<string[]> {
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
  if (replicas === 0 && Number(field("connected_slaves") ?? 0) > 0) {
    problems.push(
      "This Redis has replicas, and one that takes over may not have the last acknowledged webhooks. Set the option `replicas` of bullmqInbox.",
    );
  }
  return problems;
}
