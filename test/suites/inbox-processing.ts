import { setTimeout as sleep } from "node:timers/promises";
import type { HandlerContext } from "malipo/webhooks";
import { signWebhook } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { deliveryOf, SECRET } from "../stress/inboxes/sender.ts";
import {
  gateOf,
  type InboxUnderTest,
  receiverOn,
  references,
  type Store,
  stopAll,
  until,
} from "./inbox-stage.ts";

/** How an inbox processes events: attempts, retries, dead letters, stop. */
export function processingSuite(name: string, { fresh, ...under }: InboxUnderTest): void {
  describe.concurrent(`${name}: processing`, () => {
    stopAll();

    test("an event is a dead letter after 12 attempts, and processed as new after a requeue", async () => {
      const receiver = receiverOn((await fresh()).open());
      const attempts: number[] = [];
      const others: unknown[] = [];
      let poisoned = true;
      receiver.on("payment.completed", ({ data }, { attempt }) => {
        if (data.reference !== "PAY-1") return others.push(data.reference);
        attempts.push(attempt);
        if (poisoned) throw new TypeError("poison \u0000 \ud800");
        return undefined;
      });
      await receiver.start();
      for (const reference of references(3)) await receiver.post(reference);
      await until(async () => (await receiver.deadLetters.list()).length === 1);
      expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      expect(others.sort()).toEqual(["PAY-2", "PAY-3"]);
      const [dead] = await receiver.deadLetters.list();
      expect(dead).toMatchObject({ event: "payment.completed", attempts: 12 });
      const { body } = await receiver.deadLetters.read(dead?.id ?? "");
      expect(body).toBe(deliveryOf("PAY-1").body);
      expect(dead?.error).toContain("TypeError: poison");
      expect(await receiver.post("PAY-1")).toEqual([200, "received before"]);

      poisoned = false;
      await expect(receiver.deadLetters.requeue("none")).rejects.toMatchObject({
        code: "configuration",
        message: expect.stringMatching(/no dead letter "none"\. .*deadLetters\.list\(\)/),
      });
      await receiver.deadLetters.requeue(dead?.id as string);
      await until(() => attempts.length === 13);
      expect(attempts.at(-1)).toBe(1);
      expect(await receiver.deadLetters.list()).toEqual([]);
      await expect(receiver.deadLetters.requeue(dead?.id as string)).rejects.toMatchObject({
        code: "configuration",
      });
      expect(await receiver.post("PAY-1")).toEqual([200, "received before"]);
    });

    test("an event is retried, whatever its handler throws", async () => {
      const receiver = receiverOn((await fresh()).open());
      const thrown: unknown[] = [
        undefined,
        null,
        0,
        "text",
        Symbol("odd"),
        Object.create(null),
        Object.assign(new Error("stop trying"), { name: "UnrecoverableError" }),
        Object.assign(new Error("hold"), { name: "WaitingError" }),
        new Error("bullmq:rateLimitExceeded"),
      ];
      const done: unknown[] = [];
      receiver.on("payment.completed", ({ data: { reference } }, { attempt }) => {
        if (attempt === 1) throw thrown[Number(reference.slice(4)) - 1];
        done.push(reference);
      });
      await receiver.start();
      const names = references(thrown.length);
      for (const reference of names) await receiver.post(reference);
      await until(() => done.length === names.length);
      expect(done.sort()).toEqual(names);
    });

    test("a handler that never ends is abandoned, and the event retried", async () => {
      const receiver = receiverOn((await fresh()).open(), { handlerTimeoutMs: 100 });
      const contexts: HandlerContext[] = [];
      receiver.onOther((_, context) => {
        contexts.push(context);
        return context.attempt === 1 ? new Promise(() => {}) : undefined;
      });
      await receiver.start();
      await receiver.post("PAY-1");
      await until(() => contexts.length === 2);
      const [first, second] = contexts;
      expect(first?.signal.aborted).toBe(true);
      expect(second).toMatchObject({ attempt: 2, idempotencyKey: first?.idempotencyKey });
    });

    test("stop lets running handlers end, takes nothing new, and leaves the rest to the next receiver", async () => {
      const store = await fresh();
      const first = receiverOn(store.open(), { concurrency: 2 });
      const [gate, open] = gateOf<void>();
      const begun: string[] = [];
      const ended: string[] = [];
      first.on("payment.completed", async ({ data: { reference } }, { signal }) => {
        begun.push(reference);
        await gate;
        if (!signal.aborted) ended.push(reference);
      });
      await first.start();
      const names = references(5);
      for (const reference of names) await first.post(reference);
      await until(() => begun.length === 2);
      const stopped = first.stop({ timeoutMs: 20_000 });
      expect(await first.post("PAY-9")).toEqual([503, "stopping"]);
      await sleep(50);
      open();
      await stopped;
      expect(begun).toHaveLength(2);
      expect(ended.sort()).toEqual([...begun].sort());

      const next = receiverOn(store.open());
      const rest: unknown[] = [];
      next.onOther(({ data }, { attempt }) => rest.push([data.reference, attempt]));
      await next.start();
      await until(() => rest.length >= 3);
      const left = names.filter((reference) => !ended.includes(reference));
      expect(rest.sort()).toEqual(left.map((reference) => [reference, 1]));
    });

    test("an event that was acknowledged just before stop is processed, by this receiver or the next", async () => {
      const store: Store = await fresh();
      const first = receiverOn(store.open());
      const seen: unknown[] = [];
      first.onOther(({ data }) => void seen.push(data.reference));
      await first.start();
      await first.post("PAY-1");
      await first.stop({ timeoutMs: 5_000 });

      const next = receiverOn(store.open());
      next.onOther(({ data }) => void seen.push(data.reference));
      // A process that ends takes the events of the memory inbox with it.
      if (!under.isSingleProcess) await next.start();
      if (!under.isSingleProcess) await until(() => seen.length > 0);
      expect(seen).toEqual(["PAY-1"]);
    });

    test("stop hands back events that do not end, and the next receiver processes them", async () => {
      const store: Store = await fresh();
      const first = receiverOn(store.open());
      const [begun, begin] = gateOf<AbortSignal>();
      first.onOther((_, { signal }) => {
        begin(signal);
        return new Promise(() => {});
      });
      await first.start();
      await first.post("PAY-1");
      const signal = await begun;
      await first.stop({ timeoutMs: 50 });
      expect(signal.aborted).toBe(true);

      const next = receiverOn(store.open());
      const attempts: number[] = [];
      next.onOther((_, { attempt }) => attempts.push(attempt));
      await next.start();
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([under.countsReleases ? 2 : 1]);
    });

    test("an inbox serves one receiver", async () => {
      const inbox = (await fresh()).open();
      await receiverOn(inbox).start();
      await expect(receiverOn(inbox).start()).rejects.toMatchObject({
        code: "configuration",
        message: expect.stringContaining("one inbox for each receiver"),
      });
    });

    test("an inbox can be stopped without a start", async () => {
      await (await fresh()).open().stop(100);
    });

    test("a dead letter keeps every byte, and can be requeued before start()", async () => {
      const store = await fresh();
      const first = receiverOn(store.open());
      first.onOther(() => {
        throw new Error("no stock");
      });
      const body = '\uFEFF{"event":"payment.completed", "data":{"reference":"Ω"}}';
      const headers = { "x-service-signature": signWebhook(body, SECRET) };
      await first.handle({ method: "POST", headers, body });
      await first.start();
      await until(async () => (await first.deadLetters.list()).length === 1);
      const [dead] = await first.deadLetters.list();
      expect((await first.deadLetters.read(dead?.id ?? "")).body).toBe(body);
      await first.stop({ timeoutMs: 1_000 });

      const next = receiverOn(store.open());
      const attempts: number[] = [];
      next.onOther((_, { attempt }) => attempts.push(attempt));
      await next.deadLetters.requeue(dead?.id as string);
      await next.start();
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([1]);
    });
  });
}
