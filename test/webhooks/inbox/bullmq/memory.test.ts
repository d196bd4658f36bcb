import { Redis } from "ioredis";
import { bullmqInbox } from "malipo/inbox/bullmq";
import type { Inbox } from "malipo/webhooks";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { newDelivery, until } from "../../../suites/inbox-stage.ts";
import { startRedis } from "../../../support/engines/redis.ts";

const engine = await startRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const EVENTS = 10_000;
const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 20_000 };

describe.skipIf(engine === undefined)("bullmqInbox: what is remembered", () => {
  const opened: Inbox[] = [];
  const clients: Redis[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((inbox) => inbox.stop(1_000)));
    for (const redis of clients.splice(0)) redis.disconnect();
  });

  function open(retentionMs?: number) {
    const queue = `malipo-test-${crypto.randomUUID()}`;
    const inbox = bullmqInbox({ connection: { url }, queue, pace, retentionMs });
    const redis = new Redis(url);
    opened.push(inbox);
    clients.push(redis);
    const key = (name: string) => `bull:${queue}:${name}`;
    return { inbox, redis, key };
  }
  const delivery = (number: number) =>
    newDelivery(number, {
      raw: Buffer.from(JSON.stringify({ event: "e", text: "x".repeat(500) })),
    });
  const start = (inbox: Inbox) =>
    inbox.start({ run: async () => {}, concurrency: 64, onError: () => {} });

  test("costs at most 0.4 kB of memory an event", async () => {
    const { inbox, redis, key } = open();
    const memory = async () => Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
    await inbox.accept(delivery(0));
    const before = await memory();
    for (let at = 1; at <= EVENTS; at += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, one) => inbox.accept(delivery(at + one))));
    }
    expect(((await memory()) - before) / EVENTS).toBeGreaterThan(800);
    await start(inbox);
    const isDone = async () => {
      const { waiting, running } = (await inbox.stats?.()) ?? {};
      return waiting === 0 && running === 0 && (await redis.zcard(key("completed"))) === 0;
    };
    await until(isDone);
    // BullMQ's stream of the last 10,000 things that happened, for dashboards.
    await redis.del(key("events"));
    const each = ((await memory()) - before) / EVENTS;
    expect(each).toBeLessThan(400);
    expect(await redis.memory("USAGE", key(delivery(1).key))).toBeLessThan(400);
    expect(await inbox.stats?.()).toMatchObject({ stored: EVENTS + 1, waiting: 0, running: 0 });
    expect(await inbox.accept(delivery(7))).toMatchObject({ kind: "duplicate" });
  }, 120_000);

  test("is recognised at every moment between its processing and the end of the retention", async () => {
    const { inbox, redis, key } = open();
    const attempts: number[] = [];
    await inbox.start({
      run: async ({ attempt }) => void attempts.push(attempt),
      concurrency: 8,
      onError: () => {},
    });
    await inbox.accept(delivery(1));
    const isShrunk = async () =>
      (await redis.hkeys(key(delivery(1).key))).join() === "digest" && attempts.length > 0;
    do {
      expect(await inbox.accept(delivery(1))).toMatchObject({ kind: "duplicate" });
    } while (!(await isShrunk()));
    expect(await inbox.accept(delivery(1))).toMatchObject({ kind: "duplicate" });
    const { digest } = delivery(2);
    expect(await inbox.accept({ ...delivery(1), digest })).toMatchObject({ kind: "conflict" });
    expect(attempts).toEqual([1]);
  });

  test("takes the place of the job in the moment in which the job ends", async () => {
    const { inbox, redis, key } = open();
    const left: Record<string, string>[] = [];
    const completed: number[] = [];
    const run = async () => {
      left.push(await redis.hgetall(key(delivery(1).key)));
      completed.push(await redis.zcard(key("completed")));
    };
    for (const number of [1, 2]) await inbox.accept(delivery(number));
    await inbox.start({ run, concurrency: 1, onError: () => {} });
    await until(async () => left.length === 2);
    expect(left[1]).toEqual({ digest: delivery(1).digest.slice(-32) });
    expect(completed).toEqual([0, 0]);
  });

  test("is forgotten when the retention ends, while nothing comes and nothing runs", async () => {
    const { inbox, redis, key } = open(1_500);
    await start(inbox);
    await inbox.accept(delivery(1));
    await until(async () => (await redis.pttl(key(delivery(1).key))) > 0);
    await inbox.stop(1_000);
    await until(async () => (await redis.exists(key(delivery(1).key))) === 0);
    expect((await redis.keys(key("*"))).filter((name) => /[\da-f]{64}/.test(name))).toEqual([]);
  });

  test("is shrunk by the next process where one died in between", async () => {
    const { inbox, redis, key } = open();
    await inbox.accept(delivery(1));
    // As BullMQ leaves a processed event when its process is killed right then.
    const id = await redis.rpop(key("wait"));
    await redis.zadd(key("completed"), Date.now(), id as string);
    await start(inbox);
    await until(async () => (await redis.zcard(key("completed"))) === 0);
    expect(await redis.hgetall(key(delivery(1).key))).toEqual({
      digest: delivery(1).digest.slice(-32),
    });
  });
});
