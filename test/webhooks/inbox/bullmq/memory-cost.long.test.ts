import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import { newDelivery, until } from "../../../suites/inbox-stage.ts";
import { startRedis } from "../../../support/engines/redis.ts";

const engine = await startRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const EVENTS = 10_000;
const pace = {
  leaseMs: 1_500,
  backoffMs: () => 5,
  engineTimeoutMs: 20_000,
  minRetentionMs: 86_400_000,
};

const delivery = (number: number) =>
  newDelivery(number, {
    raw: Buffer.from(JSON.stringify({ event: "e", text: "x".repeat(500) })),
    signedAt: Date.now(),
  });

test.skipIf(engine === undefined)(
  "bullmqInbox remembers an event in at most 0.3 kB of memory",
  async () => {
    // With the name that it has by default, by which a key is as long as most are.
    const inbox = bullmqInbox({ connection: { url }, pace });
    const redis = new Redis(url);
    const memory = async () => Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
    const processFrom = async (first: number, count: number) => {
      for (let at = first; at < first + count; at += 500) {
        await Promise.all(
          Array.from({ length: 500 }, (_, one) => inbox.accept(delivery(at + one))),
        );
      }
      await until(async () => {
        const { waiting, running } = (await inbox.stats?.()) ?? {};
        return waiting === 0 && running === 0;
      });
    };
    try {
      await inbox.start({ run: async () => {}, concurrency: 64, onError: () => {} });
      // BullMQ's scripts, and its stream of what happened last, for dashboards.
      await processFrom(0, 2_000);
      const before = await memory();
      await processFrom(2_000, EVENTS);
      expect(((await memory()) - before) / EVENTS).toBeLessThan(300);
      expect(await inbox.accept(delivery(7))).toMatchObject({ kind: "duplicate" });
    } finally {
      await inbox.stop(1_000);
      redis.disconnect();
    }
  },
);
