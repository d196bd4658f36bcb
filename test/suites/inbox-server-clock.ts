import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EngineWithClock } from "../support/engines/clock.ts";
import { closeProxies, proxyTo } from "../support/engines/proxy.ts";
import {
  gateOf,
  type InboxUnderTest,
  newDelivery,
  receiverOn,
  stopAll,
  until,
} from "./inbox-stage.ts";

const HOURS_MS = 7_200_000;

interface ServerClockTest {
  readonly engine: EngineWithClock | undefined;
  /** The engine notices a dead process only when its clock is again where it was. */
  readonly waitsForClock?: boolean;
  /** Creates an empty store on the engine at this address. */
  readonly on: (url: string) => InboxUnderTest;
}

/** What an inbox promises whatever the clock of its engine's server says. */
export function serverClockSuite(
  name: string,
  { engine: given, on, waitsForClock = false }: ServerClockTest,
): void {
  describe.skipIf(given === undefined)(`${name}: the clock of the server`, () => {
    const engine = given as EngineWithClock;
    const { fresh } = on(engine?.url ?? "");
    stopAll();
    closeProxies();
    beforeEach(() => engine.setClock(0));
    afterEach(() => engine.setClock(0));

    describe.each([
      ["is set back by two hours", -HOURS_MS],
      ["is set forward by two hours", HOURS_MS],
    ])("%s", (_, aheadMs) => {
      test("retries what failed before, and what fails afterwards", async () => {
        const receiver = receiverOn((await fresh({ retriesAfterMs: 1_000 })).open());
        const attempts = new Map<unknown, number[]>();
        receiver.onOther(({ data }, { attempt }) => {
          attempts.set(data.reference, [...(attempts.get(data.reference) ?? []), attempt]);
          if (attempt === 1) throw new Error("not yet");
        });
        await receiver.start();
        await receiver.post("PAY-1");
        await until(async () => (await receiver.stats()).retrying === 1);
        engine.setClock(aheadMs);
        expect(await receiver.post("PAY-2")).toEqual([200, "received"]);
        const ended = () => [...attempts.values()].filter((all) => all.length === 2).length === 2;
        await until(ended);
        expect([...attempts.values()]).toEqual([
          [1, 2],
          [1, 2],
        ]);
      });

      test("recognises what was processed, while it is wrong and when it is right again", async () => {
        const inbox = (await fresh()).open();
        const receiver = receiverOn(inbox);
        const keys: string[] = [];
        const run = async ({ key }: { key: string }) => void keys.push(key);
        await inbox.start({ run, concurrency: 1, onError: () => {} });
        const processed = async (number: number) => {
          await inbox.accept(newDelivery(number));
          await until(async () => keys.length === number && (await receiver.stats()).waiting === 0);
        };
        const receipt = async (number: number) => (await inbox.accept(newDelivery(number))).kind;
        await processed(1);
        engine.setClock(aheadMs);
        expect(await receipt(1)).toBe("duplicate");
        await processed(2);
        engine.setClock(0);
        expect([await receipt(1), await receipt(2)]).toEqual(["duplicate", "duplicate"]);
        await processed(3);
        expect(keys).toEqual([1, 2, 3].map((number) => newDelivery(number).key));
      });

      test("deletes nothing that waits", async () => {
        const store = await fresh();
        const [inbox, other] = [store.open(), store.open()];
        receiverOn(inbox);
        receiverOn(other);
        const keys: string[] = [];
        const run = async ({ key }: { key: string }) => void keys.push(key);
        const kinds = ["invoice.paid"];
        await inbox.accept(newDelivery(1));
        engine.setClock(aheadMs);
        await inbox.start({ run, concurrency: 1, kinds, onError: () => {} });
        await inbox.accept(newDelivery(2));
        engine.setClock(0);
        await other.start({ run, concurrency: 1, onError: () => {} });
        await until(() => keys.length === 2);
        expect(keys.toSorted()).toEqual([newDelivery(1).key, newDelivery(2).key]);
      });

      test.each([
        ["before", true],
        ["after", false],
      ])("processes the event of a process that died %s it", async (_, isBefore) => {
        const proxy = await proxyTo(engine);
        const queue = await fresh();
        const dead = receiverOn(queue.open({ url: proxy.url }));
        const [begun, begin] = gateOf<void>();
        dead.onOther(async () => {
          begin();
          await new Promise(() => {});
        });
        await dead.start();
        // By then, the engine has looked for dead processes once.
        await sleep(3_000);
        if (!isBefore) engine.setClock(aheadMs);
        await dead.post("PAY-1");
        await begun;
        proxy.silence();
        if (isBefore) engine.setClock(aheadMs);
        const other = receiverOn(queue.open());
        const attempts: number[] = [];
        other.onOther((_, { attempt }) => attempts.push(attempt));
        await other.start();
        if (waitsForClock && aheadMs < 0) {
          await sleep(5_000);
          expect(attempts).toEqual([]);
          engine.setClock(10_000);
        }
        await until(() => attempts.length > 0);
        expect(attempts).toEqual([2]);
      });
    });

    test("keeps an event for as long as its handler runs, after it was set back", async () => {
      const store = await fresh();
      const [inbox, other] = [store.open(), store.open()];
      receiverOn(inbox);
      receiverOn(other);
      const keys: string[] = [];
      const [ended, end] = gateOf<void>();
      const run = async ({ key }: { key: string }) => {
        keys.push(key);
        if (keys.length === 1) await ended;
      };
      await inbox.start({ run, concurrency: 1, onError: () => {} });
      await inbox.accept(newDelivery(1));
      await until(() => keys.length === 1);
      engine.setClock(-HOURS_MS);
      await other.start({ run, concurrency: 1, onError: () => {} });
      // Long enough for every lease to end that is not extended.
      for (let number = 2; number <= 14; number++) {
        await other.accept(newDelivery(number));
        await sleep(1_000);
      }
      end();
      await until(() => new Set(keys).size === 14);
      expect(keys).toHaveLength(14);
    });
  });
}
