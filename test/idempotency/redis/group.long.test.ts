import { Cluster, Redis } from "ioredis";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { redisIdempotency } from "../../../src/idempotency/redis/store.ts";
import { gatewayWith, rejection } from "../../client/support/gateway.ts";
import { json } from "../../client/support/responses.ts";
import { attemptOf, freshKey, LONG_OVER_MS } from "../../suites/idempotency-stage.ts";
import { launchRedis } from "../../support/engines/redis.ts";
import { startRedisCluster, startRedisSentinel } from "../../support/engines/redis-group.ts";

// Several Redis servers: a cluster, a replica, a failover.

const [cluster, group] = await Promise.all([startRedisCluster(), startRedisSentinel()]);
const clients: (Redis | Cluster)[] = [];

function keep<Client extends Redis | Cluster>(client: Client): Client {
  client.on("error", () => {});
  clients.push(client);
  return client;
}
const connect = (url = "") => keep(new Redis(url, { maxRetriesPerRequest: 100 }));
const connectToMain = () =>
  keep(
    new Redis({
      sentinels: [...(group?.addresses ?? [])],
      name: "main",
      maxRetriesPerRequest: 100,
      sentinelRetryStrategy: () => 100,
      retryStrategy: () => 100,
    }),
  );

afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(async () => {
  await Promise.all([cluster?.stop(), group?.stop()]);
});

describe.skipIf(cluster === undefined)("on a Redis Cluster", () => {
  const join = () => keep(new Cluster([...(cluster?.addresses ?? [])]));

  test("a store keeps all its keys on one node, and lists them", async () => {
    const [one, another] = [redisIdempotency(join()), redisIdempotency(join())];
    const keys = Array.from({ length: 12 }, () => freshKey());
    for (const key of keys) {
      const attempt = attemptOf("a", { idempotencyKey: key, leaseMs: LONG_OVER_MS });
      expect(await one.begin(key, attempt)).toEqual({ state: "begun" });
    }
    const [done = "", freed = "", forgotten = "", ...left] = keys;
    await one.finish(done, "a", { state: "succeeded", result: "R" });
    expect(await another.resolve(freed, undefined)).toEqual({ state: "resolved" });
    await another.forget(forgotten, "a");
    expect(await another.begin(done, attemptOf("b"))).toMatchObject({ result: "R" });
    const listed = async (after?: string): Promise<string[]> => {
      const { attempts, next } = await another.list({ state: "unknown", limit: 4, after });
      const found = attempts.map(({ idempotencyKey }) => idempotencyKey);
      return next === undefined ? found : [...found, ...(await listed(next))];
    };
    expect((await listed()).sort()).toEqual(left.toSorted());
  });

  test.each(["shop:", "{shop}:", "shop}{"])(
    "the prefix %j keeps its keys on one node",
    async (prefix) => {
      const store = redisIdempotency(join(), { prefix });
      const key = freshKey();
      await store.begin(key, attemptOf("a"));
      await store.finish(key, "a", { state: "succeeded", result: "R" });
      expect(await store.begin(key, attemptOf("b"))).toMatchObject({ result: "R" });
    },
  );

  test("an attempt that needs a replica is rejected if no node has one", async () => {
    const store = redisIdempotency(join(), { replicas: 1 });
    await expect(store.begin(freshKey(), attemptOf("a"))).rejects.toThrow(
      "Of the 1 replicas that must have an attempt, 0 confirmed it within 1000 ms.",
    );
  });
});

