import { afterAll } from "vitest";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import { serverClockSuite } from "../../../suites/inbox-server-clock.ts";
import { startWithClock } from "../../../support/engines/clock.ts";
import { hasRedisServer, redisRecipe } from "../../../support/engines/redis.ts";

const isThere = hasRedisServer("a Redis with a clock");
const engine = await startWithClock(isThere ? redisRecipe() : undefined);
afterAll(() => engine?.stop());

serverClockSuite("bullmqInbox", {
  engine,
  waitsForClock: true,
  on: (here) => ({
    fresh: async ({ retriesAfterMs = 5 } = {}) => {
      const queue = `malipo-test-${crypto.randomUUID()}`;
      const pace = { leaseMs: 1_500, engineTimeoutMs: 1_500, backoffMs: () => retriesAfterMs };
      return { open: ({ url = here } = {}) => bullmqInbox({ connection: { url }, queue, pace }) };
    },
  }),
});
