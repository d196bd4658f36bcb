import { once as event } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { redisWakeups } from "../../../src/client/wakeups/redis-wakeups.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { createShop, ORDER, once, PHONE } from "../support/shop.ts";

const engine = await startRedis();
const url = engine?.url ?? "redis://127.0.0.1:6379";

const clients: Redis[] = [];
/** One machine: two own clients, and wake-ups over them. */
function machine(options: object = {}, address = url, channel?: string) {
  const quick = { retryStrategy: () => 20, ...options };
  const [publisher, subscriber] = [new Redis(address, quick), new Redis(address, quick)];
  for (const client of [publisher, subscriber]) {
    // Errors of a Redis that has stopped.
    client.on("error", () => {});
    clients.push(client);
  }
  return { ...redisWakeups({ publisher, subscriber }, { channel }), publisher, subscriber };
}

/** The next event of a client; its errors are not waited for. */
const next = (client: Redis, event: "ready" | "reconnecting") =>
  new Promise<void>((resolve) => client.once(event, () => resolve()));

/** Notifies until the wake-up arrives: a subscription takes a moment, and Redis keeps no messages. */
async function heard(from: { notify(reference: string): void }, look: ReturnType<typeof vi.fn>) {
  const heardOf = () => {
    from.notify("PAY-1");
    return look.mock.calls.length;
  };
  await expect.poll(heardOf, { interval: 20 }).toBeGreaterThan(0);
}

/** A port that leads to Redis only while it is open. */
async function door() {
  const { hostname, port: behind } = new URL(url);
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const onward = connect(Number(behind), hostname);
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await event(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `redis://127.0.0.1:${port}`,
    open: async () => {
      server.listen(port, "127.0.0.1");
      await event(server, "listening");
    },
    shut: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await event(server, "close");
    },
  };
}

test("an option that redisWakeups does not have is rejected", () => {
  const clients = { publisher: {} as Redis, subscriber: {} as Redis };
  expect(() => redisWakeups(clients, { chanel: "x" } as object)).toThrow(
    'redisWakeups has no option "chanel". Its options are: channel.',
  );
});

