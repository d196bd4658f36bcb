import { Redis } from "ioredis";
import { bullmqInbox } from "malipo/inbox/bullmq";
import { afterAll, describe, expect, test } from "vitest";
import { receiverOn, stopAll } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../../../support/engines/proxy.ts";
import { startRedis } from "../../../support/engines/redis.ts";

const engine = await startRedis();
const here = engine as Engine;
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 1_500 };
const freshQueue = () => `malipo-test-${crypto.randomUUID()}`;

describe.skipIf(engine === undefined)(
  "bullmqInbox: an engine in trouble",
  { timeout: 60_000 },
  () => {
    stopAll();
    closeProxies();

    test("acknowledges no event that is nowhere", async () => {
      const queue = freshQueue();
      const redis = new Redis(here.url);
      const keys = () => redis.keys(`bull:${queue}:*`);
      const proxy = await proxyTo(here);
      const receiver = receiverOn(bullmqInbox({ connection: { url: proxy.url }, queue, pace }));
      // As after a failover between adding the event and looking at it.
      proxy.beforeRequests(async (chunk) => {
        if (!/hgetall|hmget/i.test(chunk.toString())) return;
        const all = await keys();
        if (all.length > 0) await redis.del(all);
      });
      const [status] = await receiver.post("PAY-1");
      const isStored = (await redis.llen(`bull:${queue}:wait`)) === 1;
      expect(status).toBe(isStored ? 200 : 503);
      redis.disconnect();
    });
  },
);
