import { afterAll, describe } from "vitest";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import { engineCrashSuite } from "../../../suites/inbox-engine.ts";
import { killSuite } from "../../../suites/inbox-kills.ts";
import { startRedis } from "../../../support/engines/redis.ts";

const engine = await startRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 1_500 };

describe.skipIf(engine === undefined)("with a Redis", () => {
  killSuite("redis", () => url);
  engineCrashSuite("bullmqInbox", engine, (url, queue) =>
    bullmqInbox({ connection: { url }, queue, pace }),
  );
});
