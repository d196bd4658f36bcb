import { readFileSync } from "node:fs";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import { afterAll, describe, expect, test } from "vitest";
import {
  type PgBossTransaction,
  pgBossInbox,
} from "../../../../src/webhooks/inbox/pg-boss/inbox.ts";
import { inboxSuite } from "../../../suites/inbox.ts";
import { clockSuite } from "../../../suites/inbox-clocks.ts";
import { drainSuite } from "../../../suites/inbox-drain.ts";
import { engineSuite } from "../../../suites/inbox-engine.ts";
import { kindsSuite } from "../../../suites/inbox-kinds.ts";
import { ledgerSuite } from "../../../suites/inbox-ledger.ts";
import { merchantSuite } from "../../../suites/inbox-merchants.ts";
import { type InboxUnderTest, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { freshQueue, query, tuning } from "./stage.ts";

const engine = await sharedPostgres();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

describe.skipIf(engine === undefined)("with a PostgreSQL", () => {
  const underTest: InboxUnderTest = {
    fresh: async ({ retentionMs, retriesLate, retriesAfterMs = 0 } = {}) => {
      const queue = freshQueue();
      const backoffMs = () => (retriesLate ? 60_000 : retriesAfterMs);
      const options = { ...tuning, pace: { ...tuning.pace, backoffMs } };
      return {
        open: () => pgBossInbox({ connectionString: url, queue, retentionMs, tuning: options }),
      };
    },
  };
  inboxSuite("pgBossInbox", underTest);
  ledgerSuite("pgBossInbox", underTest);
  drainSuite("pgBossInbox", underTest);
  clockSuite("pgBossInbox", underTest);
  merchantSuite("pgBossInbox", underTest);

  transactionSuite("pgBossInbox", async () => {
    const queue = freshQueue();
    const table = queue.replaceAll("-", "_");
    await query(url, `CREATE TABLE ${table} (effect TEXT)`);
    const inbox = pgBossInbox({ connectionString: url, queue, tuning });
    return {
      open: () => inbox,
      write: (connection, effect) =>
        (connection as PgBossTransaction).query(`INSERT INTO ${table} VALUES ($1)`, [effect]),
      sql: (connection, text) => (connection as PgBossTransaction).query(text),
      effects: async () =>
        (await query(url, `SELECT effect FROM ${table}`)).map(({ effect }) => effect),
    };
  });
  const inboxOfVersion = (queue: string, before?: () => Promise<unknown>) => async () => {
    await before?.();
    const malipo = await import("../../../../src/webhooks/inbox/pg-boss/inbox.ts");
    return () => malipo.pgBossInbox({ connectionString: url, queue, tuning });
  };
  kindsSuite("pgBossInbox", {
    fresh: () => inboxOfVersion(freshQueue()),
    stored: () => {
      const queue = freshQueue();
      const file = new URL("./stored-data/kinds-1/inbox.sql", import.meta.url);
      const text = readFileSync(file, "utf8").replaceAll("QUEUE", queue);
      let filled: Promise<unknown> | undefined;
      return inboxOfVersion(queue, () => (filled ??= query(url, text)));
    },
  });
  engineSuite("pgBossInbox", engine, (url, queue) =>
    pgBossInbox({ connectionString: url, queue, tuning }),
  );

  describe("pgBossInbox and its PostgreSQL", () => {
    stopAll();

    test("retries an event whose handler lost its connection in its transaction", async () => {
      const inbox = pgBossInbox({ connectionString: url, queue: freshQueue(), tuning });
      const receiver = receiverOn(inbox);
      const seen: number[] = [];
      receiver.onOther((_, { attempt, transaction }) =>
        transaction(async (connection: PgBossTransaction) => {
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

    test("accepts a pg-boss of the user, starts it, and leaves it running", async () => {
      const boss = new PgBoss(url);
      boss.on("error", () => {});
      const other = freshQueue();
      const receiver = receiverOn(pgBossInbox({ boss, queue: freshQueue(), tuning }));
      const seen: unknown[] = [];
      receiver.onOther(({ data }) => seen.push(data.reference));
      await receiver.start();
      await receiver.post("PAY-1");
      await until(() => seen.length === 1);
      await receiver.stop();
      await boss.createQueue(other);
      expect(await boss.send(other, {})).not.toBe(null);
      await boss.stop({ graceful: false });
    });

    test("names the connection of a pg-boss that has no transactions", async () => {
      const pool = new Pool({ connectionString: url });
      const db = { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) };
      const boss = new PgBoss({ db });
      boss.on("error", () => {});
      const receiver = receiverOn(pgBossInbox({ boss, queue: freshQueue(), tuning }));
      expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
      expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
        code: "configuration",
        message: expect.stringContaining("`beginTransaction`"),
      });
      await boss.stop({ graceful: false });
      await pool.end();
    });

    test("drops no delivery because it waited long", async () => {
      const boss = new PgBoss(url);
      boss.on("error", () => {});
      const queue = freshQueue();
      const receiver = receiverOn(pgBossInbox({ boss, queue, tuning }));
      await receiver.post("PAY-1");
      const queues = (await boss.getQueues()).filter(({ name }) => name.startsWith(`${queue}/`));
      expect(queues).toHaveLength(9);
      for (const { retentionSeconds = 0 } of queues) {
        expect(retentionSeconds).toBeGreaterThan(50 * 365 * 86_400);
      }
      await boss.stop({ graceful: false });
    });

    test("makes a dead letter of an event during which 12 processes died; a requeue forgives them", async () => {
      const queue = freshQueue();
      const receiver = receiverOn(pgBossInbox({ connectionString: url, queue, tuning }));
      const attempts: number[] = [];
      receiver.onOther((_, { attempt }) => attempts.push(attempt));
      await receiver.post("PAY-1");
      await query(
        url,
        `UPDATE pgboss.job SET state = 'active', retry_count = 11, started_on = now() - interval '1 h',
           heartbeat_on = now() - interval '1 h' WHERE name = $1`,
        [`${queue}/payment.completed`],
      );
      await receiver.start();
      await until(async () => (await receiver.deadLetters.list()).length === 1);
      const [letter] = await receiver.deadLetters.list();
      expect(letter).toMatchObject({ attempts: 12, error: expect.stringContaining("died") });
      await receiver.deadLetters.requeue(letter?.id as string);
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([1]);
    });

    test("reports at the start that synchronous_commit is off", async () => {
      const connectionString = `${url}?options=-c%20synchronous_commit%3Doff`;
      const receiver = receiverOn(pgBossInbox({ connectionString, queue: freshQueue(), tuning }));
      await receiver.start();
      expect(receiver.onError.mock.calls).toHaveLength(1);
      expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
        code: "configuration",
        message: expect.stringContaining("Set `synchronous_commit = on`"),
      });
    });
  });
});
