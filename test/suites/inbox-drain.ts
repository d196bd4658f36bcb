import { setTimeout as sleep } from "node:timers/promises";
import type { DrainLimits, Job, WorkerOptions } from "malipo/types";
import type { DrainResult, Inbox } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { type InboxUnderTest, newDelivery, receiverOn, stopAll, until } from "./inbox-stage.ts";

/** What every inbox promises about `drain`, for processes that do not keep running. */
export function drainSuite(
  name: string,
  { fresh, isSingleProcess = false, countsReleases = false }: InboxUnderTest,
): void {
  const LIMITS = { timeoutMs: 20_000, limit: 1_000 };

  async function drain(
    inbox: Inbox,
    run: (job: Job) => Promise<void>,
    limits: Partial<DrainLimits> = {},
    options: Partial<WorkerOptions> = {},
  ): Promise<DrainResult> {
    if (inbox.drain === undefined) throw new Error("The inbox has no drain().");
    const worker = { run, concurrency: 4, onError: () => {}, ...options };
    return inbox.drain(worker, { ...LIMITS, ...limits });
  }

  async function filled(count: number) {
    const store = await fresh();
    const inbox = store.open();
    for (let number = 1; number <= count; number++) await inbox.accept(newDelivery(number));
    return { store, inbox };
  }

  describe.concurrent(`${name}: drain()`, () => {
    stopAll();

    test("processes what is due, once, and returns", async () => {
      const { inbox } = await filled(50);
      const keys: string[] = [];
      const run = async ({ key }: Job) => void keys.push(key);
      expect(await drain(inbox, run)).toEqual({ processed: 50, left: 0 });
      expect(new Set(keys).size).toBe(50);
      expect(keys).toHaveLength(50);
      expect(await drain(inbox, run)).toEqual({ processed: 0, left: 0 });
      expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
      await inbox.stop(0);
    });

    test("processes at most as many as its limit", async () => {
      const { inbox } = await filled(7);
      const attempts: number[] = [];
      const run = async ({ attempt }: Job) => void attempts.push(attempt);
      expect(await drain(inbox, run, { limit: 3 })).toEqual({ processed: 3, left: 4 });
      expect(await drain(inbox, run, { limit: 9 })).toEqual({ processed: 4, left: 0 });
      expect(attempts).toEqual([1, 1, 1, 1, 1, 1, 1]);
      await inbox.stop(0);
    });

    test("aborts what still runs when its time is over, and another process gets it", async () => {
      const { store, inbox } = await filled(1);
      const signals: AbortSignal[] = [];
      const run = ({ signal }: Job) => {
        signals.push(signal);
        return new Promise<void>(() => {});
      };
      expect(await drain(inbox, run, { timeoutMs: 1_000 })).toEqual({ processed: 0, left: 1 });
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      await inbox.stop(0);
      const attempts: number[] = [];
      const next = store.open();
      await until(async () => {
        await drain(next, async ({ attempt }) => void attempts.push(attempt));
        return attempts.length > 0;
      });
      expect(attempts).toEqual([countsReleases ? 2 : 1]);
      await next.stop(0);
    });

    test("counts a failed attempt, and leaves its retry to a later call", async ({ expect }) => {
      const inbox = (await fresh({ retriesLate: true })).open();
      await inbox.accept(newDelivery(1));
      const fail = () => Promise.reject(new Error("no stock"));
      expect(await drain(inbox, fail)).toEqual({ processed: 1, left: 0 });
      expect(await drain(inbox, fail)).toEqual({ processed: 0, left: 0 });
      await expect.poll(() => inbox.stats?.()).toMatchObject({ waiting: 1, retrying: 1 });
      await inbox.stop(0);
    });

    test("takes only the kinds that it names", async () => {
      const { inbox } = await filled(2);
      await inbox.accept(newDelivery(3, { event: "invoice.paid" }));
      const keys: string[] = [];
      const run = async ({ key }: Job) => void keys.push(key);
      const kinds = { kinds: ["invoice.paid"] };
      expect(await drain(inbox, run, {}, kinds)).toEqual({ processed: 1, left: 0 });
      expect(keys).toEqual([newDelivery(3).key]);
      await inbox.stop(0);
    });

    test("works beside a process that runs, and each event is processed once", async () => {
      const store = await fresh();
      const inbox = store.open();
      const other = isSingleProcess ? inbox : store.open();
      const keys: string[] = [];
      const run = async ({ key }: Job) => {
        await sleep(1);
        keys.push(key);
      };
      await other.start({ run, concurrency: 2, onError: () => {} });
      for (let number = 1; number <= 100; number++) {
        await inbox.accept(newDelivery(number));
        if (number % 25 === 0) await drain(inbox, run);
      }
      await until(() => keys.length >= 100);
      expect(new Set(keys).size).toBe(100);
      expect(keys).toHaveLength(100);
      for (const one of new Set([inbox, other])) await one.stop(1_000);
    });

    test("leaves the inbox open: deliveries are accepted after it", async () => {
      const { inbox } = await filled(1);
      await drain(inbox, async () => {});
      expect(await receiverOn(inbox).post("PAY-1")).toEqual([200, "received"]);
    });
  });
}
