import type { RowDataPacket } from "mysql2/promise";
import { describe, expect, it } from "vitest";
import { ORDERS } from "../../../src/checkout/orders/tables.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import { type Component, tableSql } from "../../../src/storage/component.ts";
import { lockTable, mysqlDialect } from "../../../src/storage/mysql/mysql-dialect.ts";
import { INBOX } from "../../../src/webhooks/inbox/tables.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { mysqlStage, roomOn } from "./mysql-stage.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

const INDEXES = `SELECT table_name, index_name, column_name FROM information_schema.statistics
  WHERE table_schema = DATABASE() ORDER BY 1, 2, seq_in_index`;

/** All that makes the tables, as `db.sql()` prints it. */
const statementsOf = (component: Component) => [
  ...lockTable(),
  ...tableSql(mysqlDialect(), component),
];

/** The indexes of tables that a process has made whose predecessor was killed after some statements. */
async function madeAfter(component: Component, count: number): Promise<unknown> {
  const pool = poolOf(await newDatabase(), { connectionLimit: 2 });
  for (const sql of statementsOf(component).slice(0, count)) await pool.query(sql);
  await roomOn(pool).tables(component).open();
  return (await pool.query<RowDataPacket[]>(INDEXES))[0];
}

describe.skipIf(engine === undefined)(
  "tables of MariaDB, of which each is committed by itself",
  () => {
    it.each<[string, Component]>([
      ["keys", KEYS],
      ["events", INBOX],
      ["orders", ORDERS],
    ])("of %s are completed after a kill at any statement", async (_, component) => {
      const all = await madeAfter(component, 0);
      const { length } = statementsOf(component);
      for (let count = 1; count <= length; count++) {
        expect(await madeAfter(component, count), `after ${count} statements`).toEqual(all);
      }
    });
  },
);
