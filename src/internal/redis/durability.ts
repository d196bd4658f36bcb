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

/** A sentence for each setting with which this node can lose data. */
async function problemsOf(node: Redis, replicas: number, owner: string): Promise<string[]> {
  const info = await node.info();
  const field = (name: string) => info.match(new RegExp(`^${name}:(.*?)\\r?$`, "m"))?.[1];
  // Not every Redis lets its configuration be read.
  const setting = (name: string) =>
    node.config("GET", name).then(
      (reply) => settingIn(reply, name),
      () => undefined,
    );
  const fsync = await setting("appendfsync");
  const policy = field("maxmemory_policy") ?? (await setting("maxmemory-policy"));
  const connected = Number(field("connected_slaves") ?? 0);
  const problems: string[] = [];
  if (field("aof_enabled") === "0") {
    problems.push(
      "It forgets what it acknowledged when it restarts: `appendonly` is `no`. Set `appendonly yes` and `appendfsync always`.",
    );
  } else if (fsync !== undefined && fsync !== "always") {
    problems.push(
      `It forgets what it acknowledged when its machine fails: \`appendfsync\` is \`${fsync}\`. Set \`appendfsync always\`.`,
    );
  }
  if (policy !== undefined && policy !== "noeviction") {
    problems.push(
      `It forgets what it acknowledged when its memory is full: \`maxmemory-policy\` is \`${policy}\`. Set \`maxmemory-policy noeviction\`.`,
    );
  }
  if (connected > 0 && replicas === 0) {
    problems.push(
      `It has replicas (${connected}), and one that takes over may not have what was acknowledged last. Set the option \`replicas\` of ${owner}.`,
    );
  }
  return problems;
}

/**
 * A sentence for each setting with which a Redis can lose what it has acknowledged.
 *
 * @param replicas - How many replicas are waited for.
 * @param owner - The function of malipo that has the option `replicas`.
 */
export async function durabilityProblems(
  client: RedisClient,
  replicas: number,
  owner: string,
): Promise<string[]> {
  const nodes = nodesOf(client).map((node) => problemsOf(node, replicas, owner));
  return [...new Set((await Promise.all(nodes)).flat())];
}
