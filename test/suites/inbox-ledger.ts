import type { Job, NewDelivery } from "malipo/types";
import type { Inbox } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { asOwnEvent } from "../../src/webhooks/inbox/delivery.ts";
import { type InboxUnderTest, newDelivery, receiverOn, stopAll, until } from "./inbox-stage.ts";

const DAY_MS = 86_400_000;

/** What every inbox promises about what it has seen, and for how long. */
export function ledgerSuite(name: string, { fresh, isSingleProcess }: InboxUnderTest): void {
  const { digest: otherDigest } = newDelivery(99);

  /** Starts an inbox. Returns the jobs that it handed out. */
  async function startOn(inbox: Inbox): Promise<Job[]> {
    const jobs: Job[] = [];
    await inbox.start({
      run: async (job) => void jobs.push(job),
      concurrency: 8,
      onError: () => {},
    });
    return jobs;
  }

  const kindOf = async (inbox: Inbox, delivery: NewDelivery) => (await inbox.accept(delivery)).kind;

  /** The id of the one conflict. */
  const conflictIn = async ({ conflicts }: ReturnType<typeof receiverOn>) =>
    (await conflicts.list())[0]?.id ?? "";

  /** Waits until everything that was accepted is processed. */
  const idle = (inbox: Inbox) =>
    until(async () => {
      const stats = await inbox.stats?.();
      return stats?.waiting === 0 && stats.running === 0;
    });

  describe.concurrent(`${name}: a key`, () => {
    stopAll();

    test("that was used before `identify` or `merchant` was set finds its event", async () => {
      const inbox = (await fresh()).open();
      const jobs = await startOn(inbox);
      const before = newDelivery(1);
      expect(await kindOf(inbox, before)).toBe("accepted");
      const after = { ...before, key: newDelivery(2).key, formerKey: before.key };
      expect(await kindOf(inbox, after)).toBe("duplicate");
      await idle(inbox);
      expect(await kindOf(inbox, after)).toBe("duplicate");
      // Other data is another event: that is what `identify` is for.
      expect(await kindOf(inbox, { ...after, digest: otherDigest })).toBe("accepted");
      await until(() => jobs.length === 2);
      await idle(inbox);
      expect(jobs.map(({ key }) => key)).toEqual([before.key, after.key]);
    });

    test("that was used before finds a conflict that a person has decided", async () => {
      const inbox = (await fresh()).open();
      const receiver = receiverOn(inbox);
      const jobs = await startOn(inbox);
      const first = newDelivery(1);
      const conflict = newDelivery(1, { digest: otherDigest });
      for (const delivery of [first, conflict]) await inbox.accept(delivery);
      const after = { ...conflict, key: newDelivery(2).key, formerKey: first.key };
      await receiver.conflicts.requeue(await conflictIn(receiver));
      expect(await kindOf(inbox, after)).toBe("duplicate");
      await until(() => jobs.length === 2);
      await idle(inbox);
      expect(await kindOf(inbox, after)).toBe("duplicate");
      expect(jobs).toHaveLength(2);
    });
  });

  describe.concurrent(`${name}: a conflict`, () => {
    stopAll();

    test("that comes together with its first event is stored", async () => {
      const inbox = (await fresh()).open();
      const receiver = receiverOn(inbox);
      const conflict = newDelivery(1, { digest: otherDigest, raw: Buffer.from('{"other":1}') });
      const deliveries = [newDelivery(1), conflict, newDelivery(1), conflict, newDelivery(2)];
      const kinds = await Promise.all(deliveries.map((delivery) => kindOf(inbox, delivery)));
      expect(kinds).toEqual(["accepted", "conflict", "duplicate", "conflict", "accepted"]);
      const { body } = await receiver.conflicts.read(await conflictIn(receiver));
      expect(body).toBe('{"other":1}');
    });

    test("that is requeued has the trace, the merchant and the source of its delivery", async () => {
      const inbox = (await fresh()).open();
      const receiver = receiverOn(inbox);
      const traceContext = {
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "malipo-merchant": "duka",
      };
      const given = { digest: otherDigest, traceContext, source: "read", receivedAt: 7 } as const;
      const conflict = newDelivery(1, given);
      await inbox.accept(newDelivery(1));
      await inbox.accept(conflict);
      await receiver.conflicts.requeue(await conflictIn(receiver));
      const jobs = await startOn(inbox);
      await until(() => jobs.length === 2);
      const { key } = asOwnEvent(conflict);
      expect(jobs.find((job) => job.key === key)).toMatchObject({
        attempt: 1,
        traceContext,
        source: "read",
        receivedAt: 7,
      });
    });

    test("of an event that still waits is not deleted with others", async () => {
      const store = await fresh({ retentionMs: 1_000 });
      const inbox = store.open();
      const receiver = receiverOn(inbox);
      const waits = { event: "invoice.paid" };
      await inbox.accept(newDelivery(1, waits));
      await inbox.accept(newDelivery(1, { ...waits, digest: otherDigest }));
      await inbox.start({
        run: () => new Promise(() => {}),
        concurrency: 1,
        kinds: ["invoice.paid"],
        onError: () => {},
      });
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(await receiver.conflicts.list()).toHaveLength(1);
      await inbox.stop(0);
    });

    test.each(["requeue", "drop"] as const)(
      "on which a person decided (%s) is remembered longer than its first event",
      async (how) => {
        const retentionMs = 4_000;
        const inbox = (await fresh({ retentionMs })).open();
        const receiver = receiverOn(inbox);
        const jobs = await startOn(inbox);
        const first = newDelivery(1);
        const conflict = newDelivery(1, { digest: otherDigest });
        await inbox.accept(first);
        await idle(inbox);
        const processedAt = performance.now();
        await inbox.accept(conflict);
        while (performance.now() < processedAt + 0.6 * retentionMs) {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        await receiver.conflicts[how](await conflictIn(receiver));
        const decidedAt = performance.now();
        await idle(inbox);
        const effects = jobs.length;
        // Its first event is forgotten by then.
        while (performance.now() < processedAt + 1.2 * retentionMs) {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        const kind = await kindOf(inbox, conflict);
        // On a busy machine, its own retention may have ended.
        if (performance.now() < decidedAt + 0.9 * retentionMs) expect(kind).toBe("duplicate");
        expect(jobs).toHaveLength(effects);
      },
    );
  });

  describe.concurrent(`${name}: what is remembered`, () => {
    stopAll();

    test("an event that was signed ahead of time is remembered until its retention ends", async () => {
      const inbox = (await fresh({ retentionMs: 500 })).open();
      await startOn(inbox);
      // With a part of a millisecond, as a service may write it.
      const ahead = newDelivery(1, { signedAt: Date.now() + DAY_MS + 0.25 });
      const without = newDelivery(2, { signedAt: undefined });
      const old = newDelivery(3, { signedAt: 1_000 });
      for (const delivery of [ahead, without, old]) await inbox.accept(delivery);
      await idle(inbox);
      // The old one is forgotten; an event without a readable time never is.
      await until(async () => (await kindOf(inbox, old)) === "accepted");
      expect(await kindOf(inbox, ahead)).toBe("duplicate");
      expect(await kindOf(inbox, without)).toBe("duplicate");
    });

    test.skipIf(isSingleProcess)(
      "a raised retention does not claim to remember what was forgotten",
      async () => {
        const store = await fresh({ retentionMs: 500 });
        const inbox = store.open();
        await startOn(inbox);
        const signedAt = Date.now();
        await inbox.accept(newDelivery(1, { signedAt }));
        await idle(inbox);
        await until(async () => (await kindOf(inbox, newDelivery(1, { signedAt }))) === "accepted");
        await inbox.stop(1_000);
        const raised = store.open({ retentionMs: 14 * DAY_MS });
        await raised.start({ run: async () => {}, concurrency: 1, onError: () => {} });
        const horizon = await raised.horizon?.();
        expect(horizon?.remembersSince).toBeGreaterThanOrEqual(signedAt);
        expect(horizon?.now).toBeGreaterThan(signedAt);
        await raised.stop(1_000);
      },
    );

    test.skipIf(isSingleProcess)("a fresh inbox remembers since its retention", async () => {
      const inbox = (await fresh({ retentionMs: 14 * DAY_MS })).open();
      await inbox.accept(newDelivery(1));
      const { now = 0, remembersSince = 0 } = (await inbox.horizon?.()) ?? {};
      expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
      expect(Math.abs(now - 14 * DAY_MS - remembersSince)).toBeLessThan(60_000);
      await inbox.stop(0);
    });
  });

  describe.concurrent(`${name}: a double payment`, () => {
    stopAll();

    const double = (number: number, merchant?: string) => ({
      id: `pair-${number}`,
      by: "account_reference" as const,
      value: "ORDER-42",
      references: ["PAY-1", `PAY-${number}`] as const,
      receivedAt: 1_000 * number,
      merchant,
    });
    const all = {
      kind: undefined,
      since: undefined,
      until: undefined,
      after: undefined,
      limit: 10,
    };

    test("is stored once a pair, listed in pages, and gone when it is dropped", async () => {
      const inbox = (await fresh()).open();
      const list = inbox.doublePayments;
      if (list === undefined) throw new Error("The inbox has no list of double payments.");
      for (const number of [3, 2, 4]) expect(await list.add(double(number, "duka"))).toBe(true);
      expect(await list.add(double(2))).toBe(false);
      expect(await list.list(all)).toEqual([2, 3, 4].map((number) => double(number, "duka")));
      const after = { id: "pair-2", receivedAt: 2_000 };
      const page = await list.list({ ...all, after, limit: 1 });
      expect(page.map(({ id }) => id)).toEqual(["pair-3"]);
      const until3 = await list.list({ ...all, since: 2_000, until: 4_000 });
      expect(until3.map(({ id }) => id)).toEqual(["pair-2", "pair-3"]);
      await expect(list.drop(["pair-3", "pair-9"])).rejects.toThrow(
        'There is no double payment "pair-9".',
      );
      expect(await list.list(all)).toHaveLength(3);
      await list.drop(["pair-3", "pair-2"]);
      expect((await list.list(all)).map(({ id }) => id)).toEqual(["pair-4"]);
      expect(await list.add(double(3))).toBe(false);
      await expect(list.drop(["pair-3"])).rejects.toMatchObject({ code: "configuration" });
      await inbox.stop(0);
    });
  });
}
