import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "malipo/types";
import { signWebhook } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { SECRET } from "../stress/inboxes/sender.ts";
import {
  gateOf,
  type InboxUnderTest,
  newDelivery,
  receiverOn,
  stopAll,
  until,
} from "./inbox-stage.ts";

/** What an inbox promises about its numbers. */
export function statsSuite(name: string, { fresh }: InboxUnderTest): void {
  describe.concurrent(`${name}: stats()`, () => {
    stopAll();

    test("count what is stored, in every state", async ({ expect }) => {
      const before = Date.now();
      const receiver = receiverOn((await fresh({ retriesLate: true })).open(), {
        onUnhandled: () => {},
      });
      const { stats, post } = receiver;
      const nothing = { waiting: 0, unhandled: 0, running: 0, dead: 0, conflicts: 0 };
      expect(await stats()).toMatchObject({ ...nothing, oldestWaiting: null, lagMs: 0 });

      const [gate, open] = gateOf<void>();
      receiver.on("payment.completed", ({ data }) => {
        if (data.reference === "PAY-2") return gate;
        if (data.reference === "PAY-3") throw new Error("no stock");
        return undefined;
      });
      await post("PAY-1");
      expect(await stats()).toMatchObject({ ...nothing, waiting: 1 });
      expect((await stats()).oldestWaiting).toBeGreaterThanOrEqual(before);
      await until(async () => (await stats()).lagMs > 20);
      await receiver.start();
      await post("PAY-1", "999.00");
      for (const reference of ["PAY-2", "PAY-3"]) await post(reference);
      const body = '{"event":"invoice.paid","data":{"reference":"INV-1"}}';
      const headers = { "x-service-signature": signWebhook(body, SECRET) };
      await receiver.handle({ method: "POST", headers, body });
      const expected = { waiting: 2, unhandled: 1, running: 1, dead: 0, conflicts: 1 };
      // One waits for its retry, and one for a handler: nothing is late. A process may look at an event
      // more than once before it leaves it to others, so the counts are those of one moment.
      await expect.poll(stats).toMatchObject({ ...expected, lagMs: 0 });
      open();
      await expect.poll(stats).toMatchObject({ ...expected, running: 0 });
    });

    test("an event whose last attempt failed counts as retrying after a stop handed it back", async () => {
      const store = await fresh();
      const inbox = store.open();
      const [secondRuns, begin] = gateOf<void>();
      const run = ({ key }: Job) => {
        if (key === newDelivery(1).key) return Promise.reject(new Error("no stock"));
        begin();
        return gateOf<void>()[0];
      };
      for (const number of [1, 2]) await inbox.accept(newDelivery(number));
      await inbox.start({ run, concurrency: 1, onError: () => {} });
      await secondRuns;
      // The retry of the first is due, and there is no place for it.
      await sleep(500);
      await inbox.stop(0);
      const next = store.open();
      expect((await next.stats?.())?.retrying).toBeGreaterThanOrEqual(1);
      await next.stop(0);
    });

    test("the waiting events are listed with their last error, and read by their id", async ({
      expect,
    }) => {
      const inbox = (await fresh({ retriesLate: true })).open();
      const receiver = receiverOn(inbox, { onUnhandled: () => {} });
      receiver.on("payment.completed", () => {
        throw new TypeError("no stock");
      });
      await receiver.post("PAY-1");
      // Events of one millisecond are ordered by their ids.
      await sleep(2);
      const body = '{"event":"invoice.paid","data":{"reference":"INV-1"}}';
      const headers = { "x-service-signature": signWebhook(body, SECRET) };
      await receiver.handle({ method: "POST", headers, body });
      await receiver.start();
      const filter = { kind: undefined, since: undefined, until: undefined, after: undefined };
      const list = async (given: object = {}) =>
        (await inbox.waiting?.list({ ...filter, limit: 10, ...given })) ?? [];
      const failed = { event: "payment.completed", error: expect.stringContaining("no stock") };
      await expect
        .poll(() => list({ isRetrying: true }))
        .toMatchObject([{ ...failed, attempts: 1 }]);
      const all = await list();
      expect(all).toMatchObject([failed, { event: "invoice.paid", error: "", attempts: 0 }]);
      expect(await list({ limit: 1 })).toEqual(all.slice(0, 1));
      expect(await list({ after: all[0] })).toEqual(all.slice(1));
      expect(await list({ kind: "invoice.paid" })).toEqual(all.slice(1));
      const [, invoice] = all;
      expect(await inbox.waiting?.read(invoice?.id ?? "")).toEqual({ ...invoice, body });
      await expect(inbox.waiting?.read("0".repeat(64))).rejects.toThrow(/no event "0000/);
    });

    test("count dead letters, and what is requeued and dropped of them", async () => {
      const inbox = (await fresh()).open();
      const { stats, deadLetters, conflicts } = receiverOn(inbox);
      for (const number of [1, 2, 3]) {
        await inbox.accept(newDelivery(number, { deadLetterReason: "too old" }));
      }
      for (const number of [7, 8]) {
        await inbox.accept(newDelivery(1, { digest: newDelivery(number).digest }));
      }
      expect(await stats()).toMatchObject({ waiting: 0, dead: 3, conflicts: 2 });
      const [first, second] = await deadLetters.list();
      await deadLetters.drop(first?.id ?? "");
      await deadLetters.requeue(second?.id ?? "");
      const [conflict, other] = await conflicts.list();
      await conflicts.drop(conflict?.id ?? "");
      expect(await stats()).toMatchObject({ waiting: 1, dead: 1, conflicts: 1 });
      await conflicts.requeue(other?.id ?? "");
      expect(await stats()).toMatchObject({ waiting: 2, dead: 1, conflicts: 0 });
    });
  });
}