describe.skipIf(group === undefined)("with a replica", () => {
  const { first, second } = group ?? {};

  test("warns if it does not wait for the replica, and once", async () => {
    const onWarning = vi.fn();
    const store = redisIdempotency(connect(first?.url), { onWarning });
    for (const key of [freshKey(), freshKey()]) await store.begin(key, attemptOf("a"));
    await expect.poll(() => onWarning).toHaveBeenCalledOnce();
    expect(onWarning.mock.calls[0]?.[0]).toBe(
      "One key may make two prompts with this Redis, which holds the idempotency keys. It has replicas (1), and one that takes over may not have what was acknowledged last. Set the option `replicas` of redis.",
    );
  });

  test("an attempt is on the replica before it is sent", async () => {
    const main = connect(first?.url);
    const store = redisIdempotency(main, { replicas: 1, onWarning: vi.fn() });
    const key = freshKey();
    expect(await store.begin(key, attemptOf("a"))).toEqual({ state: "begun" });
    const record = `{malipo:idempotency}:attempt:${key}`;
    expect(await connect(second?.url).hget(record, "owner")).toBe("a");
    // A client that lost its connection sends the command again: that one is confirmed too.
    expect(await store.begin(key, attemptOf("a"))).toEqual({ state: "begun" });
    expect(await store.begin(key, attemptOf("b"))).toMatchObject({ state: "in_flight" });
  });

  test("a payment is not sent while the replica is away, and its key stays free", async () => {
    const replica = connect(second?.url);
    const idempotency = redisIdempotency(connect(first?.url), { replicas: 1, onWarning: vi.fn() });
    const { gateway, sent } = gatewayWith([json({ success: true, data: { reference: "PAY-1" } })], {
      idempotency,
    });
    const pay = (idempotencyKey: string) =>
      gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" }, { idempotencyKey });
    await replica.replicaof("NO", "ONE");
    const key = freshKey();
    expect(await rejection(pay(key))).toMatchObject({ code: "connection", outcome: "not_sent" });
    expect(sent).toHaveLength(0);
    const { hostname, port } = new URL(first?.url ?? "");
    await replica.replicaof(hostname, Number(port));
    await expect.poll(() => pay(key).then(Boolean, () => false), { interval: 200 }).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test("a Redis that became a replica is left, and every key is known after the failover", async () => {
    const client = connectToMain();
    const store = redisIdempotency(client, { replicas: 1, onWarning: vi.fn() });
    const keys = Array.from({ length: 5 }, () => freshKey());
    for (const key of keys) await store.begin(key, attemptOf("a"));
    await group?.failOver();
    // It rejects until the client has found the new main one, which has every key.
    const left = redisIdempotency(client, { onWarning: vi.fn() });
    for (const key of keys) {
      await expect
        .poll(() => left.begin(key, attemptOf("b")))
        .toMatchObject({ state: "in_flight" });
    }
    await expect.poll(() => left.begin(freshKey(), attemptOf("b"))).toEqual({ state: "begun" });
    const { port } = new URL(second?.url ?? "");
    expect(client.options).toMatchObject({ name: "main" });
    expect(await client.info("server")).toContain(`tcp_port:${port}`);
  });
});

describe.skipIf(group === undefined)("a separate Redis", () => {
  // biome-ignore format: a table is read across
  test.each([
    ["loses all in a restart", ["--appendonly", "no"], ["It forgets what it acknowledged when it restarts: `appendonly` is `no`. Set `appendonly yes` and `appendfsync always`."]],
    ["loses the last second", ["--appendfsync", "everysec"], ["It forgets what it acknowledged when its machine fails: `appendfsync` is `everysec`. Set `appendfsync always`."]],
    ["drops keys that are in use", ["--appendfsync", "no", "--maxmemory-policy", "allkeys-lru"], ["It forgets what it acknowledged when its machine fails: `appendfsync` is `no`. Set `appendfsync always`.", "It forgets what it acknowledged when its memory is full: `maxmemory-policy` is `allkeys-lru`. Set `maxmemory-policy noeviction`."]],
  ])("that %s is reported at the first attempt, and not again", async (_, options, warnings) => {
    const engine = await launchRedis(...options);
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    try {
      const onWarning = vi.fn();
      const expected = `One key may make two prompts with this Redis, which holds the idempotency keys. ${warnings.join(" ")}`;
      const store = redisIdempotency(connect(engine.url), { onWarning });
      await store.resolve(freshKey(), "R");
      expect(onWarning).not.toHaveBeenCalled();
      for (const key of [freshKey(), freshKey()]) await store.begin(key, attemptOf("a"));
      await expect.poll(() => onWarning.mock.calls).toEqual([[expected]]);
      expect(warn).not.toHaveBeenCalled();
      await redisIdempotency(connect(engine.url)).begin(freshKey(), attemptOf("a"));
      await expect.poll(() => warn.mock.calls).toEqual([[expected]]);
    } finally {
      warn.mockRestore();
      await engine.stop();
    }
  });

  test("that does not let itself be looked at is used without a warning", async () => {
    const engine = await launchRedis("--appendonly", "no");
    try {
      await connect(engine.url).call(
        "ACL",
        "SETUSER",
        "shop",
        "on",
        "nopass",
        "~*",
        "+@all",
        "-info",
        "-config",
      );
      const onWarning = vi.fn();
      const url = engine.url.replace("redis://", "redis://shop:x@");
      const client = connect(url);
      const store = redisIdempotency(client, { onWarning });
      expect(await store.begin(freshKey(), attemptOf("a"))).toEqual({ state: "begun" });
      await expect(client.info()).rejects.toThrow("NOPERM");
      expect(onWarning).not.toHaveBeenCalled();
    } finally {
      await engine.stop();
    }
  });
});

describe.skipIf(group === undefined)("a Redis that is demoted", () => {
  test("and keeps its connections rejects, and its client connects again", async () => {
    const engine = await launchRedis();
    try {
      const client = connect(engine.url);
      const store = redisIdempotency(client);
      await store.begin(freshKey(), attemptOf("a"));
      const closed = vi.fn();
      client.on("close", closed);
      // There is no listener: it stays a replica without a main one.
      await connect(engine.url).replicaof("127.0.0.1", 1);
      const begun = Array.from({ length: 20 }, () => store.begin(freshKey(), attemptOf("a")));
      for (const { status } of await Promise.allSettled(begun)) expect(status).toBe("rejected");
      await expect.poll(() => closed).toHaveBeenCalledOnce();
      await connect(engine.url).replicaof("NO", "ONE");
      expect(await store.begin(freshKey(), attemptOf("a"))).toEqual({ state: "begun" });
    } finally {
      await engine.stop();
    }
  });
});
