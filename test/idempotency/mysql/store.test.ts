import type mysql from "mysql2/promise";
import { afterAll, describe } from "vitest";
import type { SqlIdempotencyOptions } from "../../../src/idempotency/sql-store.ts";
import { column, mysqlStage } from "../../storage/mysql/mysql-stage.ts";
import { standsByTheContractOfDurability } from "../../suites/durable-idempotency-store.ts";
import { standsByTheContract } from "../../suites/idempotency-store.ts";
import { storesKeysInTables } from "../../suites/sql-idempotency.ts";
import { startMysql } from "../../support/engines/mysql.ts";
import { type KeyStore, mysqlKeys } from "../../support/key-stores.ts";

const engine = await startMysql();
const { newDatabase, poolOf } = mysqlStage(engine);
afterAll(() => engine?.stop());

const TABLE = "malipo_idempotency";
const META = `${TABLE}_meta`;

/** Stores on a database of their own, each with its own connections. */
function place() {
  let made: Promise<string> | undefined;
  const url = () => {
    made ??= newDatabase();
    return made;
  };
  let pool: mysql.Pool | undefined;
  const own = async () => {
    pool ??= poolOf(await url(), { connectionLimit: 3 });
    return pool;
  };
  return {
    open: async (options?: SqlIdempotencyOptions): Promise<KeyStore> =>
      mysqlKeys(poolOf(await url(), { connectionLimit: 5 }), options),
    run: async (sql: string, values: unknown[] = []) => (await own()).query(sql, values),
  };
}

describe.skipIf(engine === undefined)("with a MariaDB", () => {
  // Their results expire: the other suites look at a table whose records stay.
  standsByTheContract("MySQL", place().open);

  const durable = place();
  standsByTheContractOfDurability(
    "MySQL",
    () => ({
      open: durable.open,
      contents: async () =>
        JSON.stringify((await durable.run(`SELECT * FROM ${TABLE} ORDER BY \`key\``))[0]),
      setVersion: async (key, version) => {
        const update = `UPDATE ${TABLE} SET version = ?, keep_until = 0 WHERE \`key\` = ?`;
        await durable.run(update, [version, key]);
      },
      setFormat: async (format) => {
        await durable.run(`UPDATE ${META} SET value = ? WHERE name = 'format'`, [
          String(format ?? 0),
        ]);
      },
      tamper: (key, field, value) =>
        durable.run(`UPDATE ${TABLE} SET ${field} = ? WHERE \`key\` = ?`, [value, key]).then(
          () => true,
          () => false,
        ),
      remove: async (key) => {
        await durable.run(`DELETE FROM ${TABLE} WHERE \`key\` = ?`, [key]);
      },
      moveLease: async (key, ms) => {
        const update = `UPDATE ${TABLE} SET lease_from = lease_from + ? WHERE \`key\` = ?`;
        await durable.run(update, [ms, key]);
      },
      makeOlder: async (key, ms) => {
        const times = ["begun_at", "lease_from", "keep_until"];
        const changes = times.map((time) => `${time} = ${time} - ${ms}`).join(", ");
        await durable.run(`UPDATE ${TABLE} SET ${changes} WHERE \`key\` = ?`, [key]);
      },
      // A port without a listener.
      unreachable: async () => mysqlKeys(poolOf("mysql://none@127.0.0.1:1/none")),
      crash: async () => engine?.restart(),
    }),
    { crashes: engine?.restarts ?? false },
  );

  storesKeysInTables("MySQL", async () => {
    const pool = poolOf(await newDatabase());
    return {
      open: (options) => mysqlKeys(pool, options),
      keys: async () => (await column(pool, `SELECT \`key\` FROM ${TABLE} ORDER BY 1`)) as string[],
      expire: async () => {
        await pool.query(`UPDATE ${TABLE} SET keep_until = 0 WHERE keep_until IS NOT NULL`);
      },
    };
  });
});
