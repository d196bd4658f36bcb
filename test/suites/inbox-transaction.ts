import type { HandlerContext, Inbox } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { gateOf, receiverOn, stopAll, until } from "./inbox-stage.ts";

/** A store with a table of the user's in the same database. */
export interface TransactionStore {
  open(): Inbox;
  /** Writes an effect by the connection that `transaction` gives. */
  write(connection: unknown, effect: string): unknown;
  effects(): Promise<string[]>;
}

/** What a `transaction` promises. */
export function transactionSuite(name: string, fresh: () => Promise<TransactionStore>): void {
  describe(`${name}: transaction`, { timeout: 70_000 }, () => {
    stopAll();

    async function working(
      handler: (
        write: (effect: string) => Promise<unknown>,
        context: HandlerContext,
      ) => Promise<unknown>,
      handlerTimeoutMs?: number,
    ) {
      const store = await fresh();
      const receiver = receiverOn(store.open(), { handlerTimeoutMs });
      let attempts = 0;
      receiver.onOther((_, context) => {
        attempts++;
        const write = async (effect: string) =>
          context.transaction?.((connection) => store.write(connection, effect));
        return handler(write, context);
      });
      await receiver.start();
      await receiver.post("PAY-1");
      return { store, receiver, attempts: () => attempts };
    }

    test("writes the effect and done together: what fails after it is not worked again", async () => {
      const { store, attempts, receiver } = await working(async (write) => {
        await write("shipped");
        throw new Error("after the commit");
      });
      await until(async () => (await store.effects()).length > 0);
      await receiver.post("PAY-2");
      await until(async () => (await store.effects()).length > 1);
      expect(await store.effects()).toEqual(["shipped", "shipped"]);
      expect(attempts()).toBe(2);
    });

    test("gives what the write gives", async () => {
      const [given, give] = gateOf<unknown>();
      const store = await fresh();
      const receiver = receiverOn(store.open());
      receiver.onOther(async (_, { transaction }) =>
        give(
          await transaction?.((connection) => {
            const written = store.write(connection, "shipped");
            return written instanceof Promise ? written.then(() => "given") : "given";
          }),
        ),
      );
      await receiver.start();
      await receiver.post("PAY-1");
      expect(await given).toBe("given");
    });

    test("takes back the effect of a write that fails, and the event is worked again", async () => {
      const { store, attempts } = await working(async (write, { attempt, transaction }) => {
        if (attempt > 1) return write("shipped");
        return transaction?.((connection) => {
          const written = store.write(connection, "half");
          if (!(written instanceof Promise)) throw new Error("in the middle");
          return written.then(() => {
            throw new Error("in the middle");
          });
        });
      });
      await until(async () => (await store.effects()).length > 0);
      expect(await store.effects()).toEqual(["shipped"]);
      expect(attempts()).toBe(2);
    });

    test("is one to an event: a second is refused, and its effect taken back", async () => {
      const [refused, refuse] = gateOf<unknown>();
      const { store, attempts } = await working(async (write) => {
        await write("shipped");
        refuse(await write("again").catch((error) => error));
      });
      expect(String(await refused)).toContain("done already");
      expect(await store.effects()).toEqual(["shipped"]);
      expect(attempts()).toBe(1);
    });

    test("that comes when the handler's time is over has no effect, whoever works the event by then", async () => {
      const [late, resume] = gateOf<void>();
      const [refused, refuse] = gateOf<unknown>();
      const { store, attempts } = await working(async (write, { attempt }) => {
        if (attempt === 1) {
          await late;
          return refuse(await write("first").catch((error) => error));
        }
        resume();
        await refused;
        return write("second");
      }, 1_000);
      expect(String(await refused)).toContain("lost");
      await until(async () => (await store.effects()).includes("second"));
      expect(await store.effects()).toEqual(["second"]);
      expect(attempts()).toBe(2);
    });
  });
}
