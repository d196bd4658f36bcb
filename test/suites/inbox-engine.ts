import { setTimeout as sleep } from "node:timers/promises";
import type { Inbox } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import type { Engine } from "../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../support/engines/proxy.ts";
import { gateOf, receiverOn, references, stopAll, until } from "./inbox-stage.ts";

const freshQueue = () => `malipo-test-${crypto.randomUUID()}`;

/** What an inbox promises when its engine fails. */
export function engineSuite(
  name: string,
  engine: Engine | undefined,
  open: (url: string, queue: string) => Inbox,
): void {
  const here = engine as Engine;

  describe.concurrent(`${name}: an engine that fails`, () => {
    stopAll();
    closeProxies();

    test("and is away at the start: 503 until it is back, then everything works", async () => {
      const proxy = await proxyTo(here);
      await proxy.cut();
      const receiver = receiverOn(open(proxy.url, freshQueue()));
      const seen: unknown[] = [];
      receiver.onOther(({ data }) => seen.push(data.reference));
      await receiver.start();
      expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
      await proxy.restore();
      await until(async () => (await receiver.post("PAY-1"))[0] === 200);
      await until(() => seen.length > 0);
      expect(seen).toEqual(["PAY-1"]);
    });

    test("and is never there: stop ends anyway", async () => {
      const proxy = await proxyTo(here);
      await proxy.cut();
      const receiver = receiverOn(open(proxy.url, freshQueue()));
      await receiver.start();
      expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
      await receiver.stop({ timeoutMs: 50 });
    });

    test("and goes away: 503 until it is back, and accepted events are processed", async () => {
      const proxy = await proxyTo(here);
      const receiver = receiverOn(open(proxy.url, freshQueue()));
      const seen = new Set<unknown>();
      receiver.onOther(({ data }, { idempotencyKey }) =>
        seen.add(`${data.reference} ${idempotencyKey}`),
      );
      await receiver.start();
      await receiver.post("PAY-1");
      await until(() => seen.size === 1);
      await proxy.cut();
      expect(await receiver.post("PAY-2")).toEqual([503, "cannot be stored now"]);
      await proxy.restore();
      await until(async () => (await receiver.post("PAY-2"))[0] === 200);
      await until(() => seen.size === 2);
    });

    test("and goes away while a handler runs: stop still lets the handler end", async () => {
      const proxy = await proxyTo(here);
      const receiver = receiverOn(open(proxy.url, freshQueue()));
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
      await proxy.cut();
      await receiver.stop({ timeoutMs: 1_000 });
      expect(ended).toEqual([false]);
    });

    test("and goes away before stop: nothing reconnects after it", async () => {
      const proxy = await proxyTo(here);
      const receiver = receiverOn(open(proxy.url, freshQueue()));
      await receiver.start();
      await receiver.post("PAY-1");
      await proxy.cut();
      // Every client that lost its connection is reconnecting.
      await sleep(500);
      await receiver.stop({ timeoutMs: 100 });
      const before = proxy.connections();
      await proxy.restore();
      // Longer than ioredis waits between two tries.
      await sleep(2_500);
      expect(proxy.connections()).toBe(before);
    });

    test("and stops replying: a delivery results in 503, and neither it nor stop hangs", async () => {
      const proxy = await proxyTo(here);
      const receiver = receiverOn(open(proxy.url, freshQueue()));
      await receiver.start();
      expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
      proxy.silence();
      expect(await receiver.post("PAY-2")).toEqual([503, "cannot be stored now"]);
      await receiver.stop({ timeoutMs: 100 });
    });
  });
}

/** What an inbox promises when its engine dies. */
export function engineCrashSuite(
  name: string,
  engine: Engine | undefined,
  open: (url: string, queue: string) => Inbox,
): void {
  const here = engine as Engine;

  describe(`${name}: an engine that fails`, () => {
    stopAll();

    test.runIf(engine?.restarts)("and is killed and restarted: nothing is lost", async () => {
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
    });
  });
}
