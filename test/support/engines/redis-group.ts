import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { freePort } from "../../../src/drill/child.ts";
import { type Engine, startEngine } from "./engine.ts";
import { hasRedisServer, launchRedis } from "./redis.ts";

/** Several Redis servers that belong together. */
interface RedisGroup {
  /** The address at which a client asks for the others: the nodes of a cluster, or the sentinels. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  stop(): Promise<void>;
}

const READY_MS = 120_000;

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + READY_MS; !(await condition()); ) {
    if (Date.now() > deadline) throw new Error(`${what} did not happen in time.`);
    await sleep(50);
  }
}

const addressOf = ({ url }: Engine) => ({ host: "127.0.0.1", port: Number(new URL(url).port) });

/** One command to one server. */
async function command<T>({ url }: Engine, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  redis.on("error", () => {});
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

const SLOTS = 16_384;
const NODES = 3;

/** The nodes of a cluster, in the order of their slots. */
export interface RedisCluster extends RedisGroup {
  readonly nodes: readonly Engine[];
  /** The node that has a slot. */
  nodeOf(slot: number): Engine;
}

/** A Redis Cluster of three nodes, each of which works without the others. `undefined` if this machine cannot start one. */
export async function startRedisCluster(): Promise<RedisCluster | undefined> {
  if (!hasRedisServer("a Redis Cluster")) return undefined;
  const nodes = await Promise.all(
    Array.from({ length: NODES }, async () => {
      // The usual port of the bus, 10,000 above, may not exist.
      const bus = await freePort();
      // biome-ignore format: an option and its value a line
      const options = [
        "--cluster-enabled", "yes",
        "--cluster-port", `${bus}`,
        "--cluster-require-full-coverage", "no",
      ];
      return { engine: await launchRedis(...options), bus };
    }),
  );
  const [first] = nodes.map(({ engine, bus }) => ({ ...addressOf(engine), bus }));
  for (const [at, { engine }] of nodes.entries()) {
    await command(engine, async (redis) => {
      const from = Math.floor((SLOTS * at) / NODES);
      const to = Math.floor((SLOTS * (at + 1)) / NODES) - 1;
      await redis.call("CLUSTER", "ADDSLOTSRANGE", from, to);
      const { host = "", port = 0, bus = 0 } = first ?? {};
      if (at > 0) await redis.call("CLUSTER", "MEET", host, port, bus);
    });
  }
  const knowsAll = (info: string) =>
    info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${NODES}`);
  for (const { engine } of nodes) {
    const isReady = () => command(engine, async (redis) => knowsAll(await redis.cluster("INFO")));
    await until(isReady, "A Redis Cluster");
  }
  const nodeOf = (slot: number) =>
    nodes.findLast((_, at) => slot >= Math.floor((SLOTS * at) / NODES))?.engine as Engine;
  return {
    nodes: nodes.map(({ engine }) => engine),
    nodeOf,
    addresses: nodes.map(({ engine }) => addressOf(engine)),
    stop: async () => {
      await Promise.all(nodes.map(({ engine }) => engine.stop()));
    },
  };
}

/** A Redis with a replica, and a sentinel that knows it as `main`. */
export interface SentinelGroup extends RedisGroup {
  /** What `main` was at first, and what takes over. */
  readonly first: Engine;
  readonly second: Engine;
  /** The second becomes the main one, while the first lives on as its replica. */
  failOver(): Promise<void>;
}

async function startSentinel({ host, port }: { host: string; port: number }): Promise<Engine> {
  const { writeFileSync } = await import("node:fs");
  return startEngine({
    name: "sentinel",
    prepare: async (folder) => {
      // It writes what it finds out to its file.
      const lines = [
        `sentinel monitor main ${host} ${port} 1`,
        "sentinel down-after-milliseconds main 1000",
        "sentinel failover-timeout main 5000",
      ];
      writeFileSync(`${folder}/sentinel.conf`, `${lines.join("\n")}\n`);
    },
    // biome-ignore format: an option and its value a line
    command: (folder, port) => ["redis-server", `${folder}/sentinel.conf`, "--sentinel",
      "--port", `${port}`,
      "--bind", "127.0.0.1",
    ],
    ready: /Sentinel ID is/,
    crash: "SIGKILL",
    url: (port) => `redis://127.0.0.1:${port}`,
  });
}

/** A Redis, a replica and a sentinel. `undefined` if this machine cannot start them. */
export async function startRedisSentinel(): Promise<SentinelGroup | undefined> {
  if (!hasRedisServer("a Redis behind Sentinel")) return undefined;
  const first = await launchRedis();
  const { host, port } = addressOf(first);
  const second = await launchRedis("--replicaof", host, `${port}`);
  const isInSync = (one: Engine) => async () =>
    command(one, async (redis) => (await redis.info("replication")).includes("state=online"));
  await until(isInSync(first), "The replication");
  const sentinel = await startSentinel({ host, port });
  const ask = (name: string) => command(sentinel, (redis) => redis.call("SENTINEL", name, "main"));
  await until(async () => ((await ask("replicas")) as unknown[]).length === 1, "The discovery");
  const isMain = (one: Engine) => async () =>
    command(one, async (redis) => (await redis.info("replication")).includes("role:master"));
  return {
    first,
    second,
    addresses: [addressOf(sentinel)],
    failOver: async () => {
      await ask("failover");
      await until(isMain(second), "The failover");
      await until(async () => !(await isMain(first)()), "The demotion");
    },
    stop: async () => {
      await Promise.all([sentinel, second, first].map((engine) => engine.stop()));
    },
  };
}
