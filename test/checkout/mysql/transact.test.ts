import type mysql from "mysql2/promise";
import { afterAll, describe } from "vitest";
import { clear, column, mysqlStage } from "../../storage/mysql/mysql-stage.ts";
import { type MerchantServer, merchantServerSuite } from "../../suites/merchant-server.ts";
import { startMysql } from "../../support/engines/mysql.ts";
import { MYSQL_ORMS } from "../../support/orms/mysql-orms.ts";
import type { Orm, OrmName } from "../../support/orms/orm.ts";
import { mysqlCheckout } from "../../support/stores/mysql-checkout.ts";

// Its own engine, since a test ends all connections to it.
const engine = await startMysql();
/** One of each library, as a shop has it. */
const opened = new Map<OrmName, Orm>();
const { newDatabase, poolOf } = mysqlStage(engine);
afterAll(async () => {
  for (const orm of opened.values()) await orm.close();
  await engine?.stop();
});

const prepared = new Map<string, Promise<{ url: string; pool: mysql.Pool }>>();
const table = "goods";

async function openDatabase() {
  const url = await newDatabase();
  const pool = poolOf(url, { connectionLimit: 50 });
  await pool.query(`CREATE TABLE ${table} (order_id VARCHAR(100))`);
  return { url, pool };
}

/** Each library has one. */
function databaseOf(library: string) {
  const opening = prepared.get(library) ?? openDatabase();
  prepared.set(library, opening);
  return opening;
}

async function prepare(library: string) {
  const { url, pool } = await databaseOf(library);
  await clear(pool);
  const goods = async () => (await column(pool, `SELECT order_id FROM ${table}`)).map(String);
  return {
    url,
    table,
    goods,
    giveElsewhere: (order: string) => pool.query(`INSERT INTO ${table} VALUES (?)`, [order]),
    place: { engine: "mysql", place: url, table },
    open: (options: object) => mysqlCheckout(pool, options),
  };
}

const server: MerchantServer = {
  driver: "mysql2",
  engines: { driver: "mysql2", orm: "mysqlOrm" },
  orms: MYSQL_ORMS,
  prepare,
  byDriver: () => ({
    give: (client, order) =>
      (client as mysql.PoolConnection).execute(`INSERT INTO ${table} VALUES (?)`, [order]),
    sql: (client, text) => (client as mysql.PoolConnection).query(text),
    inTransaction: async (work) => {
      const connection = await (await databaseOf("mysql2")).pool.getConnection();
      try {
        await connection.beginTransaction();
        await work(connection, connection);
        await connection.commit();
      } catch (error) {
        await connection.rollback();
        throw error;
      } finally {
        connection.release();
      }
    },
  }),
  cut: async () => {
    const pool = poolOf(engine?.url ?? "");
    const ids = await column(
      pool,
      "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'root'",
    );
    // One may end by itself.
    for (const id of ids) await pool.query(`KILL ${id}`).catch(() => {});
  },
};

describe.skipIf(engine === undefined)("orders on MariaDB, beside the merchant's own code", () =>
  merchantServerSuite(server, opened),
);
