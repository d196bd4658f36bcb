import { Redis } from "ioredis";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { redisIdempotency } from "../../../src/idempotency/redis/store.ts";
import { gatewayWith, rejection } from "../../client/support/gateway.ts";
import { neverResponds } from "../../client/support/responses.ts";
import { standsByTheContractOfDurability } from "../../suites/durable-idempotency-store.ts";
import {
  attemptOf,
  freshKey,
  type IdempotencyStoreOptions,
} from "../../suites/idempotency-stage.ts";
import { standsByTheContract } from "../../suites/idempotency-store.ts";
import { startRedis } from "../../support/engines/redis.ts";

const engine = await startRedis();
const { url = "", restarts = false } = engine ?? {};
// A Redis that these tests did not start may hold other data.
const prefix = `{malipo-test-${crypto.randomUUID()}}:`;
/** The Redis key of a record. */
const recordOf = (key: string) => `${prefix}attempt:${key}`;
const clients: Redis[] = [];

function connect(address = url, options = {}): Redis {
  const client = new Redis(address, { maxRetriesPerRequest: 100, ...options });
  client.on("error", () => {});
  clients.push(client);
  return client;
}
const open = async (options?: IdempotencyStoreOptions) =>
  redisIdempotency(connect(), { prefix, ...options });

async function records(): Promise<[key: string, record: Record<string, string>][]> {
  const redis = connect();
  const keys = (await redis.keys(`${prefix}attempt:*`)).sort();
  return Promise.all(keys.map(async (key) => [key, await redis.hgetall(key)] as const)) as never;
}

afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(async () => {
  const redis = connect();
  for (const key of await redis.keys(`${prefix}*`)) await redis.del(key);
  for (const client of clients.splice(0)) client.disconnect();
  await engine?.stop();
});

/** How many records this Redis has read since it started. */
const recordsRead = async (raw: Redis): Promise<number> =>
  Number(/cmdstat_hmget:calls=(\d+)/.exec(await raw.info("commandstats"))?.[1] ?? 0);

