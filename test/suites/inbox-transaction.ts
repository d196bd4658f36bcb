import type { HandlerContext, Inbox } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { HAS_ALL_ROWS } from "../support/orms/all-rows.ts";
import { gateOf, receiverOn, stopAll, until } from "./inbox-stage.ts";

/** A store with a table of the user's in the same database. */
export interface TransactionStore {
  open(): Inbox;
  /** Writes an effect by the connection of `transaction`. */
  write(connection: unknown, effect: string): unknown;
  /** Runs a statement by that connection. */
  sql(connection: unknown, text: string): unknown;
  effects(): Promise<string[]>;
}

/** What the `transaction` of a handler promises. */
export function transactionSuite(
  name: string,
  fresh: () => Promise<TransactionStore>,
  isLibrary = false,
): void {
  /** In these, a library is asked for nothing that it is not asked for in the others. */
  const testOnDriver = (title: string, run: () => Promise<void>) => {
    if (!isLibrary || HAS_ALL_ROWS) test(title, run);
  };
  describe.concurrent(`${name}: transaction`, () => {
    stopAll();

    async function started(
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
          context.transaction((connection) => store.write(connection, effect));
        return handler(write, context);
      });
      await receiver.start();
      await receiver.post("PAY-1");
      return { store, receiver, attempts: () => attempts };
    }

    test("commits the effect and the end together: a later failure causes no retry", async () => {
      const { store, attempts, receiver } = await started(async (write) => {
        await write("shipped");
        throw new Error("after the commit");
      });
      await until(async () => (await store.effects()).length > 0);
      await receiver.post("PAY-2");
      await until(async () => (await store.effects()).length > 1);
      expect(await store.effects()).toEqual(["shipped", "shipped"]);
      expect(attempts()).toBe(2);
    });

    test("resolves with what the write returns", async () => {
      const [given, give] = gateOf<unknown>();
      const store = await fresh();
      const receiver = receiverOn(store.open());
      receiver.onOther(async (_, { transaction }) =>
        give(
          await transaction((connection) => {
            const written = store.write(connection, "shipped");
            return written instanceof Promise ? written.then(() => "given") : "given";
          }),
        ),
      );
      await receiver.start();
      await receiver.post("PAY-1");
      expect(await given).toBe("given");
    });

    test("rolls back a write that fails, and the event is retried", async () => {
      const { store, attempts } = await started(async (write, { attempt, transaction }) => {
        if (attempt > 1) return write("shipped");
        return transaction((connection) => {
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

    testOnDriver("runs once for each event: a second one is rejected and rolled back", async () => {
      const [rejected, reject] = gateOf<unknown>();
      const { store, attempts } = await started(async (write) => {
        await write("shipped");
        reject(await write("again").catch((error) => error));
      });
      expect(String(await rejected)).toContain("processed already");
      expect(await store.effects()).toEqual(["shipped"]);
      expect(attempts()).toBe(1);
    });

    testOnDriver("is waited for if the handler does not wait for it", async () => {
      const { store, receiver, attempts } = await started(async (write) => {
        void write("shipped");
      });
      await until(async () => (await store.effects()).length > 0);
      await receiver.post("PAY-2");
      await until(async () => (await store.effects()).length > 1);
      expect(attempts()).toBe(2);
    });

    testOnDriver("fails the attempt if it fails and the handler does not wait for it", async () => {
      const { store, attempts } = await started(async (write, { attempt, transaction }) => {
        if (attempt > 1) return write("shipped");
        void transaction(() => {
          throw new Error("in the middle");
        });
        return undefined;
      });
      await until(async () => (await store.effects()).length > 0);
      expect(await store.effects()).toEqual(["shipped"]);
      expect(attempts()).toBe(2);
    });

    testOnDriver("fails the attempt if it fails, and the handler catches the error", async () => {
      const { store, attempts } = await started(async (write, { attempt, transaction }) => {
        if (attempt > 1) return write("shipped");
        return transaction(() => {
          throw new Error("in the middle");
        }).catch(() => {});
      });
      await until(async () => (await store.effects()).length > 0);
      expect(await store.effects()).toEqual(["shipped"]);
      expect(attempts()).toBe(2);
    });

    test.each(["ROLLBACK", "COMMIT"])(
      "makes the event a dead letter if the handler runs %s in it: what was kept is not known",
      async (text) => {
        const { store, receiver, attempts } = await started((_, { transaction }) =>
          transaction((connection) => {
            const written = store.write(connection, "shipped");
            const end = () => store.sql(connection, text);
            return written instanceof Promise ? written.then(end) : end();
          }),
        );
        await until(async () => (await receiver.deadLetters.list()).length > 0);
        expect((await store.effects()).length).toBeLessThanOrEqual(1);
        expect(attempts()).toBe(1);
      },
    );

    test("keeps nothing, and fails the attempt, if the handler catches the error of a statement that aborts it", async () => {
      const { store, receiver } = await started((_, { attempt, transaction }) =>
        transaction((connection) => {
          const written = store.write(connection, "shipped");
          if (!(written instanceof Promise) || attempt > 1) return written;
          return written
            .then(() => store.sql(connection, "INSERT INTO no_such_table VALUES (1)"))
            .catch(() => {});
        }),
      );
      await until(async () => (await store.effects()).length > 0);
      expect(await store.effects()).toEqual(["shipped"]);
      await receiver.stop();
    });

    test("has no effect after the handler's time is over", async () => {
      const [late, resume] = gateOf<void>();
      const [rejected, reject] = gateOf<unknown>();
      const { store, attempts } = await started(async (write, { attempt }) => {
        if (attempt === 1) {
          await late;
          return reject(await write("first").catch((error) => error));
        }
        resume();
        await rejected;
        return write("second");
      }, 1_000);
      expect(String(await rejected)).toContain("lost");
      await until(async () => (await store.effects()).includes("second"));
      expect(await store.effects()).toEqual(["second"]);
      expect(attempts()).toBeGreaterThan(1);
    });
  });
}
