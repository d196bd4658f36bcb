import { Cluster, Redis } from "ioredis";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { redisWakeups } from "../../../src/client/wakeups/redis-wakeups.ts";
import { startRedisCluster, startRedisSentinel } from "../../support/engines/redis-group.ts";

const [cluster, group] = await Promise.all([startRedisCluster(), startRedisSentinel()]);
const clients: (Redis | Cluster)[] = [];

/** One machine with own clients. */
function machine(connect: () => Redis | Cluster) {
  const [publisher, subscriber] = [connect(), connect()];
  for (const client of [publisher, subscriber]) {
    client.on("error", () => {});
    clients.push(client);
  }
  return redisWakeups({ publisher, subscriber });
}

/** Notifies until the wake-up arrives: a subscription takes a moment, and Redis keeps no messages. */
async function heard(from: { notify(reference: string): void }, look: ReturnType<typeof vi.fn>) {
  const heardOf = () => {
    from.notify("PAY-1");
    return look.mock.calls.length;
  };
  await expect.poll(heardOf, { interval: 20 }).toBeGreaterThan(0);
}

afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(async () => {
  await Promise.all([cluster?.stop(), group?.stop()]);
});

describe.skipIf(cluster === undefined)("over a Redis Cluster", () => {
  test("each machine gets the wake-ups, until it closes", async () => {
    const join = () => new Cluster([...(cluster?.addresses ?? [])]);
    const [here, there] = [machine(join), machine(join)];
    const [mine, other] = [vi.fn(), vi.fn()];
    here.wake("PAY-1", mine);
    there.wake("PAY-1", other);
    await heard(here, other);
    await heard(there, mine);
    await there.close();
    other.mockClear();
    mine.mockClear();
    await heard(here, mine);
    expect(other).not.toHaveBeenCalled();
  });
});

describe.skipIf(group === undefined)("behind Sentinel", () => {
  test("wake-ups arrive again after a failover", async () => {
    const sentinels = [...(group?.addresses ?? [])];
    const connect = () =>
      new Redis({
        sentinels,
        name: "main",
        sentinelRetryStrategy: () => 100,
        retryStrategy: () => 100,
      });
    const [here, there] = [machine(connect), machine(connect)];
    const look = vi.fn();
    here.wake("PAY-1", look);
    await heard(there, look);
    await group?.failOver();
    look.mockClear();
    await heard(there, look);
  });
});
