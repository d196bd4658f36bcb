import { signWebhook } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { deliveryOf, SECRET } from "../stress/inboxes/sender.ts";
import { type InboxUnderTest, newDelivery, receiverOn, stopAll, until } from "./inbox-stage.ts";

/** Of one queue: the kind is a part of an event's key. */
const KINDS = ["ticket.opened", "ticket.closed"] as const;

/** What an inbox promises about conflicts. */
export function conflictSuite(name: string, { fresh }: InboxUnderTest): void {
  describe.concurrent(`${name}: a conflict`, () => {
    stopAll();

    async function withConflicts(...amounts: string[]) {
      const receiver = receiverOn((await fresh()).open());
      const seen: [amount: unknown, key: string][] = [];
      receiver.onOther(({ data }, { idempotencyKey }) => seen.push([data.amount, idempotencyKey]));
      await receiver.start();
      for (const amount of ["1.00", ...amounts]) await receiver.post("PAY-1", amount);
      await until(() => seen.length === 1);
      return { ...receiver, seen };
    }

    test("is listed with its body, once for each other data", async () => {
      const { conflicts } = await withConflicts("2.00", "3.00", "2.00");
      const list = await conflicts.list();
      const read = await Promise.all(list.map(({ id }) => conflicts.read(id)));
      expect(read.map(({ body }) => body).sort()).toEqual(
        ["2.00", "3.00"].map((amount) => deliveryOf("PAY-1", amount).body).sort(),
      );
      for (const [at, { body, ...one }] of read.entries()) {
        expect(list[at]).toMatchObject(one);
        expect(one).toEqual({
          id: expect.any(String),
          event: "payment.completed",
          receivedAt: expect.any(Number),
          signature: signWebhook(body, SECRET),
        });
      }
    });

    /** An inbox with conflicts of one event, one for each time. */
    async function withTimes(...times: number[]) {
      const inbox = (await fresh()).open();
      await inbox.accept(newDelivery(0, { event: KINDS[0] }));
      for (const [at, receivedAt] of times.entries()) {
        const { digest } = newDelivery(at + 1);
        const event = KINDS[at % 2] as string;
        const receipt = await inbox.accept(newDelivery(0, { digest, event, receivedAt }));
        expect(receipt).toMatchObject({ kind: "conflict" });
      }
      return receiverOn(inbox);
    }

    test("is listed in pages, the oldest first", async () => {
      const { conflicts } = await withTimes(5_000, 1_000, 3_000, 1_000, 2_000);
      const first = await conflicts.list({ limit: 2 });
      // Those of the same time are ordered by id.
      expect(first.map(({ receivedAt }) => receivedAt)).toEqual([1_000, 1_000]);
      expect(first.map(({ id }) => id)).toEqual(first.map(({ id }) => id).sort());
      const second = await conflicts.list({ limit: 2, after: first.next });
      expect(second.map(({ receivedAt }) => receivedAt)).toEqual([2_000, 3_000]);
      const third = await conflicts.list({ limit: 2, after: second.next });
      expect(third.map(({ receivedAt }) => receivedAt)).toEqual([5_000]);
      expect(third.next).toBe(undefined);
    });

    test("is found by its kind and by its time", async () => {
      const { conflicts } = await withTimes(5_000, 1_000, 3_000, 1_000, 2_000);
      const times = async (query: object) =>
        (await conflicts.list(query)).map(({ receivedAt }) => receivedAt);
      expect(await times({ kind: KINDS[1] })).toEqual([1_000, 1_000]);
      expect(await times({ since: new Date(2_000) })).toEqual([2_000, 3_000, 5_000]);
      expect(await times({ until: new Date(2_000) })).toEqual([1_000, 1_000]);
      expect(
        await times({ kind: KINDS[0], since: new Date(2_000), until: new Date(5_000) }),
      ).toEqual([2_000, 3_000]);
      expect(await times({ kind: "invoice.created" })).toEqual([]);
    });

    test("is processed when it is requeued, once, with another idempotency key", async () => {
      const { conflicts, seen, post, onConflict } = await withConflicts("2.00", "3.00");
      const ids = (await conflicts.list()).map(({ id }) => id);
      await conflicts.requeue(ids);
      await until(() => seen.length === 3);
      expect(seen.map(([amount]) => amount).sort()).toEqual(["1.00", "2.00", "3.00"]);
      expect(new Set(seen.map(([, key]) => key)).size).toBe(3);
      expect(await conflicts.list()).toEqual([]);
      // Delivered again, it is a duplicate.
      expect(await post("PAY-1", "2.00")).toEqual([200, "received before"]);
      expect(onConflict).toHaveBeenCalledTimes(2);
      await expect(conflicts.requeue(ids[0] ?? "")).rejects.toThrow(/There is no conflict/);
    });

    test("is gone when it is dropped, and stays so", async () => {
      const { conflicts, seen, post } = await withConflicts("2.00");
      const [{ id } = { id: "" }] = await conflicts.list();
      await conflicts.drop(id);
      expect(await post("PAY-1", "2.00")).toEqual([200, "received before"]);
      expect(await conflicts.list()).toEqual([]);
      expect(seen).toHaveLength(1);
    });

    test("that does not exist is an error, and nothing of the list is done", async () => {
      const { conflicts } = await withConflicts("2.00");
      const [{ id } = { id: "" }] = await conflicts.list();
      for (const unknown of ["", "abc", id.replace("-", ""), `${id}0`.slice(1)]) {
        await expect(conflicts.read(unknown)).rejects.toMatchObject({ code: "configuration" });
        await expect(conflicts.drop([id, unknown])).rejects.toThrow(/There is no conflict/);
        await expect(conflicts.requeue([id, unknown])).rejects.toThrow(/There is no conflict/);
      }
      expect(await conflicts.list()).toHaveLength(1);
    });
  });
}
