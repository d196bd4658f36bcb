import type { Connection, RowDataPacket } from "mysql2/promise";
import { afterAll, describe, expect, test } from "vitest";
import { inboxSuite } from "../../../suites/inbox.ts";
import { clockSuite } from "../../../suites/inbox-clocks.ts";
import { drainSuite } from "../../../suites/inbox-drain.ts";
import { engineSuite } from "../../../suites/inbox-engine.ts";
import { kindsSuite } from "../../../suites/inbox-kinds.ts";
import { ledgerSuite } from "../../../suites/inbox-ledger.ts";
import { merchantSuite } from "../../../suites/inbox-merchants.ts";
import {
  type InboxUnderTest,
  newDelivery,
  receiverOn,
  stopAll,
  until,
} from "../../../suites/inbox-stage.ts";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { sharedMysql } from "../../../support/engines/shared.ts";
import { mysqlInbox } from "../../../support/stores/mysql-inbox.ts";
import { freshDatabase, makeTables, pace, query, TABLES } from "./stage.ts";

const engine = await sharedMysql();
const here = engine as Engine;
afterAll(() => engine?.stop());

/** Databases for a suite whose inboxes are made at once. */
const databases = engine
  ? await Promise.all(Array.from({ length: 16 }, () => freshDatabase(here)))
  : [];

/** The same address with a database in which nothing is. */
function onOwn(address: string): string {
  const url = new URL(address);
  url.pathname = new URL(databases.pop() ?? "").pathname;
  return url.href;
}

describe.skipIf(engine === undefined)("with a MariaDB", () => {
  const underTest: InboxUnderTest = {
    fresh: async ({ retentionMs, retriesLate, retriesAfterMs = 0 } = {}) => {
      const url = await freshDatabase(here);
      // Tests run side by side, and each would make its tables within the limit of its first delivery.
      await makeTables(url);
      const backoffMs = () => (retriesLate ? 60_000 : retriesAfterMs);
      const options = { pace: { ...pace, backoffMs } };
      return {
        open: (given = {}) =>
          mysqlInbox(url, { ...options, retentionMs: given.retentionMs ?? retentionMs }),
      };
    },
  };
  inboxSuite("mysql", underTest);
  ledgerSuite("mysql", underTest);
  drainSuite("mysql", underTest);
  clockSuite("mysql", underTest);
  merchantSuite("mysql", underTest);

  transactionSuite("mysql", async () => {
    const url = await freshDatabase(here);
    await query(url, "CREATE TABLE effects (effect TEXT)");
    const inbox = mysqlInbox(url, { pace });
    return {
      open: () => inbox,
      write: (connection, effect) =>
        (connection as Connection).query("INSERT INTO effects VALUES (?)", [effect]),
      sql: (connection, text) => (connection as Connection).query(text),
      effects: async () =>
        (await query(url, "SELECT effect FROM effects")).map((row) => row.effect),
    };
  });

  kindsSuite("mysql", {
    fresh: () => {
      const making = freshDatabase(here);
      return async () => {
        const url = await making;
        const malipo = await import("../../../support/stores/mysql-inbox.ts");
        return () => malipo.mysqlInbox(url, { pace });
      };
    },
  });
  engineSuite("mysql", engine, (url) => mysqlInbox(onOwn(url), { pace }));

  describe("mysql and its server", () => {
    stopAll();

    test("retries an event whose handler lost its connection in its transaction", async () => {
      const url = await freshDatabase(here);
      const receiver = receiverOn(mysqlInbox(url, { pace }));
      const seen: number[] = [];
      receiver.onOther((_, { attempt, transaction }) =>
        transaction(async (connection: Connection) => {
          if (attempt === 1) {
            const [rows] = await connection.query<RowDataPacket[]>("SELECT CONNECTION_ID() AS id");
            await query(url, `KILL ${rows[0]?.id}`);
          }
          seen.push(attempt);
        }),
      );
      await receiver.start();
      await receiver.post("PAY-1");
      await until(() => seen.includes(2));
      expect(await receiver.deadLetters.list()).toEqual([]);
    });

    test("makes a dead letter of an event during which 12 processes died; a requeue forgives them", async () => {
      const url = await freshDatabase(here);
      const receiver = receiverOn(mysqlInbox(url, { pace }));
      const attempts: number[] = [];
      receiver.onOther((_, { attempt }) => attempts.push(attempt));
      await receiver.post("PAY-1");
      await query(url, `UPDATE ${TABLES.events} SET attempts = 12, token = 1`);
      await receiver.start();
      await until(async () => (await receiver.deadLetters.list()).length === 1);
      const [letter] = await receiver.deadLetters.list();
      expect(letter).toMatchObject({ attempts: 12, error: expect.stringContaining("died") });
      await receiver.deadLetters.requeue(letter?.id as string);
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([1]);
    });

    test("of deliveries that two processes store at the same moment, one each is accepted", async () => {
      const url = await freshDatabase(here);
      const inboxes = [1, 2].map(() => mysqlInbox(url, { pace }));
      for (let round = 0; round < 20; round++) {
        const numbers = Array.from({ length: 30 }, (_, at) => round * 30 + at);
        const kinds = await Promise.all(
          inboxes.map((inbox, who) =>
            Promise.all(
              (who === 0 ? numbers : numbers.toReversed()).map(async (number) => {
                const digest = number % 3 === 0 ? newDelivery(90_000 + who).digest : undefined;
                const { kind } = await inbox.accept(
                  newDelivery(number, digest === undefined ? {} : { digest }),
                );
                return [number, kind] as const;
              }),
            ),
          ),
        );
        for (const number of numbers) {
          const found = kinds.flat().filter(([of]) => of === number);
          const other = number % 3 === 0 ? "conflict" : "duplicate";
          expect(found.map(([, kind]) => kind).sort()).toEqual(["accepted", other]);
        }
      }
      const count = `SELECT COUNT(*) AS count FROM ${TABLES.events}`;
      expect(await query(url, count)).toEqual([{ count: 600 }]);
      for (const inbox of inboxes) await inbox.stop(0);
    });

    test("stores the neighbours of a delivery that the server does not take", async () => {
      const inbox = mysqlInbox(await freshDatabase(here), { pace });
      await inbox.accept(newDelivery(0));
      const wrong = { secretIndex: 2 ** 70 };
      const all = [1, 2, 3].map((number) => newDelivery(number, number === 2 ? wrong : {}));
      const ends = await Promise.allSettled(all.map((delivery) => inbox.accept(delivery)));
      expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      await inbox.stop(0);
    });
  });
});
