import { Redis } from "ioredis";
import { bullmqInbox } from "malipo/inbox/bullmq";
import { afterAll, describe, expect, test } from "vitest";
import { inboxSuite } from "../../../suites/inbox.ts";
import { engineSuite } from "../../../suites/inbox-engine.ts";
import { killSuite } from "../../../suites/inbox-kills.ts";
import { receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { startRedis } from "../../../support/engines/redis.ts";

const engine = await startRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 1_500 };

describe.skipIf(engine === undefined)("with a Redis", () => {
  inboxSuite("bullmqInbox", {
    fresh: async ({ retentionMs, retriesLate } = {}) => {
      const queue = `malipo-test-${crypto.randomUUID()}`;
      const backoffMs = () => (retriesLate ? 60_000 : 5);
      const options = { connection: { url }, queue, pace: { ...pace, backoffMs }, retentionMs };
      return { open: () => bullmqInbox(options) };
    },
  });

  killSuite("bullmq", () => url);
  engineSuite("bullmqInbox", engine, (url, queue) =>
    bullmqInbox({ connection: { url }, queue, pace }),
  );

  describe("bullmqInbox and its Redis", { timeout: 70_000 }, () => {
    stopAll();
    const freshQueue = () => `malipo-test-${crypto.randomUUID()}`;

    test("accepts a client of the user with any settings, and leaves it open", async () => {
      const redis = new Redis(url, { maxRetriesPerRequest: 20 });
      const receiver = receiverOn(bullmqInbox({ connection: redis, queue: freshQueue(), pace }));
      const seen: unknown[] = [];
      receiver.onOther(({ data }) => seen.push(data.reference));
      await receiver.start();
      await receiver.post("PAY-1");
      await until(() => seen.length === 1);
      await receiver.stop();
      expect(await redis.ping()).toBe("PONG");
      redis.disconnect();
    });

    /** One delivery in a queue of its own, and the attempts at it. */
    async function posted() {
      const queue = freshQueue();
      const redis = new Redis(url);
      const receiver = receiverOn(bullmqInbox({ connection: { url }, queue, pace }));
      const attempts: number[] = [];
      receiver.onOther((_, { attempt }) => attempts.push(attempt));
      await receiver.post("PAY-1");
      return { queue, redis, receiver, attempts };
    }

    test("retries an event, however often it stalled before", async () => {
      const { queue, redis, receiver, attempts } = await posted();
      // The state that a worker leaves when it dies during the sixth attempt.
      const id = await redis.rpoplpush(`bull:${queue}:wait`, `bull:${queue}:active`);
      await redis.hset(`bull:${queue}:${id}`, "stc", 5);
      await receiver.start();
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([7]);
      redis.disconnect();
    });

    test("makes a dead letter of an event during which 12 processes died; a requeue forgives them", async () => {
      const { queue, redis, receiver, attempts } = await posted();
      const [id] = await redis.lrange(`bull:${queue}:wait`, 0, -1);
      await redis.hset(`bull:${queue}:${id}`, "stc", 12);
      await receiver.start();
      await until(async () => (await receiver.deadLetters.list()).length === 1);
      const [letter] = await receiver.deadLetters.list();
      expect(letter).toMatchObject({ attempts: 12, error: expect.stringContaining("died") });
      expect(attempts).toEqual([]);
      await receiver.deadLetters.requeue(letter?.id as string);
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([1]);
      redis.disconnect();
    });

    test.runIf(engine?.restarts).each([
      ["appendonly", "no", "yes"],
      ["appendfsync", "everysec", "always"],
      ["maxmemory-policy", "allkeys-lru", "noeviction"],
    ])("reports at the start that %s is %s", async (name, bad, good) => {
      const redis = new Redis(url);
      await redis.config("SET", name, bad);
      const receiver = receiverOn(bullmqInbox({ connection: { url }, queue: freshQueue(), pace }));
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
  });
});
