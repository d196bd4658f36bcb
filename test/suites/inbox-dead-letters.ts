import type { EventQuery, NewDelivery } from "malipo/types";
import { type Inbox, signWebhook } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { deliveryOf, SECRET } from "../stress/inboxes/sender.ts";
import { type InboxUnderTest, newDelivery, receiverOn, stopAll, until } from "./inbox-stage.ts";

const REASON = "The event was signed long ago.";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** The inbox, without the transaction that it may have. */
const withoutTransaction = (inbox: Inbox): Inbox => ({
  ...inbox,
  start: (options) =>
    inbox.start({ ...options, run: (job) => options.run({ ...job, transaction: undefined }) }),
});

/** What every inbox promises about dead letters. */
export function deadLetterSuite(name: string, { fresh }: InboxUnderTest): void {
  /** An inbox with dead letters, of the given times and kinds. */
  async function withDeadLetters(given: readonly Partial<NewDelivery>[]) {
    const inbox = (await fresh()).open();
    for (const [at, one] of given.entries()) await inbox.accept(dead(at + 1, one));
    return { inbox, receiver: receiverOn(inbox) };
  }
  const dead = (number: number, given: Partial<NewDelivery> = {}) =>
    newDelivery(number, { deadLetterReason: REASON, ...given });

  /** Starts an inbox. Returns the attempts at each key. */
  async function startOn(inbox: Inbox): Promise<Map<string, number[]>> {
    const attempts = new Map<string, number[]>();
    await inbox.start({
      run: async ({ key, attempt }) =>
        void attempts.set(key, [...(attempts.get(key) ?? []), attempt]),
      concurrency: 8,
      onError: () => {},
    });
    return attempts;
  }

  describe.concurrent(`${name}: dead letters`, () => {
    stopAll();

    test("are not found by a text that no database takes", async () => {
      const { receiver } = await withDeadLetters([{}]);
      const text = "A\0B\ud800C";
      expect(await receiver.deadLetters.list({ kind: text })).toEqual([]);
      for (const list of ["deadLetters", "conflicts", "doublePayments"] as const)
        await expect(receiver[list].drop(text)).rejects.toMatchObject({ code: "configuration" });
    });

    test("have the body, the time and the signature of the delivery, and the last error", async () => {
      const receiver = receiverOn((await fresh()).open());
      receiver.onOther(() => {
        throw new TypeError("no stock for 0712.987.654");
      });
      const before = Date.now();
      await receiver.post("PAY-1");
      const after = Date.now();
      await receiver.start();
      await until(async () => (await receiver.deadLetters.list()).length === 1);
      const [listed] = await receiver.deadLetters.list();
      const letter = await receiver.deadLetters.read(listed?.id ?? "");
      const { body } = deliveryOf("PAY-1");
      expect(listed).toMatchObject({ id: letter.id, attempts: 12, error: letter.error });
      expect(letter).toEqual({
        id: expect.any(String),
        event: "payment.completed",
        body,
        attempts: 12,
        error: expect.stringContaining("TypeError: no stock for 0712***654"),
        receivedAt: expect.any(Number),
        signature: signWebhook(body, SECRET),
      });
      expect(letter?.receivedAt).toBeGreaterThanOrEqual(before);
      expect(letter?.receivedAt).toBeLessThanOrEqual(after);
    });

    test("are made at once if a handler calls `transaction` on an inbox without one", async () => {
      const inbox = (await fresh()).open();
      const receiver = receiverOn(withoutTransaction(inbox));
      const effect = vi.fn();
      receiver.on("payment.completed", async (_, { transaction }) => {
        await transaction(effect).catch((cause) => {
          throw new Error("The order was not written.", { cause });
        });
      });
      receiver.onOther(async (_, { transaction }) => transaction(effect));
      await receiver.start();
      await receiver.post("PAY-1");
      const shipped = { event: "shipped", raw: Buffer.from('{"event":"shipped","data":{}}') };
      await inbox.accept(newDelivery(2, shipped));
      await until(async () => (await receiver.deadLetters.list()).length === 2);
      const letters = await receiver.deadLetters.list();
      expect(letters.map(({ attempts }) => attempts)).toEqual([1, 1]);
      expect(letters.map(({ error }) => error).sort()).toEqual([
        expect.stringMatching(
          /ConfigurationError: The handler called `transaction`, and this inbox/,
        ),
        expect.stringContaining("Error: The order was not written."),
      ]);
      expect(effect).not.toHaveBeenCalled();
      // On a busy machine, the engine may reply late: that is reported, too, without an attempt.
      const failed = receiver.onError.mock.calls.flatMap(([, attempt]) => attempt ?? []);
      expect(failed.map(({ willRetry }) => willRetry)).toEqual([false, false]);
    });

    test("are stored at once if the receiver wants it, and wait for a person", async () => {
      const { inbox, receiver } = await withDeadLetters([]);
      const attempts = await startOn(inbox);
      const raw = Buffer.from('\uFEFF{"event":"invoice.paid", "data":{}}');
      const given = { event: "invoice.paid", raw, signature: "aB".repeat(32) };
      expect(await inbox.accept(dead(1, given))).toMatchObject({ kind: "accepted" });
      await inbox.accept(newDelivery(2));
      await until(() => attempts.size === 1);
      expect([...attempts.keys()]).toEqual([newDelivery(2).key]);
      const letters = await receiver.deadLetters.list();
      expect(letters).toHaveLength(1);
      expect(await receiver.deadLetters.read(letters[0]?.id ?? "")).toEqual({
        id: expect.any(String),
        event: "invoice.paid",
        body: raw.toString(),
        attempts: 0,
        error: REASON,
        receivedAt: newDelivery(1).receivedAt,
        signature: "aB".repeat(32),
      });
      const { digest } = newDelivery(3);
      for (const deadLetterReason of [REASON, undefined]) {
        const again = { ...given, deadLetterReason };
        expect(await inbox.accept(dead(1, again))).toMatchObject({ kind: "duplicate" });
        expect(await inbox.accept(dead(1, { ...again, digest }))).toMatchObject({
          kind: "conflict",
        });
      }
      expect(await receiver.deadLetters.list()).toHaveLength(1);
      expect(await receiver.conflicts.list()).toHaveLength(1);
    });

    test("are not made of an event that is stored already", async () => {
      const { inbox, receiver } = await withDeadLetters([]);
      await inbox.accept(newDelivery(1));
      expect(await inbox.accept(dead(1))).toMatchObject({ kind: "duplicate" });
      const { digest } = newDelivery(2);
      expect(await inbox.accept(dead(1, { digest }))).toMatchObject({ kind: "conflict" });
      expect(await receiver.deadLetters.list()).toEqual([]);
      const attempts = await startOn(inbox);
      await until(() => attempts.size === 1);
      // The conflict is a separate event when a person requeues it.
      await receiver.conflicts.requeue((await receiver.conflicts.list())[0]?.id ?? "");
      await until(() => attempts.size === 2);
      expect([...attempts.values()]).toEqual([[1], [1]]);
      expect(await receiver.deadLetters.list()).toEqual([]);
    });

    // The third and the sixth were received in the same millisecond.
    const TIMES = [5_000, 4_000, 1_000, 3_000, 2_000, 1_000].map((receivedAt, at) => ({
      receivedAt,
      event: at % 2 === 0 ? "payment.failed" : "payment.completed",
    }));

    test("are listed in pages, the oldest first, whatever is done to the page before", async () => {
      const { receiver } = await withDeadLetters(TIMES);
      const { deadLetters } = receiver;
      const all = await deadLetters.list();
      expect(all.map(({ receivedAt }) => receivedAt)).toEqual([
        1_000, 1_000, 2_000, 3_000, 4_000, 5_000,
      ]);
      const twins = all.slice(0, 2).map(({ id }) => id);
      expect(twins).toEqual([...twins].sort());
      expect(all.next).toBe(undefined);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        // Each page ends in the middle of something: of the twins, at first.
        const page = await deadLetters.list({ limit: 1, after });
        seen.push(...page.map(({ id }) => id));
        if (seen.length % 2 === 0) await deadLetters.drop(seen.at(-1) as string);
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(all.map(({ id }) => id));
      expect(await deadLetters.list()).toHaveLength(3);
      expect((await deadLetters.list({ limit: 3 })).next).toBe(undefined);
    });

    test.each<[name: string, query: EventQuery, times: number[]]>([
      ["kind", { kind: "payment.failed" }, [1_000, 2_000, 5_000]],
      ["a kind that none has", { kind: "payment" }, []],
      ["since, that moment included", { since: new Date(3_000) }, [3_000, 4_000, 5_000]],
      ["until, that moment excluded", { until: new Date(3_000) }, [1_000, 1_000, 2_000]],
      ["both", { since: new Date(2_000), until: new Date(4_000) }, [2_000, 3_000]],
      ["limit", { kind: "payment.failed", limit: 2 }, [1_000, 2_000]],
      [
        "all of them",
        { kind: "payment.failed", since: new Date(1_001), until: new Date(5_000), limit: 1 },
        [2_000],
      ],
    ])("are filtered by %s", async (_, query, times) => {
      const { receiver } = await withDeadLetters(TIMES);
      const found = await receiver.deadLetters.list(query);
      expect(found.map(({ receivedAt }) => receivedAt)).toEqual(times);
    });

    test("keep their filter on the next page", async () => {
      const { receiver } = await withDeadLetters(TIMES);
      const query = { kind: "payment.failed", limit: 2 };
      const first = await receiver.deadLetters.list(query);
      const second = await receiver.deadLetters.list({ ...query, after: first.next });
      expect([...first, ...second].map(({ receivedAt }) => receivedAt)).toEqual([
        1_000, 2_000, 5_000,
      ]);
      expect(second.next).toBe(undefined);
    });

    test.each([1, 3, 500])(
      "are requeued, %d at once, and each is processed once",
      async (count) => {
        const { inbox, receiver } = await withDeadLetters(numbers(count + 1).map(() => ({})));
        const attempts = await startOn(inbox);
        const ids = (await receiver.deadLetters.list({ limit: count })).map(({ id }) => id);
        expect(ids).toHaveLength(count);
        await receiver.deadLetters.requeue(count === 1 ? (ids[0] as string) : ids);
        expect(await receiver.deadLetters.list()).toHaveLength(1);
        await until(() => attempts.size >= count);
        await inbox.accept(newDelivery(1_000));
        await until(() => attempts.has(newDelivery(1_000).key));
        expect([...attempts.values()]).toEqual(numbers(count + 1).map(() => [1]));
        expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
        await expect(receiver.deadLetters.requeue(ids)).rejects.toThrow(/There is no dead letter/);
      },
    );

    test("are dead letters again if a requeue did not help", async () => {
      const { receiver } = await withDeadLetters([{}]);
      let failures = 0;
      receiver.onOther(() => {
        throw new Error(`still no stock ${++failures}`);
      });
      receiver.on("payment.completed", () => {
        throw new Error(`still no stock ${++failures}`);
      });
      await receiver.deadLetters.requeue((await receiver.deadLetters.list())[0]?.id ?? "");
      expect(await receiver.deadLetters.list()).toEqual([]);
      await receiver.start();
      await until(async () => (await receiver.deadLetters.list()).length === 1);
      expect(failures).toBe(12);
      const [letter] = await receiver.deadLetters.list();
      const { receivedAt, signature } = newDelivery(1);
      expect(letter).toMatchObject({ attempts: 12, receivedAt, signature });
      expect(letter?.error).toContain("still no stock 12");
    });

    test("are dropped, one or many: not listed, not processed, and still recognised", async () => {
      const { inbox, receiver } = await withDeadLetters([{}, {}, {}, {}]);
      const { deadLetters } = receiver;
      const [first, ...rest] = (await deadLetters.list()).map(({ id }) => id);
      await deadLetters.drop(first as string);
      expect((await deadLetters.list()).map(({ id }) => id)).toEqual(rest);
      await deadLetters.drop(rest.slice(0, 2));
      expect((await deadLetters.list()).map(({ id }) => id)).toEqual(rest.slice(2));
      const attempts = await startOn(inbox);
      for (const number of [1, 2, 3]) {
        for (const deadLetterReason of [REASON, undefined]) {
          const again = newDelivery(number, { deadLetterReason });
          expect(await inbox.accept(again)).toMatchObject({ kind: "duplicate" });
        }
      }
      expect(await inbox.accept(newDelivery(1, { digest: newDelivery(9).digest }))).toMatchObject({
        kind: "conflict",
      });
      await inbox.accept(newDelivery(10));
      await until(() => attempts.size > 0);
      expect([...attempts.keys()]).toEqual([newDelivery(10).key]);
      for (const how of ["drop", "requeue"] as const) {
        await expect(deadLetters[how](first as string)).rejects.toThrow(/There is no dead letter/);
      }
    });

    test("are requeued and dropped all or not at all: an unknown id is an error", async () => {
      const { inbox, receiver } = await withDeadLetters([{}, {}]);
      const { deadLetters } = receiver;
      const ids = (await deadLetters.list()).map(({ id }) => id);
      const [first = ""] = ids;
      const unknown = ["", "none", `${first}00`, `${first}zz`, first.slice(1), `${first}-${first}`];
      for (const how of ["drop", "requeue"] as const) {
        for (const one of unknown) {
          // By itself too: an id that only begins like another must not be taken for it.
          await expect(deadLetters[how](one)).rejects.toThrow(/There is no dead letter/);
          await expect(deadLetters[how]([...ids, one])).rejects.toMatchObject({
            code: "configuration",
            message: `There is no dead letter ${JSON.stringify(one)}. receiver.deadLetters.list() returns them all, and \`npx malipo inbox list\` prints them.`,
          });
        }
        await deadLetters[how]([]);
      }
      expect((await deadLetters.list()).map(({ id }) => id)).toEqual(ids);
      const attempts = await startOn(inbox);
      await inbox.accept(newDelivery(10));
      await until(() => attempts.size > 0);
      expect([...attempts.keys()]).toEqual([newDelivery(10).key]);
    });
  });
}
