import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, describe, expect, test } from "vitest";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import { inboxSuite } from "../../../suites/inbox.ts";
import { clockSuite } from "../../../suites/inbox-clocks.ts";
import { drainSuite } from "../../../suites/inbox-drain.ts";
import { engineSuite } from "../../../suites/inbox-engine.ts";
import { kindsSuite } from "../../../suites/inbox-kinds.ts";
import { ledgerSuite } from "../../../suites/inbox-ledger.ts";
import { merchantSuite } from "../../../suites/inbox-merchants.ts";
import {
  type InboxUnderTest,
  newDelivery,
  receiverOn,
  stopAll,
  until,
} from "../../../suites/inbox-stage.ts";
import { sharedRedis } from "../../../support/engines/shared.ts";

const engine = await sharedRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 1_500 };

describe.skipIf(engine === undefined)("with a Redis", () => {
  const underTest: InboxUnderTest = {
    fresh: async ({ retentionMs, retriesLate, retriesAfterMs = 5 } = {}) => {
      const queue = `malipo-test-${crypto.randomUUID()}`;
      const backoffMs = () => (retriesLate ? 60_000 : retriesAfterMs);
      const options = {
        connection: { url },
        queue,
        pace: { ...pace, backoffMs, minRetentionMs: 1 },
        retentionMs,
      };
      return { open: (given) => bullmqInbox({ ...options, ...given }) };
    },
  };
  inboxSuite("bullmqInbox", underTest);
  ledgerSuite("bullmqInbox", underTest);
  drainSuite("bullmqInbox", underTest);
  clockSuite("bullmqInbox", underTest);
  merchantSuite("bullmqInbox", underTest);
  const inboxOfVersion = (queue: string, before?: () => Promise<unknown>) => async () => {
    await before?.();
    const malipo = await import("../../../../src/webhooks/inbox/bullmq/inbox.ts");
    return () => malipo.bullmqInbox({ connection: { url }, queue, pace });
  };
  const fill = async (queue: string) => {
    const file = new URL("./stored-data/kinds-1.json", import.meta.url);
    const text = readFileSync(file, "utf8").replaceAll("QUEUE", queue);
    const redis = new Redis(url);
    for (const [command = "", ...args] of JSON.parse(text) as string[][]) {
      await redis.call(command, ...args);
    }
    redis.disconnect();
  };
  kindsSuite("bullmqInbox", {
    fresh: () => inboxOfVersion(`malipo-test-${crypto.randomUUID()}`),
    stored: () => {
      const queue = `malipo-test-${crypto.randomUUID()}`;
      let filled: Promise<unknown> | undefined;
      return inboxOfVersion(queue, () => (filled ??= fill(queue)));
    },
  });
  engineSuite("bullmqInbox", engine, (url, queue) =>
    bullmqInbox({ connection: { url }, queue, pace }),
  );

  describe("bullmqInbox and its Redis", () => {
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

    /** One delivery, and the attempts at it. */
    async function posted() {
      const queue = freshQueue();
      const redis = new Redis(url, { maxRetriesPerRequest: null });
      const receiver = receiverOn(bullmqInbox({ connection: { url }, queue, pace }));
      const attempts: number[] = [];
      receiver.onOther((_, { attempt }) => attempts.push(attempt));
      await receiver.post("PAY-1");
      /** Fetches the event and dies, as many times. */
      const die = async (times: number) => {
        const worker = new Worker(`{${queue}-payment.completed}`, null, {
          connection: redis,
          lockDuration: 50,
          stalledInterval: 50,
          maxStalledCount: 100,
        });
        await worker.startStalledCheckTimer();
        for (let at = 0; at < times; at++) {
          const stalled = once(worker, "stalled");
          await until(
            async () => (await worker.getNextJob(`${at}`, { block: false })) !== undefined,
          );
          await stalled;
        }
        await worker.close();
        redis.disconnect();
      };
      return { receiver, attempts, die };
    }

    test("counts each death of a process as an attempt", async () => {
      const { receiver, attempts, die } = await posted();
      await die(6);
      await receiver.start();
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([7]);
    });

    test("makes a dead letter of an event during which 12 processes died; a requeue forgives them", async () => {
      const { receiver, attempts, die } = await posted();
      await die(12);
      await receiver.start();
      await until(async () => (await receiver.deadLetters.list()).length === 1);
      const [letter] = await receiver.deadLetters.list();
      expect(letter).toMatchObject({ attempts: 12, error: expect.stringContaining("died") });
      expect(attempts).toEqual([]);
      await receiver.deadLetters.requeue(letter?.id as string);
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([1]);
    });

    test("says that a requeued event is due since its requeue", async () => {
      const inbox = bullmqInbox({ connection: { url }, queue: freshQueue(), pace });
      const { deadLetters, conflicts, stats, stop } = receiverOn(inbox);
      await inbox.accept(newDelivery(1, { deadLetterReason: "too old" }));
      await inbox.accept(newDelivery(1, { digest: newDelivery(2).digest }));
      await deadLetters.requeue((await deadLetters.list()).map(({ id }) => id));
      const HOUR = 3_600_000;
      expect(await stats()).toMatchObject({ waiting: 1, oldestWaiting: newDelivery(1).receivedAt });
      expect((await stats()).lagMs).toBeLessThan(HOUR);
      await conflicts.requeue((await conflicts.list()).map(({ id }) => id));
      expect(await stats()).toMatchObject({ waiting: 2 });
      expect((await stats()).lagMs).toBeLessThan(HOUR);
      await stop();
    });
  });
});
