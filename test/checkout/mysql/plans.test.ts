import type { RowDataPacket } from "mysql2/promise";
import { beforeAll, describe, expect, it } from "vitest";
import { ORDERS, type OrderStatement } from "../../../src/checkout/orders/tables.ts";
import { bound, mysqlDialect, positional } from "../../../src/storage/mysql/mysql-dialect.ts";
import { mysqlStage, roomOn } from "../../storage/mysql/mysql-stage.ts";
import { sharedMysql } from "../../support/engines/shared.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

const ROWS = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit} AS d`).join(" UNION ALL ");
const DIGITS = ["a", "b", "c", "d", "e"].map((name) => `(${ROWS}) AS ${name}`).join(", ");
const NUMBER = "1 + a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d";

/** More than a page, and far less than what is stored. */
const FEW = 150;

const VALUES: Readonly<Record<string, string | number>> = {
  count: 32,
};

describe.skipIf(engine === undefined)("100,000 paid orders in MariaDB, without statistics", () => {
  const found = { pool: undefined as ReturnType<typeof poolOf> | undefined };

  beforeAll(async () => {
    const pool = poolOf(await newDatabase());
    found.pool = pool;
    await roomOn(pool).tables(ORDERS).open();
    await pool.query("ALTER TABLE malipo_checkout_orders STATS_AUTO_RECALC = 0");
    await pool.query(`INSERT INTO malipo_checkout_orders
      SELECT CONCAT('O', n), 1, CONCAT('L', n), 'paid', 0, n, NULL, n, '{}'
      FROM (SELECT ${NUMBER} AS n FROM ${DIGITS}) AS numbers`);
  });

  const plansOf = async (name: OrderStatement) => {
    const sent = positional(ORDERS.statements(mysqlDialect())[name]);
    const [text, values] = bound(
      sent,
      sent.names.map((one) => VALUES[one] ?? null),
    );
    const [rows] = await (found.pool as ReturnType<typeof poolOf>).query<RowDataPacket[]>(
      `EXPLAIN ${text}`,
      values,
    );
    return rows.map(({ type, key, rows: read }) => ({ type, key, isFew: Number(read) <= FEW }));
  };

  it.each<[OrderStatement, string]>([
    ["dueGoods", "orders_paid"],
    ["due", "orders_due"],
    ["misdated", "orders_planned"],
  ])("are not read by the statement %s", async (name, index) => {
    const key = `malipo_checkout_${index}`;
    expect(await plansOf(name)).toEqual([{ type: "range", key, isFew: true }]);
  });
});
