import type { Inbox } from "malipo/webhooks";
import { Pool, type PoolClient } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { postgres } from "../../../../src/engines/postgres.ts";
import { newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";
import { startPgBouncer } from "../../../support/engines/pgbouncer.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { postgresInbox } from "../../../support/stores/postgres-inbox.ts";
import { freshSchema, pace, query, tablesOf } from "./stage.ts";

const engine = await sharedPostgres();
const bouncer = engine && (await startPgBouncer(engine));
const { url = "" } = engine ?? {};
afterAll(async () => {
  await bouncer?.stop();
  await engine?.stop();
});

/** Everything that an inbox does with its tables. */
async function useEverything(inbox: Inbox): Promise<void> {
  const receiver = receiverOn(inbox);
  const seen: string[] = [];
  receiver.onOther(async ({ data }, { attempt, transaction }) => {
    if (data.reference === "PAY-1" && attempt === 1) throw new Error("once");
    await transaction((client: PoolClient) => client.query("SELECT 1"));
    seen.push(`${data.reference} ${attempt}`);
  });
  await receiver.start();
  await Promise.all(["PAY-1", "PAY-2", "PAY-2"].map((reference) => receiver.post(reference)));
  await until(() => seen.length === 2);
  expect(seen.sort()).toEqual(["PAY-1 2", "PAY-2 1"]);
  expect(await receiver.post("PAY-2")).toEqual([200, "received before"]);
  expect(await receiver.post("PAY-2", "9.00")).toEqual([200, "received before with other data"]);
  for (const number of [1, 2]) {
    await inbox.accept(newDelivery(number, { deadLetterReason: "too old" }));
  }
  const [first, second] = await receiver.deadLetters.list();
  await receiver.deadLetters.requeue(first?.id ?? "");
  await receiver.deadLetters.drop(second?.id ?? "");
  await receiver.conflicts.requeue((await receiver.conflicts.list()).map(({ id }) => id));
  await until(() => seen.length === 4);
  const nothing = { waiting: 0, running: 0, dead: 0, conflicts: 0 };
  await until(async () => (await receiver.stats()).running === 0);
  expect(await receiver.stats()).toMatchObject(nothing);
  // On a busy machine, the engine may reply late: that is reported, too, without an attempt.
  const failed = receiver.onError.mock.calls.filter(([, attempt]) => attempt !== undefined);
  expect(failed.map(([error]) => String(error))).toEqual(["Error: once"]);
  await receiver.stop();
}

describe.skipIf(engine === undefined)("postgresInbox on a PostgreSQL of a company", () => {
  stopAll();

  test.each(["shop_1", '"My shop"'])(
    "has its tables in the schema that it is given (%s)",
    async (schema) => {
      await useEverything(postgresInbox({ connectionString: url, schema, pace }));
      const { events } = tablesOf(schema);
      const [{ count }] = await query(
        url,
        `SELECT count(*)::int FROM ${events} WHERE state = 'done'`,
      );
      expect(count).toBe(5);
    },
  );

  test("uses a pool of the user, and leaves it open", async () => {
    const pool = new Pool({ connectionString: url, max: 4 });
    await useEverything(postgresInbox({ pool, schema: freshSchema(), pace }));
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test("rejects a schema that cannot be one, and takes an address or a pool", () => {
    for (const schema of ["", "two words", "it's", "s".repeat(64), `"${"é".repeat(32)}"`]) {
      expect(() => postgres(url, { schema })).toThrow(
        expect.objectContaining({ code: "configuration" }),
      );
    }
    expect(() => postgres(7 as never)).toThrow("`source` must be an address or a pg pool; got 7.");
  });

  test("is not started again after a stop", async () => {
    const inbox = postgresInbox({ connectionString: url, schema: freshSchema(), pace });
    await inbox.stop(0);
    await expect(inbox.accept(newDelivery(1))).rejects.toThrow("This engine was closed");
    const worker = { run: async () => {}, concurrency: 1, onError: () => {} };
    await expect(inbox.start(worker)).rejects.toMatchObject({ code: "configuration" });
  });
});

describe.skipIf(bouncer === undefined)("postgresInbox behind PgBouncer in transaction mode", () => {
  stopAll();

  test("does all that it does without", async () => {
    const connectionString = bouncer?.url as string;
    await useEverything(postgresInbox({ connectionString, schema: freshSchema(), pace }));
  });

  transactionSuite("postgresInbox behind PgBouncer", async () => {
    const schema = freshSchema();
    await query(url, `CREATE TABLE ${schema}_effects (effect TEXT)`);
    const inbox = postgresInbox({ connectionString: bouncer?.url as string, schema, pace });
    return {
      open: () => inbox,
      write: (connection, effect) =>
        (connection as PoolClient).query(`INSERT INTO ${schema}_effects VALUES ($1)`, [effect]),
      sql: (connection, text) => (connection as PoolClient).query(text),
      effects: async () =>
        (await query(url, `SELECT effect FROM ${schema}_effects`)).map(({ effect }) => effect),
    };
  });
});
