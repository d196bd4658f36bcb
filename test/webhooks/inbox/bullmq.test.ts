import { Queue } from "bullmq";
import { bullmqInbox } from "malipo/inbox/bullmq";
import { afterAll, describe } from "vitest";
import { inboxSuite } from "../../conformance/inbox.ts";
import { engineSuite } from "../../conformance/inbox-engine.ts";
import { killSuite } from "../../conformance/inbox-kills.ts";
import { startRedis } from "../../engines/redis.ts";

const engine = await startRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5 };

describe.skipIf(engine === undefined)("with a Redis", () => {
  inboxSuite("bullmqInbox", {
    fresh: async () => {
      const queue = `malipo-test-${crypto.randomUUID()}`;
      return {
        open: () => bullmqInbox({ connection: { url }, queue, pace }),
        conflicts: async () => {
          const conflicts = new Queue(`${queue}-conflicts`, { connection: { url } });
          const jobs = await conflicts.getWaiting();
          await conflicts.close();
          return jobs.map(({ data }) => data.body);
        },
      };
    },
  });

  killSuite("bullmq", () => url);
  engineSuite("bullmqInbox", engine, (url, queue) =>
    bullmqInbox({ connection: { url }, queue, pace }),
  );
});
