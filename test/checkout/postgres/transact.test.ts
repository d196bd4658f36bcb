import { Pool, type PoolClient } from "pg";
import { afterAll, describe } from "vitest";
import { clear } from "../../storage/postgres/clear.ts";
import { type MerchantServer, merchantServerSuite } from "../../suites/merchant-server.ts";
import { startPostgres } from "../../support/engines/postgres.ts";
import type { Orm, OrmName } from "../../support/orms/orm.ts";
import { POSTGRES_ORMS } from "../../support/orms/postgres-orms.ts";
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
  // Sequelize waits for ever for a connection that a test has cut. The engine ends all that are left.
  for (const orm of opened.values()) orm.close().catch(() => {});
  await pool.end();
  await engine?.stop();
});

const prepared = new Set<string>();

/** Each library has a schema. */
async function prepare(library: string) {
  const [schema, table] = [`shop_${library}`, `goods_${library}`];
  if (!prepared.has(schema)) await pool.query(`CREATE TABLE ${table} (order_id TEXT)`);
  prepared.add(schema);
  await pool.query(`DELETE FROM ${table}`);
  await clear(pool, schema);
  return {
    url,
    table,
    goods: async () =>
      (await pool.query(`SELECT order_id FROM ${table}`)).rows.map((row) => row.order_id),
    giveElsewhere: (order: string) => pool.query(`INSERT INTO ${table} VALUES ($1)`, [order]),
    place: { engine: "postgres", place: url, schema, table },
    open: (options: object) => postgresCheckout({ pool, schema, ...options }),
  };
}

const server: MerchantServer = {
  driver: "pg",
  engines: { driver: "pg", orm: "orm" },
  orms: POSTGRES_ORMS,
  prepare,
  byDriver: ({ table }) => ({
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
  }),
  cut: () =>
    pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    ),
};

describe.skipIf(engine === undefined)("orders on PostgreSQL, beside the merchant's own code", () =>
  merchantServerSuite(server, opened),
);