describe.runIf(engine)("over Redis", () => {
  beforeAll(() => {
    vi.setConfig({ testTimeout: 60_000 });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect();
  });
  afterAll(() => engine?.stop());

  test("a webhook of one merchant wakes only waits for that merchant's payment", async () => {
    const [here, there] = [machine(), machine()];
    const [own, other, none] = [vi.fn(), vi.fn(), vi.fn()];
    here.wakeOf("shop-1")("PAY-1", own);
    here.wakeOf("shop-2")("PAY-1", other);
    here.wake("PAY-1", none);
    await heard({ notify: (reference) => there.notify(reference, "shop-1") }, own);
    expect(other).not.toHaveBeenCalled();
    expect(none).not.toHaveBeenCalled();
  });

  test("a webhook that arrives at one machine ends a wait at another with the next read", async () => {
    const { sandbox, shop } = createShop();
    const { gateway, reads } = shop();
    const [here, there] = [machine(), machine()];
    // There is a subscription.
    const probe = vi.fn();
    const stop = here.wake("PAY-1", probe);
    await heard(there, probe);
    stop();

    const { reference } = await gateway.mobileMoney.initiate(ORDER);
    const { wake } = here;
    // The next read of the schedule would be too late.
    const busy = { kind: "status", status: 429, headers: { "retry-after": "3600" } } as const;
    sandbox.faults.add({ match: { method: "GET" }, effect: busy });
    const wait = gateway.payments.waitFor(reference, { wake });
    await expect.poll(() => reads()).toBe(1);
    sandbox.phone(PHONE).approve();
    there.notify(reference);
    await expect(wait).resolves.toMatchObject({ status: "completed", reference });
    expect(reads()).toBe(2);
  });

  test("each machine gets the wake-up once, also the one that notifies", async () => {
    const machines = [machine(), machine(), machine()];
    const looks = machines.map(() => vi.fn());
    for (const [at, { wake }] of machines.entries()) wake("PAY-1", looks[at] as () => void);
    for (const look of looks) await heard(machines[0] as (typeof machines)[0], look);
    // Messages arrive in order: the one before has arrived too.
    const flush = async () => {
      const last = machines.map(({ wake }) => {
        const look = vi.fn();
        wake("LAST", look);
        return look;
      });
      machines[0]?.notify("LAST");
      for (const look of last) await expect.poll(() => look).toHaveBeenCalledTimes(1);
    };
    await flush();
    for (const look of looks) look.mockClear();
    machines[0]?.notify("PAY-1");
    machines[0]?.notify("PAY-2");
    await flush();
    for (const look of looks) expect(look).toHaveBeenCalledTimes(1);
  });

  test("a reference of any characters arrives unchanged", async () => {
    const { wake, notify } = machine();
    for (const reference of ["ünïcødé/💸", "a b\r\nc", "", "x".repeat(10_000)]) {
      const look = vi.fn();
      wake(reference, look);
      const heardOf = () => {
        notify(reference);
        return look.mock.calls.length;
      };
      await expect.poll(heardOf, { interval: 20 }).toBeGreaterThan(0);
    }
  });

  test("channels stay apart", async () => {
    const [live, trial] = [machine({}, url, "live"), machine({}, url, "trial")];
    const [mine, other] = [vi.fn(), vi.fn()];
    live.wake("PAY-1", mine);
    trial.wake("PAY-1", other);
    await heard(live, mine);
    expect(other).not.toHaveBeenCalled();
    await heard(trial, other);
  });

  test("messages of other channels of its client are not wake-ups", async () => {
    const { wake, notify, publisher, subscriber } = machine();
    await subscriber.subscribe("news");
    const [look, last] = [vi.fn(), vi.fn()];
    wake("PAY-1", look);
    await publisher.publish("news", "PAY-1");
    wake("LAST", last);
    const heardOf = () => {
      notify("LAST");
      return last.mock.calls.length;
    };
    await expect.poll(heardOf, { interval: 20 }).toBeGreaterThan(0);
    expect(look).not.toHaveBeenCalled();
  });

  test("clients with a key prefix reach each other", async () => {
    const { wake, notify } = machine({ keyPrefix: "shop:" });
    const look = vi.fn();
    wake("PAY-1", look);
    await heard({ notify }, look);
  });

  test.each<[string, object]>([
    ["usual clients", {}],
    ["clients that give up at once", { maxRetriesPerRequest: 0 }],
    ["clients without an offline queue", { enableOfflineQueue: false }],
    ["clients that connect at their first command", { lazyConnect: true }],
  ])("a Redis that comes late is found, by %s", async (_, options) => {
    const { address, open, shut } = await door();
    await shut();
    const { wake, notify, subscriber } = machine(options, address);
    const look = vi.fn();
    wake("PAY-1", look);
    notify("PAY-1");
    // The client has tried to reach Redis.
    await next(subscriber, "reconnecting");
    await next(subscriber, "reconnecting");
    await open();
    await heard({ notify }, look);
    await shut();
  });

  test("wake-ups arrive again after a broken connection", async () => {
    const { address, open, shut } = await door();
    const { wake, notify, subscriber } = machine({}, address);
    const look = vi.fn();
    wake("PAY-1", look);
    await heard({ notify }, look);
    await shut();
    await next(subscriber, "reconnecting");
    await open();
    look.mockClear();
    await heard({ notify }, look);
    await shut();
  });

  test.runIf(engine?.restarts)("wake-ups arrive again after a crash of Redis", async () => {
    const { wake, notify } = machine();
    const look = vi.fn();
    wake("PAY-1", look);
    await heard({ notify }, look);
    await engine?.restart();
    look.mockClear();
    await heard({ notify }, look);
  });

  test("without Redis a wait goes on with its schedule, and nothing is thrown", async () => {
    const { address, shut } = await door();
    await shut();
    const { wake, notify, close } = machine({ maxRetriesPerRequest: null }, address);
    const { sandbox, shop } = createShop();
    const { gateway } = shop();
    const { reference } = await gateway.mobileMoney.initiate(ORDER);
    const wait = gateway.payments.waitFor(reference, {
      wake,
      waitMs: 800,
      onUpdate: once(() => {
        sandbox.phone(PHONE).approve();
        notify(reference);
      }),
    });
    await expect(wait).resolves.toMatchObject({ status: "completed" });
    // close() does not wait for Redis.
    await close();
  });

  test("after close() there are no wake-ups, and the clients stay open", async () => {
    const { wake, notify, close, publisher, subscriber } = machine();
    const look = vi.fn();
    wake("PAY-1", look);
    await heard({ notify }, look);
    await close();
    look.mockClear();
    expect(await publisher.publish("malipo:wakeups", "PAY-1")).toBe(0);
    expect(look).not.toHaveBeenCalled();
    expect([publisher.status, subscriber.status]).toEqual(["ready", "ready"]);
    // A new connection does not subscribe again.
    subscriber.disconnect(true);
    await next(subscriber, "ready");
    await subscriber.subscribe("another");
    expect(await publisher.publish("malipo:wakeups", "PAY-1")).toBe(0);
    // Nor does a subscription of the client itself.
    await subscriber.subscribe("malipo:wakeups");
    const heardBy = new Promise((resolve) => subscriber.once("message", resolve));
    expect(await publisher.publish("malipo:wakeups", "PAY-1")).toBe(1);
    await heardBy;
    expect(look).not.toHaveBeenCalled();
    // It may be closed twice, and after the client.
    subscriber.disconnect();
    await close();
  });
});
