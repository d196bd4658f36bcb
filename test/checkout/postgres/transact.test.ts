import { Pool, type PoolClient } from "pg";
import { afterAll, describe } from "vitest";
import {
  checkoutTransactionSuite,
  type MerchantDatabase,
} from "../../suites/checkout-transaction.ts";
import { wrongEndingsSuite } from "../../suites/wrong-endings.ts";
import { startPostgres } from "../../support/engines/postgres.ts";
import { ORMS, type Orm, type OrmName } from "../../support/orms.ts";
import { postgresCheckout } from "../../support/stores/postgres-checkout.ts";

// Its own engine, since a test ends all connections to it.
const engine = await startPostgres();
const { url = "" } = engine ?? {};
// A test that loses a connection takes none of another one.
const pool = new Pool({ connectionString: url, max: 50, allowExitOnIdle: true });
pool.on("error", () => {});
/** One of each library, as a shop has it. */
const opened = new Map<OrmName, Orm>();
afterAll(async () => {
  for (const orm of opened.values()) await orm.close();
  await pool.end();
  await engine?.stop();
});

const prepared = new Set<string>();

/** The table of goods, and what is the same with every library. Each library has a schema, which is empty before each test. */
async function prepare(library: string) {
  const [schema, table] = [`shop_${library}`, `goods_${library}`];
  if (!prepared.has(schema)) await pool.query(`CREATE TABLE ${table} (order_id TEXT)`);
  prepared.add(schema);
  const { rows } = await pool.query("SELECT tablename FROM pg_tables WHERE schemaname = $1", [
    schema,
  ]);
  const stored = rows
    .filter(({ tablename }) => !tablename.endsWith("meta"))
    .map(({ tablename }) => `${schema}.${tablename}`);
  await pool.query([table, ...stored].map((one) => `DELETE FROM ${one}`).join("; "));
  return {
    schema,
    table,
    goods: async () =>
      (await pool.query(`SELECT order_id FROM ${table}`)).rows.map((row) => row.order_id),
    giveElsewhere: (order: string) => pool.query(`INSERT INTO ${table} VALUES ($1)`, [order]),
    place: { engine: "postgres", place: url, schema, table },
  };
}

/** The merchant writes by `pg` itself. */
async function onPg(now: () => number): Promise<MerchantDatabase> {
  const { schema, table, ...common } = await prepare("pg");
  return {
    ...common,
    open: () => postgresCheckout({ pool, schema, now }),
    give: (client, order) =>
      (client as PoolClient).query(`INSERT INTO ${table} VALUES ($1)`, [order]),
    sql: (client, text) => (client as PoolClient).query(text),
    inTransaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await work(client, client);
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

/** The merchant writes by a library, in its own transactions. */
const onOrm =
  (name: OrmName) =>
  async (now: () => number): Promise<MerchantDatabase> => {
    const { schema, table, ...common } = await prepare(name);
    const orm = opened.get(name) ?? ORMS[name](url);
    opened.set(name, orm);
    const { transact } = orm;
    return {
      ...common,
      place: { ...common.place, orm: name },
      open: () => postgresCheckout({ pool, schema, transact, now }),
      give: (client, order) => orm.write(client, table, "order_id", order),
      sql: (client, text) => orm.run(client, text),
      inTransaction: (work) => transact((client, db) => work(db, client)),
    };
  };

const cut = () =>
  pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );

describe.skipIf(engine === undefined)("postgresCheckout", () => {
  checkoutTransactionSuite("pg", onPg, cut);
  wrongEndingsSuite("pg", "pg", onPg);
  for (const name of Object.keys(ORMS) as OrmName[]) {
    checkoutTransactionSuite(name, onOrm(name), cut);
    wrongEndingsSuite(name, "orm", onOrm(name), name);
  }
});
