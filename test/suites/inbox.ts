import { signWebhook } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { deliveryOf, SECRET } from "../stress/inboxes/sender.ts";
import { conflictSuite } from "./inbox-conflicts.ts";
import { deadLetterSuite } from "./inbox-dead-letters.ts";
import { processingSuite } from "./inbox-processing.ts";
import { queueSuite } from "./inbox-queues.ts";
import {
  gateOf,
  type InboxUnderTest,
  newDelivery,
  receiverOn,
  references,
  stopAll,
  until,
} from "./inbox-stage.ts";
import { statsSuite } from "./inbox-stats.ts";

// Forward and back by hours, and a little back.
const JUMPS = [3_600_000, -7_200_000, -2_000];

/** What every inbox promises to the receiver on it. */
export function inboxSuite(name: string, under: InboxUnderTest): void {
  const { fresh, isSingleProcess = false } = under;

  describe(`${name}: what is accepted`, () => {
    stopAll();

    test("of a hundred equal deliveries at the same time, one is processed and 99 are duplicates", async () => {
      const receiver = receiverOn((await fresh()).open());
      const effect = vi.fn();
      receiver.on("payment.completed", ({ data }) => effect(data.reference));
      await receiver.start();
      const replies = await Promise.all(Array.from({ length: 100 }, () => receiver.post("PAY-1")));
      expect(replies.filter(([status]) => status === 200)).toHaveLength(100);
      expect(replies.filter(([, words]) => words === "received")).toHaveLength(1);
      expect(replies.filter(([, words]) => words === "received before")).toHaveLength(99);
      await receiver.post("PAY-2");
      await until(() => effect.mock.calls.length >= 2);
      expect(effect.mock.calls.flat().sort()).toEqual(["PAY-1", "PAY-2"]);
    });

    test("a duplicate long after the event was processed is not processed again", async () => {
      const receiver = receiverOn((await fresh()).open());
      const effect = vi.fn();
      receiver.onOther(({ data }) => effect(data.reference));
      await receiver.start();
      await receiver.post("PAY-1");
      await until(() => effect.mock.calls.length === 1);
      // As soon as the next event is processed, the end of this one is written.
      await receiver.post("PAY-2");
      await until(() => effect.mock.calls.length === 2);
      expect(await receiver.post("PAY-1")).toEqual([200, "received before"]);
      await receiver.post("PAY-3");
      await until(() => effect.mock.calls.length >= 3);
      expect(effect.mock.calls.flat()).toEqual(["PAY-1", "PAY-2", "PAY-3"]);
    });

    test("the same key with other data is stored beside the first, reported and not processed", async () => {
      const receiver = receiverOn((await fresh()).open());
      const amounts = vi.fn();
      receiver.on("payment.completed", ({ data }) => amounts(data.amount));
      await receiver.start();
      expect(await receiver.post("PAY-1", "100.00")).toEqual([200, "received"]);
      for (let times = 0; times < 2; times++) {
        expect(await receiver.post("PAY-1", "999.00")).toEqual([
          200,
          "received before with other data",
        ]);
      }
      expect(await receiver.post("PAY-1", "100.00")).toEqual([200, "received before"]);
      await receiver.post("PAY-2", "5.00");
      await until(() => amounts.mock.calls.length >= 2);
      // Two events have no order.
      expect(amounts.mock.calls.flat().sort()).toEqual(["100.00", "5.00"]);
      expect(receiver.onConflict).toHaveBeenCalledTimes(2);
      const listed = await receiver.conflicts.list();
      expect(listed).toHaveLength(1);
      const { body } = await receiver.conflicts.read(listed[0]?.id ?? "");
      expect(body).toBe(deliveryOf("PAY-1", "999.00").body);
    });

    test("waits for start(), and is processed byte for byte", async () => {
      const inbox = (await fresh()).open();
      const raws: string[] = [];
      const receiver = receiverOn({
        ...inbox,
        start: (options) =>
          inbox.start({
            ...options,
            run: (job) => {
              raws.push(Buffer.from(job.raw).toString());
              return options.run(job);
            },
          }),
      });
      const bodies = [
        '{"event":"shipped","data":{"reference":"\\u0000 \\ud800","text":"\\u0000 Ω 💸"}}',
        '\uFEFF{"event":"payment.completed",\r\n "data":{"reference":"2"}}',
      ];
      receiver.onOther(() => {});
      for (const body of bodies) {
        const headers = { "x-service-signature": signWebhook(body, SECRET) };
        expect((await receiver.handle({ method: "POST", headers, body })).status).toBe(200);
      }
      expect(raws).toEqual([]);
      await receiver.start();
      await until(() => raws.length === 2);
      expect(raws.sort()).toEqual(bodies.sort());
    });

    test("may have a key of decimal digits only", async () => {
      const inbox = (await fresh()).open();
      const receiver = receiverOn(inbox);
      const keys: string[] = [];
      receiver.onOther((_, { idempotencyKey }) => keys.push(idempotencyKey));
      await receiver.start();
      const key = "1234567890".repeat(7).slice(0, 64);
      const delivery = newDelivery(1, { key, digest: key });
      expect(await inbox.accept(delivery)).toMatchObject({ kind: "accepted" });
      expect(await inbox.accept(delivery)).toMatchObject({ kind: "duplicate" });
      await until(() => keys.length > 0);
      expect(keys).toEqual([key]);
    });

    test("is handed out with the time and the trace of its request, at every attempt", async () => {
      const inbox = (await fresh()).open();
      const seen: unknown[] = [];
      await inbox.start({
        run: async ({ key, attempt, receivedAt, traceContext }) => {
          seen.push({ key, attempt, receivedAt, traceContext });
          if (attempt === 1) throw new Error("once");
        },
        concurrency: 1,
        onError: () => {},
      });
      const traceContext = {
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        tracestate: "congo=t61rcWkgMzE",
      };
      const delivery = newDelivery(1, { traceContext });
      await inbox.accept(delivery);
      await until(() => seen.length === 2);
      await inbox.accept(newDelivery(2));
      await until(() => seen.length === 4);
      await inbox.stop(1_000);
      const { key, receivedAt } = delivery;
      expect(seen).toEqual([
        { key, attempt: 1, receivedAt, traceContext },
        { key, attempt: 2, receivedAt, traceContext },
        ...[1, 2].map((attempt) => ({
          key: newDelivery(2).key,
          attempt,
          receivedAt: newDelivery(2).receivedAt,
          traceContext: undefined,
        })),
      ]);
    });

    test("is processed once, whatever the clock does", async () => {
      const receiver = receiverOn((await fresh()).open());
      const seen: unknown[] = [];
      receiver.onOther(({ data }) => seen.push(data.reference));
      await receiver.start();
      vi.useFakeTimers({ toFake: ["Date"] });
      try {
        const names = references(9);
        for (const [at, reference] of names.entries()) {
          vi.setSystemTime(Date.now() + (JUMPS[at % 3] ?? 0));
          expect(await receiver.post(reference)).toEqual([200, "received"]);
        }
        await until(() => seen.length >= names.length);
        expect(seen.sort()).toEqual(names);
      } finally {
        vi.useRealTimers();
      }
    });

    test("does not wait because the clock was ahead when it was received", async () => {
      const receiver = receiverOn((await fresh()).open());
      const seen: unknown[] = [];
      receiver.onOther(({ data }) => seen.push(data.reference));
      vi.useFakeTimers({ toFake: ["Date"] });
      vi.setSystemTime(Date.now() + 86_400_000);
      expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
      vi.useRealTimers();
      await receiver.start();
      await until(() => seen.length > 0);
      expect(seen).toEqual(["PAY-1"]);
    });

    test.runIf(!isSingleProcess)(
      "is shared by two workers on one store, and processed once",
      async () => {
        const store = await fresh();
        const workers = [receiverOn(store.open()), receiverOn(store.open())];
        const seen = workers.map((): unknown[] => []);
        // The first handlers wait until both workers have an event: one alone could be done before the other looks.
        const [both, open] = gateOf<void>();
        for (const [at, worker] of workers.entries()) {
          worker.onOther(async ({ data }) => {
            seen[at]?.push(data.reference);
            if (seen.every(({ length }) => length > 0)) open();
            await both;
          });
          await worker.start();
        }
        const names = references(200);
        await Promise.all(names.map((reference, at) => workers[at % 2]?.post(reference)));
        await until(() => seen.flat().length >= names.length);
        expect(seen.flat().sort()).toEqual([...names].sort());
      },
    );
  });

  processingSuite(name, under);
  deadLetterSuite(name, under);
  conflictSuite(name, under);
  queueSuite(name, under);
  statsSuite(name, under);
}
