import type mysql from "mysql2/promise";
import { beforeAll, describe, expect, it } from "vitest";
import { mysqlStage } from "../../storage/mysql/mysql-stage.ts";
import { askAll, FEW, NOW, SHOPS, STORED } from "../../suites/checkout-plans.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { mysqlCheckout } from "../../support/stores/mysql-checkout.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

/** Notes the statements of a connection that read many rows. */
function counting(connection: mysql.PoolConnection, greedy: string[]): mysql.PoolConnection {
  const count = async () => {
    const [rows] = await connection.query<mysql.RowDataPacket[]>(
      "SHOW SESSION STATUS LIKE 'Handler_read%'",
    );
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
  };
  const query = async (given: mysql.QueryOptions | string) => {
    if (typeof given === "string") return connection.query(given);
    await connection.query("FLUSH STATUS");
    const result = await connection.query(given);
    const text = given.sql.trim().replaceAll(/\s+/g, " ");
    if (!/^(SELECT|INSERT|UPDATE|DELETE)/.test(text)) return result;
    const read = await count();
    if (read > FEW) greedy.push(`${read}: ${text}`);
    return result;
  };
  return new Proxy(connection, {
    get: (_, name) => {
      const value = name === "query" ? query : Reflect.get(connection, name);
      return typeof value === "function" ? value.bind(connection) : value;
    },
  });
}

/** All but the orders. */
const ROWS = {
  "checkout_payments (reference, order_id, report, review, at)": `
    CONCAT('R', n), IF(n % 2 = 0, CONCAT('O', n), NULL), IF(n % 2 = 1, '{"reference":"R"}', NULL),
    IF(n % 4 = 1, 'open', NULL), ${NOW} - n`,
  "checkout_prompts (order_id, number, phone, at, is_open)": `
    CONCAT('O', n), 1, CONCAT('P', n), ${NOW} - n, 0`,
  "checkout_decisions (line)": "'{}'",
  idempotency: `CONCAT('K', n), 2, 'succeeded', '', 'e', CONCAT('K', n), 'b', '', n, n, 1, 'p',
    CONCAT('A', n), '1', 'f', '{}', NULL`,
};

/** Fills a table, as it is before a server counts its rows. */
async function fill(connection: mysql.Connection, table: string, values: string): Promise<void> {
  const [name] = table.split(" ");
  await connection.query(`ALTER TABLE malipo_${name} STATS_AUTO_RECALC = 0`);
  await connection.query(`INSERT INTO malipo_${table} WITH RECURSIVE numbers AS
    (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${STORED}) SELECT ${values} FROM numbers`);
}

describe.skipIf(engine === undefined)("100,000 orders in MariaDB, without statistics,", () => {
  let pool: mysql.Pool;
  let admin: mysql.Connection;

  beforeAll(async () => {
    const url = await newDatabase();
    pool = poolOf(url);
    admin = await pool.getConnection();
    await mysqlCheckout(pool).open();
    // The names of MariaDB and of MySQL.
    for (const name of ["max_recursive_iterations", "cte_max_recursion_depth"])
      await admin.query(`SET SESSION ${name} = 1000000`).catch(() => {});
    for (const [table, values] of Object.entries(ROWS)) await fill(admin, table, values);
  });

  it.each(SHOPS)("are not read by a poll, a list or a page: those that $what", async (shop) => {
    const { status, hasReview = 0, dueAt = null, later } = shop;
    await admin.query("TRUNCATE malipo_checkout_orders");
    await fill(
      admin,
      "checkout_orders (id, version, label, status, has_review, created_at, due_at, planned_at, state)",
      `CONCAT('O', n), 1, CONCAT('L', n), '${status}', ${hasReview}, n, ${dueAt}, n, '{"createdAt":1,"id":"O"}'`,
    );
    if (later !== undefined) await admin.query(`UPDATE malipo_checkout_orders SET ${later}`);
    const greedy: string[] = [];
    const getConnection = async () => counting(await pool.getConnection(), greedy);
    const store = mysqlCheckout({ getConnection, pool: pool.pool } as unknown as mysql.Pool);
    await store.open();
    await askAll(store);
    expect(greedy).toEqual([]);
  });
});
