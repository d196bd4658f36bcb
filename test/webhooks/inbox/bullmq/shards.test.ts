import { Redis } from "ioredis";
import { bullmqInbox } from "malipo/inbox/bullmq";
import type { Inbox } from "malipo/webhooks";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { shardsOf } from "../../../../src/webhooks/inbox/bullmq/shards/shard-number.ts";
import { newDelivery, until } from "../../../suites/inbox-stage.ts";
import { startRedis } from "../../../support/engines/redis.ts";

const engine = await startRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 5_000 };
const EVENTS = 200;
const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, at) => at + from);
/** A delivery with a key as a digest has it. */
function delivery(number: number) {
  const key = newDelivery(number).key.replace(/^0{16}/, hash(number));
  return newDelivery(number, { key });
}
const hash = (number: number) =>
  ((BigInt(number) * 0x9e37_79b9_7f4a_7c15n) & 0xffff_ffff_ffff_ffffn)
    .toString(16)
    .padStart(16, "0");

describe("the shards of an event", () => {
  test("are one of as many as there are, about equally many in each", () => {
    const counts = [0, 0, 0, 0];
    for (const number of numbers(4_000)) {
      const [at, ...more] = shardsOf(delivery(number).key, { first: 4, now: 4 });
      expect(more).toEqual([]);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });

  test("after a raise, are those that it had with each lower number", () => {
    for (const number of numbers(1_000)) {
      const { key } = delivery(number);
      const seen = [2, 3, 4, 5, 6].map((now) => shardsOf(key, { first: now, now })[0]);
      expect(shardsOf(key, { first: 2, now: 6 })).toEqual([...new Set(seen)]);
    }
  });
});

describe.skipIf(engine === undefined)("bullmqInbox on shards", { timeout: 60_000 }, () => {
  const opened: Inbox[] = [];
  const clients: Redis[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((inbox) => inbox.stop(1_000)));
    for (const redis of clients.splice(0)) redis.disconnect();
  });

  function place() {
    const queue = `malipo-test-${crypto.randomUUID()}`;
    const redis = new Redis(url);
    clients.push(redis);
    const open = (shards?: number): Inbox => {
      const inbox = bullmqInbox({ connection: { url }, queue, shards, pace });
      opened.push(inbox);
      return inbox;
    };
    const waiting = () =>
      Promise.all(["", "-2", "-3", "-4"].map((end) => redis.llen(`bull:${queue}${end}:wait`)));
    return { queue, redis, open, waiting };
  }

  /** Starts an inbox. Gives the numbers of the events that it processes, and how many at a time. */
  async function started(inbox: Inbox, concurrency = 8) {
    const seen: string[] = [];
    let running = 0;
    let most = 0;
    await inbox.start({
      run: async ({ key }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        seen.push(key);
      },
      concurrency,
      onError: () => {},
    });
    return { seen, most: () => most };
  }

  test("puts events on all of them, and one receiver serves all within its concurrency", async () => {
    const { open, waiting } = place();
    const inbox = open(4);
    const deliveries = numbers(EVENTS).map(delivery);
    await Promise.all(deliveries.map((one) => inbox.accept(one)));
    for (const count of await waiting()) expect(count).toBeGreaterThan(20);
    expect(await inbox.stats?.()).toMatchObject({ stored: EVENTS, waiting: EVENTS });
    for (const one of deliveries.slice(0, 9)) {
      expect(await inbox.accept(one)).toMatchObject({ kind: "duplicate" });
    }
    const { seen, most } = await started(inbox, 3);
    await until(() => seen.length >= EVENTS);
    expect(seen.sort()).toEqual(deliveries.map(({ key }) => key).sort());
    expect(most()).toBeLessThanOrEqual(3);
    expect(await inbox.stats?.()).toMatchObject({ stored: EVENTS, waiting: 0 });
  });

  test("lists, requeues and drops dead letters and conflicts of all of them", async () => {
    const { open } = place();
    const inbox = open(4);
    for (const number of numbers(40)) {
      await inbox.accept({ ...delivery(number), deadLetterReason: "too old" });
      await inbox.accept({ ...delivery(number), digest: delivery(99).digest });
    }
    const filter = { kind: undefined, since: undefined, until: undefined, after: undefined };
    for (const list of [inbox.deadLetters, inbox.conflicts]) {
      const items = (await list?.list({ ...filter, limit: 100 })) ?? [];
      expect(items.map(({ receivedAt }) => receivedAt)).toEqual(
        numbers(40).map((number) => delivery(number).receivedAt),
      );
      const ids = items.map(({ id }) => id);
      await expect(list?.drop([...ids, "none"])).rejects.toThrow(/There is no/);
      await list?.drop(ids.slice(0, 20));
      await list?.requeue(ids.slice(20));
      expect(await list?.list({ ...filter, limit: 100 })).toEqual([]);
    }
    const { seen } = await started(inbox);
    await until(() => seen.length >= 40);
    expect(new Set(seen).size).toBe(40);
  });

  test("can be raised while processes with the old number run: nothing is lost or repeated", async () => {
    const { open, waiting } = place();
    const old = open(1);
    const first = numbers(EVENTS).map(delivery);
    await Promise.all(first.map((one) => old.accept(one)));
    const next = open(4);
    const later = numbers(EVENTS, EVENTS + 1).map(delivery);
    const accepted = new Map<string, number>();
    // Each event is delivered to both, before and after the raise comes into effect.
    let isRaised = false;
    for (const [at, one] of later.entries()) {
      if (at === EVENTS / 2) {
        await until(async () => {
          await next.accept(delivery(10_000 + accepted.size));
          accepted.set(`${accepted.size}`, 1);
          isRaised = (await waiting()).slice(1).some((count) => count > 0);
          return isRaised;
        });
      }
      const inboxes = at % 2 === 0 ? [old, next] : [next, old];
      const kinds: string[] = [];
      for (const inbox of inboxes) kinds.push((await inbox.accept(one)).kind);
      expect(kinds).toEqual(["accepted", "duplicate"]);
    }
    expect(isRaised).toBe(true);
    for (const one of first) {
      expect(await next.accept(one)).toMatchObject({ kind: "duplicate" });
      expect(await old.accept(one)).toMatchObject({ kind: "duplicate" });
    }
    const conflict = { ...(first[0] as (typeof first)[0]), digest: delivery(9).digest };
    expect(await next.accept(conflict)).toMatchObject({ kind: "conflict" });
    for (const count of await waiting()) expect(count).toBeGreaterThan(0);
    // The process with the old number serves all of them too.
    const { seen } = await started(old);
    const all = first.length + later.length + accepted.size;
    await until(() => seen.length >= all);
    expect(new Set(seen).size).toBe(all);
    expect(seen).toHaveLength(all);
  });
});
