import { setTimeout as sleep } from "node:timers/promises";
import { Cluster } from "ioredis";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../../../src/contract/events.ts";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import { inboxSuite } from "../../../suites/inbox.ts";
import { newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { startRedisCluster, startRedisSentinel } from "../../../support/engines/redis-group.ts";

// Several Redis servers: a cluster, a failover.

const [cluster, group] = await Promise.all([startRedisCluster(), startRedisSentinel()]);
afterAll(async () => {
  await Promise.all([cluster?.stop(), group?.stop()]);
});

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 5_000 };
const freshQueue = () => `malipo-test-${crypto.randomUUID()}`;

describe.skipIf(cluster === undefined)("on a Redis Cluster of three nodes", () => {
  const clients: Cluster[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect();
  });
  const join = () => {
    const client = new Cluster([...(cluster?.addresses ?? [])]);
    clients.push(client);
    return client;
  };

  inboxSuite("bullmqInbox in a cluster", {
    fresh: async ({ retentionMs, retriesLate } = {}) => {
      const queue = freshQueue();
      const backoffMs = () => (retriesLate ? 60_000 : 5);
      return {
        open: () =>
          bullmqInbox({
            connection: join(),
            queue,
            pace: { ...pace, backoffMs, minRetentionMs: retentionMs ?? 86_400_000 },
            retentionMs,
          }),
      };
    },
  });

  describe("bullmqInbox", () => {
    stopAll();

    test("stores all keys of a queue in one slot, and the queues in several", async () => {
      const [client, queue] = [join(), freshQueue()];
      const inbox = bullmqInbox({ connection: client, queue, pace: { ...pace, leaseMs: 60_000 } });
      const receiver = receiverOn(inbox);
      for (const [at, event] of [...EVENT_KINDS, "ticket.opened"].entries()) {
        await inbox.accept(newDelivery(at, { event }));
        await inbox.accept(newDelivery(at, { event, digest: newDelivery(100).digest }));
        await inbox.accept(newDelivery(at + 10, { event, deadLetterReason: "too old" }));
      }
      const nodes = await Promise.all(client.nodes("master").map((node) => node.keys("*")));
      const keys = nodes.flat().filter((key) => key.includes(queue));
      const slots = new Map<string, Set<unknown>>();
      for (const key of keys) {
        const tag = /\{(.*)\}/.exec(key)?.[1] ?? "";
        slots.set(tag, (slots.get(tag) ?? new Set()).add(await client.cluster("KEYSLOT", key)));
      }
      const names = [...EVENT_KINDS, "other"].map((name) => `${queue}-${name}`);
      expect([...slots.keys()].sort()).toEqual(names.sort());
      expect([...slots.values()].every(({ size }) => size === 1)).toBe(true);
      expect(await receiver.stats()).toMatchObject({ waiting: 9, dead: 9, conflicts: 9 });
    });

    test("acknowledges and processes the other kinds while one node does not reply", async () => {
      const [client, queue] = [join(), freshQueue()];
      const settings = { connection: client, queue };
      const inbox = bullmqInbox({ ...settings, pace: { ...pace, engineTimeoutMs: 1_500 } });
      const seen: string[] = [];
      await inbox.start({
        run: async ({ key }) => void seen.push(key),
        concurrency: 8,
        onError: () => {},
      });
      const nodes = new Map<string, Engine | undefined>();
      for (const kind of EVENT_KINDS) {
        const slot = Number(await client.cluster("KEYSLOT", `{${queue}-${kind}}`));
        nodes.set(kind, cluster?.nodeOf(slot));
      }
      const hung = nodes.get("payment.completed");
      const kinds = EVENT_KINDS.filter((kind) => nodes.get(kind) !== hung);
      expect(kinds).not.toEqual([]);
      hung?.hang();
      try {
        await expect(inbox.accept(newDelivery(0))).rejects.toThrow();
        const deliveries = kinds.map((event, at) => newDelivery(at + 1, { event }));
        for (const one of deliveries) {
          expect(await inbox.accept(one)).toMatchObject({ kind: "accepted" });
        }
        await until(() => seen.length === kinds.length);
        expect((await inbox.horizon?.())?.now).toBeGreaterThan(0);
      } finally {
        hung?.resume();
      }
      const isAccepted = () => inbox.accept(newDelivery(0)).then(Boolean, () => false);
      await until(isAccepted);
      await until(() => seen.includes(newDelivery(0).key));
      await inbox.stop(1_000);
    });

    test("has its own connections: the client of the user stays open", async () => {
      const client = join();
      const receiver = receiverOn(bullmqInbox({ connection: client, queue: freshQueue(), pace }));
      await receiver.start();
      expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
      await receiver.stop();
      expect(await client.get("none")).toBe(null);
      expect(receiver.onError).not.toHaveBeenCalled();
    });
  });
});

describe.skipIf(group === undefined)("bullmqInbox behind Sentinel", () => {
  stopAll();

  test("loses nothing when a replica takes over under load, and the process lives on", async () => {
    const receiver = receiverOn(
      bullmqInbox({
        connection: {
          sentinels: [...(group?.addresses ?? [])],
          name: "main",
          sentinelRetryStrategy: () => 100,
        },
        queue: freshQueue(),
        replicas: 1,
        pace,
      }),
    );
    const effects = new Map<string, Set<string>>();
    receiver.on("payment.completed", async ({ data: { reference } }, { idempotencyKey }) => {
      await sleep(2);
      effects.set(reference, (effects.get(reference) ?? new Set()).add(idempotencyKey));
    });
    await receiver.start();
    let [sent, last] = [0, Number.POSITIVE_INFINITY];
    const acknowledged = new Set<string>();
    const senders = Array.from({ length: 8 }, async () => {
      // Until after the failover, however fast the inbox is.
      while (sent < last) {
        sent++;
        const next = `PAY-${sent}`;
        // The service sends again what is not acknowledged.
        while ((await receiver.post(next))[0] !== 200) await sleep(20);
        acknowledged.add(next);
        await sleep(5);
      }
    });
    await until(() => acknowledged.size > 200);
    await group?.failOver();
    last = sent + 200;
    await Promise.all(senders);
    expect(acknowledged.size).toBe(sent);
    await until(() => effects.size === sent);
    expect([...effects.values()].every(({ size }) => size === 1)).toBe(true);
    await until(async () => {
      const { waiting: left, running } = await receiver.stats();
      return left === 0 && running === 0;
    });
    expect((await receiver.stats()).dead).toBe(0);
  });

  test("acknowledges nothing that too few replicas have", async () => {
    const [{ host = "", port = 0 } = {}] = group?.addresses ?? [];
    const connection = { sentinels: [{ host, port }], name: "main" };
    const receiver = receiverOn(
      bullmqInbox({ connection, queue: freshQueue(), replicas: 2, pace }),
    );
    expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
    expect(String(receiver.onError.mock.calls[0]?.[0])).toContain("Of the 2 replicas");
  });

  test("reports at the start that replicas are not waited for", async () => {
    const connection = { sentinels: [...(group?.addresses ?? [])], name: "main" };
    const receiver = receiverOn(bullmqInbox({ connection, queue: freshQueue(), pace }));
    await receiver.start();
    await until(() => receiver.onError.mock.calls.length > 0);
    expect(String(receiver.onError.mock.calls[0]?.[0])).toContain("Set the option `replicas`");
  });
});