describe.skipIf(engine === undefined)("with a Redis", () => {
  standsByTheContract("Redis", open);
  standsByTheContractOfDurability(
    "Redis",
    () => ({
      open,
      contents: async () => JSON.stringify(await records()),
      setVersion: async (key, version) => {
        await connect().hset(recordOf(key), "version", version);
        await connect().persist(recordOf(key));
      },
      setFormat: async (format) => {
        if (format === null) await connect().del(`${prefix}format`);
        else await connect().set(`${prefix}format`, format);
      },
      tamper: async (key, field, value) => {
        if (value === null) await connect().hdel(recordOf(key), field);
        else await connect().hset(recordOf(key), field, value);
        return true;
      },
      remove: async (key) => {
        await connect().del(recordOf(key));
      },
      moveLease: async (key, ms) => {
        await connect().hincrby(recordOf(key), "lease_from", ms);
      },
      makeOlder: async (key, ms) => {
        for (const field of ["begun_at", "lease_from"]) {
          await connect().hincrby(recordOf(key), field, -ms);
        }
        const left = await connect().pttl(recordOf(key));
        // Redis drops a key with an expiry in the past at once.
        if (left >= 0) await connect().pexpire(recordOf(key), left - ms);
      },
      unreachable: async () =>
        // A port without a listener.
        redisIdempotency(connect("redis://127.0.0.1:1", { maxRetriesPerRequest: 0 })),
      crash: async () => engine?.restart(),
    }),
    { crashes: restarts },
  );

  test("lets only succeeded records expire in Redis", async () => {
    const store = await open({ retentionMs: 5_000 });
    const [done, left] = [freshKey(), freshKey()];
    for (const key of [done, left]) await store.begin(key, attemptOf("a"));
    const ttl = (key: string) => connect().pttl(recordOf(key));
    expect(await ttl(done)).toBe(-1);
    await store.finish(done, "a", { state: "succeeded", result: "R" });
    await store.finish(left, "a", { state: "unknown" });
    expect(await ttl(done)).toBeGreaterThan(0);
    expect(await ttl(left)).toBe(-1);
    await store.resolve(left, "R");
    expect(await ttl(left)).toBeGreaterThan(0);
    // An unknown attempt is remembered until it is resolved.
    await store.finish(done, "a", { state: "unknown" });
    expect(await ttl(done)).toBe(-1);
  });

  test("lets a client that sends `begin` twice begin once", async () => {
    const store = await open();
    const key = freshKey();
    expect(await store.begin(key, attemptOf("a"))).toEqual({ state: "begun" });
    expect(await store.begin(key, attemptOf("a"))).toEqual({ state: "begun" });
  });

  test("rejects a record of a later version, whatever fields it has", async () => {
    const store = await open();
    const key = freshKey();
    await connect().hset(recordOf(key), "version", 3);
    await expect(store.begin(key, attemptOf("a"))).rejects.toThrow("version 3");
    await expect(store.resolve(key, "R")).rejects.toThrow("version 3");
    expect(await connect().hgetall(recordOf(key))).toEqual({ version: "3" });
  });

  test("that cannot be reached ends a call by its time limit, with nothing sent", async () => {
    const { gateway, sent } = gatewayWith([neverResponds], {
      // A client that waits for Redis without a limit.
      idempotency: redisIdempotency(connect("redis://127.0.0.1:1", { maxRetriesPerRequest: null })),
    });
    const call = gateway.invoices.create({}, { idempotencyKey: "k", totalTimeoutMs: 200 });
    expect(await rejection(call)).toMatchObject({ code: "timeout", outcome: "not_sent" });
    expect(sent).toHaveLength(0);
  });

  test("works with a client that has its own key prefix", async () => {
    const client = connect(url, { keyPrefix: `${prefix}shop:` });
    const store = redisIdempotency(client, { prefix, retentionMs: 1 });
    const [key, done] = [freshKey(), freshKey()];
    await store.begin(key, attemptOf("a"));
    await store.begin(done, attemptOf("b"));
    await store.finish(done, "b", { state: "succeeded", result: "R" });
    await expect
      .poll(async () => (await store.list()).attempts.map(({ owner }) => owner))
      .toEqual(["a"]);
    const raw = connect();
    expect(await raw.hget(`${prefix}shop:${recordOf(key)}`, "owner")).toBe("a");
    // An expired result leaves nothing behind once another attempt has ended.
    await store.finish(key, "a", { state: "unknown" });
    const index = `${prefix}shop:${prefix}index`;
    expect(await raw.zrange(index, "0", "-1")).toEqual([key]);
  });

  test("reads only the attempts of an account reference to find them, however many there are", async () => {
    const own = `${prefix}many:`;
    const store = redisIdempotency(connect(), { prefix: own, retentionMs: 1 });
    const begin = (key: string, accountReference: string) =>
      store.begin(key, attemptOf(key, { payment: { accountReference } }));
    for (let order = 0; order < 200; order++) await begin(`k${order}`, `ORDER-${order}`);
    await begin("again", "ORDER-42");
    const raw = connect();
    const before = await recordsRead(raw);
    const digests = { accountReference: store.digest("ORDER-42") };
    const { attempts } = await store.list({ digests });
    expect(attempts.map(({ owner }) => owner)).toEqual(["k42", "again"]);
    expect((await recordsRead(raw)) - before).toBe(2);
  });

  test("reads only the attempts that have not succeeded to find those, however many there are", async () => {
    const store = redisIdempotency(connect(), { prefix: `${prefix}succeeded:` });
    for (let order = 0; order < 200; order++) {
      await store.begin(`k${order}`, attemptOf("a"));
      await store.finish(`k${order}`, "a", { state: "succeeded", result: "R" });
    }
    await store.begin("freed", attemptOf("b"));
    await store.forget("freed", "b");
    await store.begin("open", attemptOf("c"));
    await store.finish("open", "c", { state: "unknown" });
    const raw = connect();
    const before = await recordsRead(raw);
    const { attempts } = await store.list({ state: "unknown" });
    expect(attempts.map(({ owner }) => owner)).toEqual(["c"]);
    expect((await store.list({ state: "in_flight" })).attempts).toEqual([]);
    expect((await recordsRead(raw)) - before).toBe(2);
  });

  test("keeps nothing of an account reference whose attempts are gone", async () => {
    const own = `${prefix}gone:`;
    const store = redisIdempotency(connect(), { prefix: own, retentionMs: 1 });
    const payment = { accountReference: "ORDER-42" };
    await store.begin("done", attemptOf("a", { payment }));
    await store.finish("done", "a", { state: "succeeded", result: "R" });
    await expect.poll(async () => (await store.list()).attempts).toEqual([]);
    // The same key again, for another order.
    await store.begin("done", attemptOf("b", { payment: { accountReference: "ORDER-43" } }));
    await store.forget("done", "b");
    expect(await connect().keys(`*${own}*`)).toEqual([`${own}format`]);
  });

  test("keeps prefixes apart", async () => {
    const key = freshKey();
    await (await open()).begin(key, attemptOf("a"));
    const apart = redisIdempotency(connect(), { prefix: `${prefix}another:` });
    expect(await apart.begin(key, attemptOf("a"))).toEqual({ state: "begun" });
  });
});
