import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, describe, expect, test, vi } from "vitest";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import { gateOf, newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../../../support/engines/proxy.ts";
import { startRedis } from "../../../support/engines/redis.ts";

const engine = await startRedis();
const here = engine as Engine;
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 1_500 };
const freshQueue = () => `malipo-test-${crypto.randomUUID()}`;

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(engine === undefined)("bullmqInbox: an engine that fails", () => {
  stopAll();
  closeProxies();

  const tagOf = (queue: string) => `{${queue}-payment.completed}`;
  const waitingIn = async (redis: Redis, queue: string) => {
    const jobs = new Queue(tagOf(queue), { connection: redis });
    const count = await jobs.getWaitingCount();
    await jobs.close();
    return count;
  };

  test("acknowledges no event that is nowhere", async () => {
    const queue = freshQueue();
    const redis = new Redis(here.url);
    const proxy = await proxyTo(here);
    const receiver = receiverOn(bullmqInbox({ connection: { url: proxy.url }, queue, pace }));
    // As after a failover between adding the event and looking at it.
    proxy.beforeRequests(async (chunk) => {
      if (!/mget/i.test(chunk.toString())) return;
      const all = await redis.keys(`*${tagOf(queue)}*`);
      if (all.length > 0) await redis.del(all);
    });
    const [status] = await receiver.post("PAY-1");
    expect(status).toBe((await waitingIn(redis, queue)) === 1 ? 200 : 503);
    redis.disconnect();
  });

  test("adds the job that a crash left out when the event is delivered again", async () => {
    const queue = freshQueue();
    const redis = new Redis(here.url);
    const inbox = bullmqInbox({ connection: { url: here.url }, queue, pace });
    await inbox.accept(newDelivery(0));
    // The process died between the ledger and the job.
    await redis.set(
      `${tagOf(queue)}:${newDelivery(1).key}`,
      `p ${newDelivery(1).digest.slice(32)}`,
    );
    expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
    expect(await waitingIn(redis, queue)).toBe(2);
    expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
    expect(await waitingIn(redis, queue)).toBe(2);
    await inbox.stop(100);
    redis.disconnect();
  });

  test("stores the others if one of many cannot be stored", async () => {
    const queue = freshQueue();
    const redis = new Redis(here.url);
    const inbox = bullmqInbox({ connection: { url: here.url }, queue, pace });
    await inbox.accept(newDelivery(0));
    // Something else than a record.
    await redis.lpush(`${tagOf(queue)}:${newDelivery(2).key}`, "odd");
    const results = await Promise.allSettled(
      [1, 2, 3, 1, 2].map((number) => inbox.accept(newDelivery(number))),
    );
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    expect(await waitingIn(redis, queue)).toBe(3);
    await inbox.stop(100);
    redis.disconnect();
  });

  test("processes a dead letter that is requeued before its job has ended", async () => {
    const queue = freshQueue();
    const proxy = await proxyTo(here);
    const person = receiverOn(bullmqInbox({ connection: { url: here.url }, queue, pace }));
    let requeues = 0;
    // What comes after the dead letter is the end of its job.
    proxy.beforeRequests(async () => {
      const [letter] = requeues === 0 ? await person.deadLetters.list() : [];
      // Several requests wait for this list at the same time.
      if (letter === undefined || requeues > 0) return;
      requeues++;
      await person.deadLetters.requeue(letter.id);
    });
    const inbox = bullmqInbox({ connection: { url: proxy.url }, queue, pace });
    let runs = 0;
    const run = async () => {
      runs++;
      if (runs === 1) throw Object.assign(new Error("no stock"), { isLastAttempt: true });
    };
    await inbox.start({ run, concurrency: 1, onError: () => {} });
    await inbox.accept(newDelivery(1));
    await until(() => runs === 2);
    expect(requeues).toBe(1);
    await inbox.stop(1_000);
  });

  test.runIf(engine?.restarts).each([
    ["appendonly", "no", "yes"],
    ["appendfsync", "everysec", "always"],
    ["maxmemory-policy", "allkeys-lru", "noeviction"],
  ])("reports at the start that %s is %s", async (name, bad, good) => {
    const redis = new Redis(here.url);
    await redis.config("SET", name, bad);
    const receiver = receiverOn(
      bullmqInbox({ connection: { url: here.url }, queue: freshQueue(), pace }),
    );
    await receiver.start();
    await until(() => receiver.onError.mock.calls.length > 0);
    expect(receiver.onError.mock.calls).toHaveLength(1);
    expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
      code: "configuration",
      message: expect.stringMatching(`\`${name}\` is \`${bad}\`\\. Set \`${name} ${good}\``),
    });
    await redis.config("SET", name, good);
    redis.disconnect();
  });

  test("goes on after Redis forgot the scripts", async () => {
    const queue = freshQueue();
    const redis = new Redis(here.url);
    const receiver = receiverOn(bullmqInbox({ connection: { url: here.url }, queue, pace }));
    const seen: unknown[] = [];
    receiver.onOther(({ data }) => seen.push(data.reference));
    await receiver.start();
    await receiver.post("PAY-1");
    await until(() => seen.length === 1);
    await redis.script("FLUSH");
    await until(async () => (await receiver.post("PAY-2"))[0] === 200);
    await until(() => seen.length === 2);
    expect(seen).toEqual(["PAY-1", "PAY-2"]);
    redis.disconnect();
  });

  test("leaves a Redis that became a replica and keeps its connections", async () => {
    const [old, next] = [await startRedis(), await startRedis()] as [Engine, Engine];
    const proxy = await proxyTo(old);
    const queue = freshQueue();
    const receiver = receiverOn(bullmqInbox({ connection: { url: proxy.url }, queue, pace }));
    const seen: unknown[] = [];
    receiver.onOther(({ data }) => seen.push(data.reference));
    await receiver.start();
    await receiver.post("PAY-1");
    await until(() => seen.length === 1);
    proxy.moveTo(next);
    const redis = new Redis(old.url);
    await redis.replicaof("127.0.0.1", new URL(next.url).port);
    await until(async () => (await receiver.post("PAY-2"))[0] === 200);
    await until(() => seen.length === 2);
    expect(seen).toEqual(["PAY-1", "PAY-2"]);
    redis.disconnect();
    await receiver.stop({ timeoutMs: 100 });
    await Promise.all([old.stop(), next.stop()]);
  });

  test("answers every delivery by its deadline while Redis hangs, and holds a limited number of bytes", async () => {
    const own = (await startRedis()) as Engine;
    const inbox = bullmqInbox({ connection: { url: own.url }, queue: freshQueue(), pace });
    await inbox.accept(newDelivery(0));
    own.hang();
    const raw = Buffer.alloc(1_000_000, "x");
    const accepted = Array.from({ length: 100 }, (_, at) =>
      inbox.accept(newDelivery(at + 1, { raw })),
    );
    const results = await Promise.allSettled(accepted);
    const reasons = results.map((result) => result.status === "rejected" && String(result.reason));
    expect(new Set(reasons)).toEqual(
      new Set([
        "Error: The delivery was not stored within 1.5 s. It is not acknowledged: the service sends it again.",
        "Error: Too many deliveries wait to be stored. This one is not acknowledged: the service sends it again.",
      ]),
    );
    own.resume();
    await until(() => inbox.accept(newDelivery(200)).then(Boolean, () => false));
    await inbox.stop(100);
    await own.stop();
  });

  test("stops by its limit while Redis hangs, and leaves no connection", async () => {
    const own = (await startRedis()) as Engine;
    const sockets = () =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    for (const isHungAtStart of [false, true]) {
      const connection = { url: own.url };
      const receiver = receiverOn(bullmqInbox({ connection, queue: freshQueue(), pace }));
      const [begun, begin] = gateOf<void>();
      receiver.onOther(() => {
        begin();
        return new Promise(() => {});
      });
      if (isHungAtStart) own.hang();
      await receiver.start();
      if (!isHungAtStart) {
        await receiver.post("PAY-1");
        await begun;
        own.hang();
      }
      await receiver.stop({ timeoutMs: 500 });
      await until(() => sockets() <= before);
      own.resume();
    }
    await own.stop();
  });

  test("reports an error that lasts once, not with each try", async () => {
    const proxy = await proxyTo(here);
    const connection = { url: proxy.url };
    const receiver = receiverOn(bullmqInbox({ connection, queue: freshQueue(), pace }));
    await receiver.start();
    await receiver.post("PAY-1");
    await proxy.cut();
    const before = receiver.onError.mock.calls.length;
    // Long enough for several tries of each connection.
    await sleep(2_500);
    const messages = receiver.onError.mock.calls.slice(before).map(([error]) => String(error));
    expect(messages).not.toEqual([]);
    expect(new Set(messages).size).toBe(messages.length);
  });

  test("retries an event that failed before the clock was set back", async () => {
    const queue = freshQueue();
    const receiver = receiverOn(
      bullmqInbox({
        connection: { url: here.url },
        queue,
        pace: { ...pace, backoffMs: () => 500 },
      }),
    );
    const attempts: number[] = [];
    receiver.onOther((_, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) throw new Error("not yet");
    });
    const redis = new Redis(here.url);
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      vi.setSystemTime(Date.now() + 3 * 3_600_000);
      await receiver.start();
      await receiver.post("PAY-1");
      await until(async () => (await receiver.stats()).retrying === 1);
    } finally {
      vi.useRealTimers();
    }
    await until(() => attempts.length === 2);
    expect(attempts).toEqual([1, 2]);
    redis.disconnect();
  });
});
