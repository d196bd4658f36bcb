import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import type { NewDelivery } from "malipo/types";
import type { Inbox } from "malipo/webhooks";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import { newDelivery, until } from "../../../suites/inbox-stage.ts";
import { sharedRedis } from "../../../support/engines/shared.ts";

const engine = await sharedRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 20_000 };
const DAY_MS = 86_400_000;

describe.skipIf(engine === undefined)("bullmqInbox: what is remembered", () => {
  const opened: Inbox[] = [];
  const clients: Redis[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((inbox) => inbox.stop(1_000)));
    for (const redis of clients.splice(0)) redis.disconnect();
  });

  function open(given: { retentionMs?: number; minRetentionMs?: number } = {}) {
    const { retentionMs, minRetentionMs = DAY_MS } = given;
    const queue = `malipo-test-${crypto.randomUUID()}`;
    const settings = { connection: { url }, queue, retentionMs };
    const inbox = bullmqInbox({ ...settings, pace: { ...pace, minRetentionMs } });
    const redis = new Redis(url);
    opened.push(inbox);
    clients.push(redis);
    const tag = `{${queue}-payment.completed}`;
    const recordOf = (number: number) => redis.get(`${tag}:${delivery(number).key}`);
    const lifeOf = (number: number) => redis.pttl(`${tag}:${delivery(number).key}`);
    return { inbox, redis, queue, tag, recordOf, lifeOf };
  }
  const delivery = (number: number, given: Partial<NewDelivery> = {}) =>
    newDelivery(number, {
      raw: Buffer.from(JSON.stringify({ event: "e", text: "x".repeat(500) })),
      signedAt: Date.now(),
      ...given,
    });
  const start = (inbox: Inbox) =>
    inbox.start({ run: async () => {}, concurrency: 64, onError: () => {} });

  test("is recognised at every moment between its processing and the end of the retention", async () => {
    const { inbox, recordOf } = open();
    const attempts: number[] = [];
    await inbox.start({
      run: async ({ attempt }) => void attempts.push(attempt),
      concurrency: 8,
      onError: () => {},
    });
    await inbox.accept(delivery(1));
    do {
      expect(await inbox.accept(delivery(1))).toMatchObject({ kind: "duplicate" });
    } while (!(await recordOf(1))?.startsWith("d "));
    for (let times = 0; times < 20; times++) {
      expect(await inbox.accept(delivery(1))).toMatchObject({ kind: "duplicate" });
    }
    const { digest } = delivery(2);
    expect(await inbox.accept({ ...delivery(1), digest })).toMatchObject({ kind: "conflict" });
    expect(attempts).toEqual([1]);
  });

  test("is written before the job ends", async () => {
    const { inbox, tag, redis, recordOf } = open();
    const jobs = new Queue(tag, { connection: redis });
    for (let number = 1; number <= 200; number++) await inbox.accept(delivery(number));
    await start(inbox);
    let states = 0;
    for (let number = 1; number <= 200; number++) {
      // Whatever is seen of the job first, the record is at least as far.
      while ((await jobs.getJob(delivery(number).key)) !== undefined) states++;
      expect(await recordOf(number)).toMatch(/^d /);
    }
    expect(states).toBeGreaterThan(0);
    await until(
      async () => (await jobs.getJobCountByTypes("active", "waiting", "completed")) === 0,
    );
    await jobs.close();
  });

  test("is forgotten by the clock of Redis, whatever the clock of the process says", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      for (const jumpMs of [15 * DAY_MS, -20 * DAY_MS]) {
        vi.setSystemTime(Date.now() + jumpMs);
        const { inbox, lifeOf, recordOf } = open();
        await start(inbox);
        await inbox.accept(delivery(1, { signedAt: 0 }));
        await until(async () => (await recordOf(1))?.startsWith("d ") === true);
        const life = await lifeOf(1);
        expect(life).toBeGreaterThan(14 * DAY_MS - 60_000);
        expect(life).toBeLessThanOrEqual(14 * DAY_MS);
        vi.setSystemTime(Date.now() - jumpMs);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  test("is remembered from the later of its end and its signed time, for a day at least", async () => {
    const { inbox, lifeOf, recordOf } = open({ retentionMs: 1 });
    await start(inbox);
    const ahead = Date.now() + 3_600_000;
    await inbox.accept(delivery(1));
    await inbox.accept(delivery(2, { signedAt: ahead }));
    await inbox.accept(delivery(3, { signedAt: undefined }));
    for (const number of [1, 2, 3]) {
      await until(async () => (await recordOf(number))?.startsWith("d ") === true);
    }
    const lives = [await lifeOf(1), await lifeOf(2)];
    expect(lives.map((life) => Math.round(life / 3_600_000))).toEqual([24, 25]);
    expect(await lifeOf(3)).toBe(-1);
  });

  test.each([
    ["half a day", 0.5, 1],
    ["three days", 3, 3],
  ])(
    "is not counted on after a retention of a day was raised %s ago",
    async (_, raisedDays, sinceDays) => {
      const { inbox, redis, tag } = open({ retentionMs: 14 * DAY_MS });
      await inbox.accept(delivery(1));
      const usedUntil = Date.now() - raisedDays * DAY_MS;
      await redis.hset(`${tag}:meta`, `retention:${DAY_MS}`, usedUntil);
      const { now = 0, remembersSince = 0 } = (await inbox.horizon?.()) ?? {};
      expect((now - remembersSince) / DAY_MS).toBeCloseTo(sinceDays, 2);
    },
  );

  test("calls onError with the number of events that were never processed for the whole retention", async () => {
    const { inbox, queue, recordOf } = open({ retentionMs: 1_000, minRetentionMs: 1_000 });
    for (const number of [1, 2]) await inbox.accept(delivery(number));
    const onError = vi.fn();
    const kinds = ["invoice.paid"];
    await inbox.start({ run: async () => {}, concurrency: 1, kinds, onError });
    const deleted = () =>
      onError.mock.calls.reduce(
        (sum, [error]) => sum + Number(/^Error: (\d+) ack/.exec(error)?.[1]),
        0,
      );
    await until(() => deleted() === 2);
    expect(await recordOf(1)).toBe(null);
    // Events of a queue that a process works on stay, however long they wait.
    const settings = { connection: { url }, queue, retentionMs: 500 };
    const other = bullmqInbox({ ...settings, pace: { ...pace, minRetentionMs: 500 } });
    opened.push(other);
    const run = () => new Promise<void>(() => {});
    await other.start({ run, concurrency: 1, onError });
    for (const number of [3, 4]) await other.accept(delivery(number));
    await sleep(3_000);
    expect(await recordOf(4)).toMatch(/^p /);
    expect(deleted()).toBe(2);
  });
});
