import type { PoolClient } from "pg";
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
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { postgresInbox } from "../../../support/stores/postgres-inbox.ts";
import { freshSchema, pace, query, storedData, tablesOf } from "./stage.ts";

const engine = await sharedPostgres();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

describe.skipIf(engine === undefined)("with a PostgreSQL", () => {
  const underTest: InboxUnderTest = {
    fresh: async ({ retentionMs, retriesLate, retriesAfterMs = 0 } = {}) => {
      const schema = freshSchema();
      const backoffMs = () => (retriesLate ? 60_000 : retriesAfterMs);
      const options = { connectionString: url, schema, retentionMs, pace: { ...pace, backoffMs } };
      return {
        open: (given = {}) =>
          postgresInbox({ ...options, retentionMs: given.retentionMs ?? retentionMs }),
      };
    },
  };
  inboxSuite("postgresInbox", underTest);
  ledgerSuite("postgresInbox", underTest);
  drainSuite("postgresInbox", underTest);
  clockSuite("postgresInbox", underTest);
  merchantSuite("postgresInbox", underTest);

  transactionSuite("postgresInbox", async () => {
    const schema = freshSchema();
    await query(url, `CREATE TABLE ${schema}_effects (effect TEXT)`);
    const inbox = postgresInbox({ connectionString: url, schema, pace });
    return {
      open: () => inbox,
      write: (connection, effect) =>
        (connection as PoolClient).query(`INSERT INTO ${schema}_effects VALUES ($1)`, [effect]),
      sql: (connection, text) => (connection as PoolClient).query(text),
      effects: async () =>
        (await query(url, `SELECT effect FROM ${schema}_effects`)).map(({ effect }) => effect),
    };
  });
  const inboxOfVersion = (schema: string, before?: () => Promise<unknown>) => async () => {
    await before?.();
    const malipo = await import("../../../support/stores/postgres-inbox.ts");
    return () => malipo.postgresInbox({ connectionString: url, schema, pace });
  };
  kindsSuite("postgresInbox", {
    fresh: () => inboxOfVersion(freshSchema()),
    stored: () => {
      const schema = freshSchema();
      let filled: Promise<unknown> | undefined;
      return inboxOfVersion(schema, () => (filled ??= query(url, storedData("kinds-1", schema))));
    },
  });
  engineSuite("postgresInbox", engine, (connectionString, queue) =>
    postgresInbox({ connectionString, schema: `"${queue}"`, pace }),
  );

  describe("postgresInbox and its PostgreSQL", () => {
    stopAll();

    test("retries an event whose handler lost its connection in its transaction", async () => {
      const receiver = receiverOn(
        postgresInbox({ connectionString: url, schema: freshSchema(), pace }),
      );
      const seen: number[] = [];
      receiver.onOther((_, { attempt, transaction }) =>
        transaction(async (connection: PoolClient) => {
          if (attempt === 1) {
            const { rows } = await connection.query("SELECT pg_backend_pid() AS pid");
            await query(url, `SELECT pg_terminate_backend(${rows[0]?.pid})`);
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
      const schema = freshSchema();
      const receiver = receiverOn(postgresInbox({ connectionString: url, schema, pace }));
      const attempts: number[] = [];
      receiver.onOther((_, { attempt }) => attempts.push(attempt));
      await receiver.post("PAY-1");
      await query(url, `UPDATE ${tablesOf(schema).events} SET attempts = 12, token = 1`);
      await receiver.start();
      await until(async () => (await receiver.deadLetters.list()).length === 1);
      const [letter] = await receiver.deadLetters.list();
      expect(letter).toMatchObject({ attempts: 12, error: expect.stringContaining("died") });
      await receiver.deadLetters.requeue(letter?.id as string);
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([1]);
    });

    test("of deliveries that two processes store at the same moment, one each is accepted", async () => {
      const schema = freshSchema();
      const inboxes = [1, 2].map(() => postgresInbox({ connectionString: url, schema, pace }));
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
      const count = `SELECT COUNT(*)::int AS count FROM ${tablesOf(schema).events}`;
      expect(await query(url, count)).toEqual([{ count: 600 }]);
      for (const inbox of inboxes) await inbox.stop(0);
    });

    test("stores the neighbours of a delivery that PostgreSQL does not take", async () => {
      const inbox = postgresInbox({ connectionString: url, schema: freshSchema(), pace });
      await inbox.accept(newDelivery(0));
      const wrong = { secretIndex: 2 ** 70 };
      const all = [1, 2, 3].map((number) => newDelivery(number, number === 2 ? wrong : {}));
      const ends = await Promise.allSettled(all.map((delivery) => inbox.accept(delivery)));
      expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      await inbox.stop(0);
    });

    test("waits for the disk although the database does not", async () => {
      const name = new URL(url).pathname.slice(1);
      await query(url, `ALTER DATABASE "${name}" SET synchronous_commit = off`);
      try {
        const receiver = receiverOn(
          postgresInbox({ connectionString: url, schema: freshSchema(), pace }),
        );
        const seen: unknown[] = [];
        receiver.onOther((_, { transaction }) =>
          transaction(async (connection: PoolClient) => {
            const { rows } = await connection.query("SHOW synchronous_commit");
            seen.push(rows[0]?.synchronous_commit);
          }),
        );
        await receiver.start();
        await receiver.post("PAY-1");
        await until(() => seen.length > 0);
        expect(seen).toEqual(["on"]);
        expect(receiver.onError).not.toHaveBeenCalled();
      } finally {
        await query(url, `ALTER DATABASE "${name}" RESET synchronous_commit`);
      }
    });
  });
});
