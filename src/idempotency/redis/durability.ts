import type { Cluster, Redis } from "ioredis";

/** A Redis, a Redis behind Sentinel, or a Redis Cluster. */
export type RedisClient = Redis | Cluster;

/** The value of a setting in what CONFIG GET returned: a list or an object, by the client's options. */
function settingIn(reply: unknown, name: string): string | undefined {
  const value = Array.isArray(reply)
    ? reply[reply.indexOf(name) + 1]
    : (reply as Record<string, unknown> | null)?.[name];
  return typeof value === "string" ? value : undefined;
}

const nodesOf = (client: RedisClient): Redis[] =>
  "nodes" in client ? client.nodes("master") : [client];

/** What would make this node lose a key that it has acknowledged. */
async function warningsOf(node: Redis, replicas: number): Promise<string[]> {
  const info = await node.info();
  const field = (name: string) => info.match(new RegExp(`^${name}:(.*?)\\r?$`, "m"))?.[1];
  // Not every Redis lets its configuration be read.
  const setting = (name: string) =>
    node.config("GET", name).then(
      (reply) => settingIn(reply, name),
      () => undefined,
    );
  const warnings: string[] = [];
  const fsync = await setting("appendfsync");
  const policy = field("maxmemory_policy") ?? (await setting("maxmemory-policy"));
  if (field("aof_enabled") === "0") {
    warnings.push(
      "`appendonly` is off, so it forgets keys when it restarts. Set `appendonly yes` and `appendfsync always`.",
    );
  } else if (fsync !== undefined && fsync !== "always") {
    warnings.push(
      `\`appendfsync\` is ${fsync}, so it forgets keys when its machine fails. Set \`appendfsync always\`.`,
    );
  }
  if (policy !== undefined && policy !== "noeviction") {
    warnings.push(
      `\`maxmemory-policy\` is ${policy}, so it forgets keys when its memory is full. Set \`maxmemory-policy noeviction\`.`,
    );
  }
  const connected = Number(field("connected_slaves") ?? 0);
  if (connected > 0 && replicas === 0) {
    warnings.push(
      `It has replicas (${connected}), and one that is promoted may not have the last keys. Set the option \`replicas\` of redisIdempotency.`,
    );
  }
  return warnings;
}

/**
 * Looks whether a Redis forgets what it has acknowledged, and reports it once.
 *
 * @returns A function that looks at its first call only.
 */
export function durabilityCheck(
  client: RedisClient,
  replicas: number,
  onWarning: (warning: string) => void,
): () => void {
  let looked = false;
  const look = async () => {
    const nodes = await Promise.all(nodesOf(client).map((node) => warningsOf(node, replicas)));
    const warnings = [...new Set(nodes.flat())];
    if (warnings.length === 0) return;
    onWarning(
      `One key may make two prompts with this Redis, which holds the idempotency keys. ${warnings.join(" ")}`,
    );
  };
  return () => {
    if (looked) return;
    looked = true;
    // A Redis that does not let itself be looked at is not reported.
    look().catch(() => {});
  };
}
