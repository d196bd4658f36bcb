import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Inbox } from "malipo/webhooks";
import { afterEach, describe, expect, test } from "vitest";
import type { Engine } from "../support/engines/engine.ts";
import { gateOf, receiverOn, references, stopAll, until } from "./inbox-stage.ts";

/** A way to an engine that can be cut. */
interface Way {
  readonly url: string;
  /** Refuses connections, and breaks those that are there. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Keeps the connections, and lets nothing through any more. */
  clog(): void;
  /** How many have connected so far. */
  met(): number;
}

const ways = new Set<Server>();

async function wayTo(engine: Engine): Promise<Way> {
  const target = new URL(engine.url);
  const sockets = new Set<Socket>();
  let clogged = false;
  let met = 0;
  const server = createServer((near) => {
    met++;
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("data", (chunk) => clogged || other.write(chunk));
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const cut = async () => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ways.add(server);
  const { port } = server.address() as AddressInfo;
  const url = new URL(engine.url);
  url.port = String(port);
  return {
    url: url.href,
    cut,
    mend: async () => {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    clog: () => {
      clogged = true;
    },
    met: () => met,
  };
}

/** What an inbox on an engine promises when the engine does not keep its own. */
export function engineSuite(
  name: string,
  engine: Engine | undefined,
  open: (url: string, queue: string) => Inbox,
): void {
  const here = engine as Engine;
  const freshQueue = () => `malipo-test-${crypto.randomUUID()}`;

  describe(`${name}: an engine in trouble`, { timeout: 90_000 }, () => {
    stopAll();
    afterEach(() => {
      for (const server of ways) server.close();
      ways.clear();
    });

    test("that is away at the start: 503 until it is back, and then all is well", async () => {
      const way = await wayTo(here);
      await way.cut();
      const receiver = receiverOn(open(way.url, freshQueue()));
      const seen: unknown[] = [];
      receiver.onOther(({ data }) => seen.push(data.reference));
      await receiver.start();
      expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
      await way.mend();
      await until(async () => (await receiver.post("PAY-1"))[0] === 200);
      await until(() => seen.length > 0);
      expect(seen).toEqual(["PAY-1"]);
    });

    test("that is never there: stop ends all the same", async () => {
      const way = await wayTo(here);
      await way.cut();
      const receiver = receiverOn(open(way.url, freshQueue()));
      await receiver.start();
      expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
      await receiver.stop({ timeoutMs: 50 });
    });

    test("that goes away: 503 until it is back, and what was taken is worked", async () => {
      const way = await wayTo(here);
      const receiver = receiverOn(open(way.url, freshQueue()));
      const seen = new Set<unknown>();
      receiver.onOther(({ data }, { idempotencyKey }) =>
        seen.add(`${data.reference} ${idempotencyKey}`),
      );
      await receiver.start();
      await receiver.post("PAY-1");
      await until(() => seen.size === 1);
      await way.cut();
      expect(await receiver.post("PAY-2")).toEqual([503, "cannot be stored now"]);
      await way.mend();
      await until(async () => (await receiver.post("PAY-2"))[0] === 200);
      await until(() => seen.size === 2);
    });

    test("that goes away while a handler runs: stop still lets it end", async () => {
      const way = await wayTo(here);
      const receiver = receiverOn(open(way.url, freshQueue()));
      const [begun, begin] = gateOf<void>();
      const ended: boolean[] = [];
      receiver.onOther(async (_, { signal }) => {
        begin();
        await sleep(300);
        ended.push(signal.aborted);
      });
      await receiver.start();
      await receiver.post("PAY-1");
      await begun;
      await way.cut();
      await receiver.stop({ timeoutMs: 1_000 });
      expect(ended).toEqual([false]);
    });

    test("that goes away before stop: nobody looks for it any more", async () => {
      const way = await wayTo(here);
      const receiver = receiverOn(open(way.url, freshQueue()));
      await receiver.start();
      await receiver.post("PAY-1");
      await way.cut();
      // Whoever lost a connection is trying to have it again.
      await sleep(500);
      await receiver.stop({ timeoutMs: 100 });
      const before = way.met();
      await way.mend();
      // Longer than ioredis and pg-boss wait between two tries.
      await sleep(2_500);
      expect(way.met()).toBe(before);
    });

    test("that falls silent: a delivery is answered with 503 and does not hang, stop neither", async () => {
      const way = await wayTo(here);
      const receiver = receiverOn(open(way.url, freshQueue()));
      await receiver.start();
      expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
      way.clog();
      expect(await receiver.post("PAY-2")).toEqual([503, "cannot be stored now"]);
      await receiver.stop({ timeoutMs: 100 });
    });

    test.runIf(engine?.restarts)(
      "that is killed and restarted in mid-run: nothing is lost",
      async () => {
        const receiver = receiverOn(open(here.url, freshQueue()));
        const effects = new Map<string, Set<string>>();
        receiver.on("payment.completed", async ({ data: { reference } }, { idempotencyKey }) => {
          await sleep(5);
          effects.set(reference, (effects.get(reference) ?? new Set()).add(idempotencyKey));
        });
        await receiver.start();
        const names = references(400);
        const waiting = [...names];
        const senders = Array.from({ length: 8 }, async () => {
          for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
            while ((await receiver.post(next))[0] !== 200) await sleep(20);
          }
        });
        for (const left of [300, 150]) {
          await until(() => waiting.length < left);
          await here.restart();
        }
        await Promise.all(senders);
        await until(() => effects.size === names.length);
        expect([...effects.keys()].sort()).toEqual([...names].sort());
        expect([...effects.values()].every(({ size }) => size === 1)).toBe(true);
      },
    );
  });
}
