import type { Inbox } from "malipo/webhooks";
import { PgBoss } from "pg-boss";
import { afterAll, describe, expect, test } from "vitest";
import {
  type PgBossTransaction,
  pgBossInbox,
} from "../../../../src/webhooks/inbox/pg-boss/inbox.ts";
import { newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";
import { startPgBouncer } from "../../../support/engines/pgbouncer.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { freshQueue, query, tablesOf, tuning } from "./stage.ts";

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
    await transaction((client: PgBossTransaction) => client.query("SELECT 1"));
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
  expect(receiver.onError.mock.calls.map(([error]) => String(error))).toEqual(["Error: once"]);
  await receiver.stop();
}

describe.skipIf(engine === undefined)("pgBossInbox on a PostgreSQL of a company", () => {
  stopAll();

  test.each(["shop_1", '"My shop"'])(
    "has its tables in the schema that it is given (%s)",
    async (schema) => {
      await useEverything(pgBossInbox({ connectionString: url, schema, tuning }));
      const { events } = tablesOf("malipo-webhooks", schema);
      const [{ count }] = await query(
        url,
        `SELECT count(*)::int FROM ${events} WHERE state = 'done'`,
      );
      expect(count).toBe(5);
    },
  );

  test("uses a pg-boss of the user that runs already, with its own schema and options", async () => {
    const schema = `jobs_${freshQueue().slice(-12)}`;
    const boss = new PgBoss({ connectionString: url, schema, supervise: false, max: 4 });
    boss.on("error", () => {});
    await boss.start();
    await useEverything(pgBossInbox({ boss, queue: freshQueue(), tuning }));
    expect(await boss.isInstalled()).toBe(true);
    await boss.stop({ graceful: false });
  });

  test("uses queues that the user created with separate tables", async () => {
    const boss = new PgBoss({ connectionString: url });
    boss.on("error", () => {});
    await boss.start();
    const queue = freshQueue();
    await boss.createQueue(`${queue}/payment.completed`, { partition: true });
    await useEverything(pgBossInbox({ boss, queue, tuning }));
    await boss.stop({ graceful: false });
  });

  test("goes on when the user stops and starts their pg-boss", async () => {
    const boss = new PgBoss({ connectionString: url });
    boss.on("error", () => {});
    const receiver = receiverOn(pgBossInbox({ boss, queue: freshQueue(), tuning }));
    const seen: unknown[] = [];
    receiver.onOther(({ data }) => seen.push(data.reference));
    await receiver.start();
    await receiver.post("PAY-1");
    await until(() => seen.length === 1);
    await boss.stop({ graceful: false });
    expect(await receiver.post("PAY-2")).toEqual([503, "cannot be stored now"]);
    await boss.start();
    expect(await receiver.post("PAY-2")).toEqual([200, "received"]);
    await until(() => seen.length === 2);
    await receiver.stop();
    await boss.stop({ graceful: false });
  });

  test("stops, and says why, when another pg-boss comes with the same inbox", async () => {
    const queue = freshQueue();
    const bosses = ["one", "two"].map(
      (name) => new PgBoss({ connectionString: url, schema: `${name}_${queue.slice(-8)}` }),
    );
    for (const boss of bosses) boss.on("error", () => {});
    const [first, second] = bosses.map((boss) => receiverOn(pgBossInbox({ boss, queue, tuning })));
    await first?.start();
    expect(await first?.post("PAY-1")).toEqual([200, "received"]);
    expect(await second?.post("PAY-2")).toEqual([200, "received"]);
    await until(() => (first?.onError.mock.calls.length ?? 0) > 0);
    expect(first?.onError.mock.calls[0]?.[0]).toMatchObject({
      code: "configuration",
      message: expect.stringContaining("Another pg-boss works on the events of the inbox"),
    });
    expect(await first?.post("PAY-3")).toEqual([503, "cannot be stored now"]);
    for (const boss of bosses) await boss.stop({ graceful: false });
  });

  test("rejects a schema and a queue that cannot be one", () => {
    for (const schema of ["", "two words", "it's", "s".repeat(64), `"${"é".repeat(32)}"`]) {
      expect(() => pgBossInbox({ connectionString: url, schema })).toThrow(
        expect.objectContaining({ code: "configuration" }),
      );
    }
    for (const queue of ["", "two words", "a/b", "q".repeat(51)]) {
      expect(() => pgBossInbox({ connectionString: url, queue })).toThrow(
        expect.objectContaining({ code: "configuration" }),
      );
    }
  });
});

describe.skipIf(bouncer === undefined)("pgBossInbox behind PgBouncer in transaction mode", () => {
  stopAll();

  test("does all that it does without", async () => {
    const connectionString = bouncer?.url as string;
    await useEverything(pgBossInbox({ connectionString, queue: freshQueue(), tuning }));
  });

  transactionSuite("pgBossInbox behind PgBouncer", async () => {
    const queue = freshQueue();
    const table = queue.replaceAll("-", "_");
    await query(url, `CREATE TABLE ${table} (effect TEXT)`);
    const inbox = pgBossInbox({ connectionString: bouncer?.url as string, queue, tuning });
    return {
      open: () => inbox,
      write: (connection, effect) =>
        (connection as PgBossTransaction).query(`INSERT INTO ${table} VALUES ($1)`, [effect]),
      sql: (connection, text) => (connection as PgBossTransaction).query(text),
      effects: async () =>
        (await query(url, `SELECT effect FROM ${table}`)).map(({ effect }) => effect),
    };
  });
});
