import { signWebhook } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import type { Job } from "../../src/webhooks/inbox/inbox-types.ts";
import { SECRET } from "../stress/inboxes/sender.ts";
import { type InboxUnderTest, newDelivery, receiverOn, stopAll, until } from "./inbox-stage.ts";

/** What an inbox promises about the queues that a process does not work on. */
export function queueSuite(name: string, { fresh, isSingleProcess = false }: InboxUnderTest): void {
  const title = `${name}: an event of a kind that a process neither handles nor ignores`;
  describe.concurrent(title, () => {
    stopAll();

    const post = (receiver: ReturnType<typeof receiverOn>, event: string, reference: string) => {
      const timestamp = new Date().toISOString();
      const body = JSON.stringify({ event, timestamp, data: { reference } });
      const headers = { "x-service-signature": signWebhook(body, SECRET) };
      return receiver.handle({ method: "POST", headers, body });
    };

    test.runIf(!isSingleProcess)("is handled by the process that has a handler", async () => {
      const store = await fresh();
      const [old, next] = [0, 1].map(() => receiverOn(store.open(), { onUnhandled: () => {} }));
      const seen: unknown[] = [];
      const add =
        (who: string) =>
        (
          event: { event: string; data: { reference?: unknown } },
          { attempt }: { attempt: number },
        ) =>
          seen.push(`${who} ${event.event} ${event.data.reference} ${attempt}`);
      old?.on("payment.completed", add("old"));
      await old?.start();
      for (const at of [1, 2, 3]) {
        await post(old as never, "invoice.paid", `${at}`);
        await post(old as never, "payment.completed", `${at}`);
      }
      await until(() => seen.length === 3);
      next?.on("invoice.paid", add("next"));
      await next?.start();
      await until(() => seen.length >= 6);
      expect(seen.sort()).toEqual([
        ...[1, 2, 3].map((at) => `next invoice.paid ${at} 1`),
        ...[1, 2, 3].map((at) => `old payment.completed ${at} 1`),
      ]);
    });

    test("does not hold up the others, is reported once, and is not a dead letter", async () => {
      const onUnhandled = vi.fn();
      const receiver = receiverOn((await fresh()).open(), { onUnhandled });
      const seen: unknown[] = [];
      receiver.on("payment.completed", ({ data }) => seen.push(data.reference));
      await receiver.start();
      for (let at = 0; at < 50; at++) await post(receiver, "refund.created", `${at}`);
      await post(receiver, "payment.completed", "PAY-1");
      await until(() => seen.length === 1);
      expect(JSON.parse((await post(receiver, "refund.created", "7")).body).ResultDesc).toBe(
        "received before",
      );
      expect(onUnhandled.mock.calls).toEqual([["refund.created"]]);
      expect(await receiver.deadLetters.list()).toEqual([]);
      expect(receiver.onError).not.toHaveBeenCalled();
    });

    test("comes at the same time as others, and as dead letters: all are stored, each as its own kind", async () => {
      const inbox = (await fresh()).open();
      const seen: string[] = [];
      const run = async ({ key }: Job) => void seen.push(key);
      const kinds = ["payment.completed"];
      await inbox.start({ run, concurrency: 64, kinds, onError: () => {} });
      const special = [{ event: "invoice.paid" }, { deadLetterReason: "a replay" }, {}];
      const deliveries = Array.from({ length: 30 }, (_, at) => newDelivery(at, special[at % 3]));
      const receipts = await Promise.all(deliveries.map((delivery) => inbox.accept(delivery)));
      expect(receipts.map(({ kind }) => kind)).toEqual(deliveries.map(() => "accepted"));
      const taken = deliveries.filter((_, at) => at % 3 === 2).map(({ key }) => key);
      await until(() => seen.length >= taken.length);
      expect(seen.sort()).toEqual(taken.sort());
      await inbox.stop(1_000);
    });

    test("is deleted when the retention ends, which is reported, and one with a handler is not", async () => {
      const receiver = receiverOn((await fresh({ retentionMs: 1_000 })).open(), {
        onUnhandled: () => {},
      });
      receiver.on("invoice.paid", () => new Promise(() => {}));
      await receiver.start();
      await post(receiver, "payment.completed", "PAY-1");
      await until(
        async () =>
          JSON.parse((await post(receiver, "payment.completed", "PAY-1")).body).ResultDesc ===
          "received",
      );
      await until(() => receiver.onError.mock.calls.length > 0);
      expect(String(receiver.onError.mock.calls[0]?.[0])).toMatch(
        /1 acknowledged event was deleted without being processed/,
      );
    });

    test("is deleted, too, beside undocumented kinds that a process works on", async () => {
      const inbox = (await fresh({ retentionMs: 1_500 })).open();
      const onError = vi.fn();
      const seen: string[] = [];
      const run = async ({ key }: Job) => void seen.push(key);
      await inbox.start({ run, concurrency: 1, kinds: ["refund.created"], onError });
      await inbox.accept(newDelivery(1, { event: "refund.updated" }));
      await inbox.accept(newDelivery(2, { event: "refund.created" }));
      await until(() => onError.mock.calls.length > 0);
      expect(onError.mock.calls.map(([error]) => String(error))).toEqual([
        expect.stringContaining("1 acknowledged event was deleted"),
      ]);
      expect(seen).toEqual([newDelivery(2).key]);
      await inbox.stop(1_000);
    });

    test("is reported each time that some are deleted, however soon after the others", async () => {
      const inbox = (await fresh({ retentionMs: 1_000 })).open();
      const onError = vi.fn();
      await inbox.start({ run: async () => {}, concurrency: 1, kinds: ["invoice.paid"], onError });
      for (const number of [1, 2]) {
        await inbox.accept(newDelivery(number));
        await until(() => onError.mock.calls.length >= number);
      }
      expect(onError.mock.calls.map(([error]) => String(error))).toEqual([
        expect.stringContaining("1 acknowledged event was deleted"),
        expect.stringContaining("1 acknowledged event was deleted"),
      ]);
      await inbox.stop(1_000);
    });
  });
}
