import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type InboxUnderTest, newDelivery, receiverOn, stopAll, until } from "./inbox-stage.ts";

const RealDate = Date;
const HOURS_MS = 7_200_000;

/** Sets the clock of this process to another time, from which it goes on. */
function shiftClock(ms: number): void {
  class ShiftedDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [RealDate.now() + ms] : given) as [number]));
    }
    static override now(): number {
      return RealDate.now() + ms;
    }
  }
  vi.stubGlobal("Date", ShiftedDate);
}

/** What an inbox promises whatever the clock of a process says. */
export function clockSuite(name: string, { fresh }: InboxUnderTest): void {
  describe.each([
    ["behind", -HOURS_MS],
    ["ahead", HOURS_MS],
  ])(`${name}: a process whose clock is two hours %s`, (_, shiftMs) => {
    stopAll();
    afterEach(() => {
      vi.unstubAllGlobals();
    });

    test("retries what it fails to process", async () => {
      const receiver = receiverOn((await fresh()).open());
      const attempts: number[] = [];
      receiver.onOther((_, { attempt }) => {
        attempts.push(attempt);
        if (attempt < 3) throw new Error("not yet");
      });
      shiftClock(shiftMs);
      await receiver.start();
      expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
      await until(() => attempts.length === 3);
      expect(attempts).toEqual([1, 2, 3]);
    });

    test.each([
      ["was set to the right time", shiftMs, 0],
      ["was right when it failed", 0, shiftMs],
    ])("retries what failed, if its clock %s", async (_, before, after) => {
      const receiver = receiverOn((await fresh({ retriesAfterMs: 1_000 })).open());
      const attempts: number[] = [];
      receiver.onOther((_, { attempt }) => {
        attempts.push(attempt);
        if (attempt === 1) throw new Error("not yet");
      });
      shiftClock(before);
      await receiver.start();
      await receiver.post("PAY-1");
      await until(async () => (await receiver.stats()).retrying === 1);
      shiftClock(after);
      await until(() => attempts.length === 2);
      expect(attempts).toEqual([1, 2]);
    });

    test("recognises what was processed before", async () => {
      const inbox = (await fresh()).open();
      const receiver = receiverOn(inbox);
      const keys: string[] = [];
      const run = async ({ key }: { key: string }) => void keys.push(key);
      await inbox.start({ run, concurrency: 1, onError: () => {} });
      await inbox.accept(newDelivery(1));
      await until(async () => (await receiver.stats()).running === 0 && keys.length === 1);
      shiftClock(shiftMs);
      await sleep(600);
      expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
      await inbox.accept(newDelivery(2));
      await until(() => keys.length === 2);
      vi.unstubAllGlobals();
      for (const number of [1, 2]) {
        expect(await inbox.accept(newDelivery(number))).toMatchObject({ kind: "duplicate" });
      }
      expect(keys).toEqual([newDelivery(1).key, newDelivery(2).key]);
    });

    test("keeps an event for as long as its handler runs", async () => {
      const store = await fresh();
      const inboxes = [store.open(), store.open()];
      const keys: string[] = [];
      let ended = 0;
      const run = async ({ key }: { key: string }) => {
        keys.push(key);
        // Longer than a lease that was not renewed, and a poll of the other process.
        await sleep(2_500);
        ended++;
      };
      const [first, second] = inboxes;
      await first?.start({ run, concurrency: 1, onError: () => {} });
      await first?.accept(newDelivery(1));
      await until(() => keys.length === 1);
      shiftClock(shiftMs);
      if (second !== first) await second?.start({ run, concurrency: 1, onError: () => {} });
      await until(() => ended > 0);
      await sleep(200);
      expect(keys).toEqual([newDelivery(1).key]);
      await Promise.all(inboxes.map((inbox) => inbox.stop(1_000)));
    });
  });
}
