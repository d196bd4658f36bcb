import mysql, { type Connection, type RowDataPacket } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bound, mysqlDialect, positional } from "../../../../src/storage/mysql/mysql-dialect.ts";
import type { Statement, Values } from "../../../../src/storage/sql-steps.ts";
import { claimSteps, nextDueSteps } from "../../../../src/webhooks/inbox/sql/claim.ts";
import { InboxSql } from "../../../../src/webhooks/inbox/sql/inbox-sql.ts";
import { pageStep } from "../../../../src/webhooks/inbox/sql/review.ts";
import { INBOX } from "../../../../src/webhooks/inbox/tables.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { sharedMysql } from "../../../support/engines/shared.ts";
import { freshDatabase, makeTables, TABLES } from "./stage.ts";

const engine = await sharedMysql();
afterAll(() => engine?.stop());

const DONE = 100_000;
const dialect = mysqlDialect();
const sql = new InboxSql(dialect, 1_000);
const statements = INBOX.statements(dialect);

/** The first statement of some steps. */
const firstOf = (steps: Iterator<unknown>) => steps.next().value as [Statement, Values];
const claim = { count: 5, kinds: undefined, busy: [], leaseMs: 60_000 };

const POLLED: readonly (readonly [string, Statement, Values])[] = [
  ["the claim", ...firstOf(claimSteps(sql, claim))],
  ["the claim of some kinds", ...firstOf(claimSteps(sql, { ...claim, kinds: ["a.b", "c.d"] }))],
  ["the next due event", ...firstOf(nextDueSteps(sql, undefined))],
  ["the lists of stats()", statements.forAPerson, {}],
  ["what is over", statements.overEvents, {}],
  ["conflicts that are over", statements.overConflicts, {}],
  ["leases that end too late", statements.misdatedLeases, { longest: 60_000 }],
  ["a page of dead letters", ...pageStep(sql, "deadLetters", { limit: 10 } as never)],
];

describe.skipIf(engine === undefined)(`with ${DONE} processed events`, () => {
  let connection: Connection;
  let here = "";
  beforeAll(async () => {
    const url = await freshDatabase(engine as Engine);
    here = url;
    await makeTables(url);
    connection = await mysql.createConnection(url);
    const columns = "`key`, digest, kind, raw, secret_index, received_at, queue, due_at";
    const add = (first: number, last: number, kind: string, queue: string, state: string) =>
      connection.query(`INSERT INTO ${TABLES.events} (${columns}, forget_at, state)
        WITH RECURSIVE numbers AS (SELECT ${first} AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})
        SELECT UNHEX(LPAD(HEX(n), 64, '0')), UNHEX('00'), '${kind}', '', 0, n, '${queue}', n,
          IF('${state}' = 'done', 9e15, NULL), '${state}' FROM numbers`);
    await connection.query("SET SESSION max_recursive_iterations = 1000000").catch(() => {});
    await connection.query("SET SESSION cte_max_recursion_depth = 1000000").catch(() => {});
    await add(1, DONE, "payment.completed", "payment.completed", "done");
    await add(DONE + 1, DONE + 50, "payment.completed", "payment.completed", "pending");
    await add(DONE + 51, DONE + 100, "a.b", "other", "pending");
  });
  afterAll(() => connection?.end());

  const textOf = (statement: Statement, values: Values) => {
    const known = positional(statement);
    return bound(
      known,
      known.names.map((name) => values[name] ?? null),
    );
  };

  test.each(POLLED)("%s reads few rows", async (_, ...step) => {
    await connection.query("FLUSH STATUS");
    await connection.query(...textOf(...step));
    const [rows] = await connection.query<RowDataPacket[]>(
      "SHOW SESSION STATUS LIKE 'Handler_read%'",
    );
    expect(rows.reduce((sum, { Value }) => sum + Number(Value), 0)).toBeLessThan(200);
  });

  test.each(POLLED)("%s sorts no events: what is sorted is locked", async (_, ...step) => {
    const [text, values] = textOf(...step);
    const [plan] = await connection.query<RowDataPacket[]>(`EXPLAIN ${text}`, values);
    const events = plan.filter(({ table }) => String(table).startsWith(TABLES.events));
    expect(events.filter(({ Extra }) => /filesort/.test(Extra ?? ""))).toEqual([]);
  });

  test("a claim locks no more events than it takes", async () => {
    const url = here;
    const other = await mysql.createConnection(url);
    await connection.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    await other.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    await connection.query("START TRANSACTION");
    await other.query("START TRANSACTION");
    const taken: number[] = [];
    for (const one of [connection, other]) {
      const [rows] = await one.query<RowDataPacket[]>(
        ...textOf(...firstOf(claimSteps(sql, { ...claim, kinds: ["payment.completed"] }))),
      );
      taken.push(...rows.map(({ id }) => id));
    }
    await connection.query("ROLLBACK");
    await other.query("ROLLBACK");
    await other.end();
    expect(taken).toHaveLength(10);
    expect(new Set(taken).size).toBe(10);
    // The ten that have been due for longest.
    expect(Math.max(...taken) - Math.min(...taken)).toBe(9);
  });
});
