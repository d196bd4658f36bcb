import type { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Transaction } from "../../../../src/webhooks/inbox/inbox-types.ts";
import { gateOf, receiverOn, stopAll } from "../../../suites/inbox-stage.ts";
import { sqliteInbox } from "../../../support/stores/sqlite-inbox.ts";

const pace = { leaseMs: 600_000, backoffMs: () => 5 };

describe("a transaction", () => {
  stopAll();

  /** What a transaction resolves or rejects with, and the effects that it left. */
  async function outcomeOf(write: (database: DatabaseSync) => unknown) {
    const inbox = sqliteInbox(":memory:", { pace });
    inbox.database.exec("CREATE TABLE effects (effect TEXT)");
    const receiver = receiverOn(inbox);
    const [outcome, resolve] = gateOf<unknown>();
    receiver.onOther(async (_, { transaction }) => {
      const ended = (transaction as Transaction)<unknown, DatabaseSync>(write);
      resolve(await ended.catch((error) => error));
    });
    await receiver.start();
    await receiver.post("PAY-1");
    const effects = () => inbox.database.prepare("SELECT effect FROM effects").all();
    return { outcome: await outcome, effects: effects() };
  }

  const ship = (database: DatabaseSync) => database.exec("INSERT INTO effects VALUES ('shipped')");

  test("that is async is rejected, and its effect rolled back", async () => {
    const { outcome, effects } = await outcomeOf(async (database) => ship(database));
    expect(outcome).toMatchObject({
      code: "configuration",
      message: expect.stringMatching(/not async: it commits when the function returns/),
    });
    expect(effects).toEqual([]);
  });

  test.each([undefined, null, 7, "text", JSON.parse('{"then":1}')])(
    "may give %s",
    async (given) => {
      const { outcome, effects } = await outcomeOf((database) => {
        ship(database);
        return given;
      });
      expect(outcome).toEqual(given);
      expect(effects).toEqual([{ effect: "shipped" }]);
    },
  );

  test.each(["the customer's account is locked", "database is locked", "the line is busy"])(
    "whose function throws %j runs once in an attempt",
    async (message) => {
      let runs = 0;
      const { outcome, effects } = await outcomeOf((database) => {
        runs++;
        ship(database);
        throw Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode: 5 });
      });
      expect(outcome).toMatchObject({
        message: expect.stringContaining("locked by the transaction of the handler itself"),
        cause: expect.objectContaining({ message }),
      });
      expect(runs).toBe(1);
      expect(effects).toEqual([]);
    },
  );

  test("that the handler rolled back itself rejects with the handler's error", async () => {
    const { outcome, effects } = await outcomeOf((database) => {
      ship(database);
      database.exec("ROLLBACK");
      throw new Error("out of stock");
    });
    expect(String(outcome)).toBe("Error: out of stock");
    expect(effects).toEqual([]);
  });
});
