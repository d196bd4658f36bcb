import pg from "pg";
import { afterAll, afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { SqlIdempotencyOptions } from "../../../src/idempotency/sql-store.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import { numbered, postgresDialect } from "../../../src/storage/postgres/postgres-dialect.ts";
import { standsByTheContractOfDurability } from "../../suites/durable-idempotency-store.ts";
import { attemptOf, freshKey } from "../../suites/idempotency-stage.ts";
import { standsByTheContract } from "../../suites/idempotency-store.ts";
import { storesKeysInTables } from "../../suites/sql-idempotency.ts";
import { startPostgres } from "../../support/engines/postgres.ts";
import { type KeyStore, postgresKeys } from "../../support/key-stores.ts";

const engine = await startPostgres();
const { url: connectionString = "", restarts = false } = engine ?? {};
// A database that these tests did not start may hold other data.
const schema = `malipo_test_${crypto.randomUUID().replaceAll("-", "_")}`;
const table = `${schema}.idempotency`;
let schemas = 0;
const freshSchema = () => `${schema}_${++schemas}`;
const pools: pg.Pool[] = [];

function connect(address = connectionString): pg.Pool {
  const pool = new pg.Pool({ connectionString: address, max: 5 });
  pool.on("error", () => {});
  pools.push(pool);
  return pool;
}
const storeOn = (own: string, options?: SqlIdempotencyOptions): KeyStore =>
  postgresKeys(connect(), own, options);

const disconnect = () => Promise.all(pools.splice(0).map((pool) => pool.end()));
afterEach(disconnect);
afterAll(async () => {
  if (engine !== undefined) {
    const all = [schema, ...Array.from({ length: schemas }, (_, at) => `${schema}_${at + 1}`)];
    await connect().query(`DROP SCHEMA IF EXISTS ${all} CASCADE`);
  }
  await disconnect();
  await engine?.stop();
});

describe.skipIf(engine === undefined)("with a PostgreSQL", () => {
  // Their results expire: the other suites look at a table whose records stay.
  const brief = freshSchema();
  standsByTheContract("PostgreSQL", async (options) => storeOn(brief, options));

  test.each(["without", "with"])(
    "finds attempts by an index, %s statistics of PostgreSQL",
    async (statistics) => {
      const own = freshSchema();
      await storeOn(own).tables.open();
      const pool = connect();
      await pool.query(
        `INSERT INTO ${own}.idempotency SELECT 'k' || n, 2, 'succeeded', '', '', '', '', '', now(), now(), 1, '', 'r' || n
         FROM generate_series(1, 20000) AS n`,
      );
      if (statistics === "with") await pool.query(`ANALYZE ${own}.idempotency`);
      const query = { scope: "", after_at: 0, after_key: "", account_reference: "r1", count: 101 };
      const given = new Map<string, unknown>(Object.entries(query));
      for (const [name, index] of [
        ["list", /Index Scan using idempotency_begun_at/],
        ["listFor", /Index Cond: .*account_reference = /],
        ["listOpen", /Index Cond: .*state = ANY/],
        ["expired", /idempotency_keep_until/],
      ] as const) {
        const statement = KEYS.statements(postgresDialect(own))[name];
        const { text, names } = numbered(statement, KEYS.types);
        const values = names.map((one) => given.get(one));
        const { rows } = await pool.query(`EXPLAIN ${text}`, values);
        expect(JSON.stringify(rows)).toMatch(index);
      }
    },
  );

  standsByTheContractOfDurability(
    "PostgreSQL",
    () => ({
      open: async (options) => storeOn(schema, options),
      contents: async () =>
        JSON.stringify((await connect().query(`SELECT * FROM ${table} ORDER BY key`)).rows),
      setVersion: async (key, version) => {
        const update = `UPDATE ${table} SET version = $1, keep_until = 'epoch' WHERE key = $2`;
        await connect().query(update, [version, key]);
      },
      setFormat: async (format) => {
        const meta = `${schema}.idempotency_meta`;
        await connect().query(`DELETE FROM ${meta} WHERE name = 'format'`);
        if (format === null) return;
        await connect().query(`INSERT INTO ${meta} VALUES ('format', $1)`, [String(format)]);
      },
      tamper: async (key, field, value) => {
        const update = `UPDATE ${table} SET ${field} = $1 WHERE key = $2`;
        return connect()
          .query(update, [value, key])
          .then(
            () => true,
            () => false,
          );
      },
      remove: async (key) => {
        await connect().query(`DELETE FROM ${table} WHERE key = $1`, [key]);
      },
      moveLease: async (key, ms) => {
        const update = `UPDATE ${table} SET lease_from = lease_from + $1 * interval '1 ms' WHERE key = $2`;
        await connect().query(update, [ms, key]);
      },
      makeOlder: async (key, ms) => {
        const times = ["begun_at", "lease_from", "keep_until"];
        const changes = times.map((column) => `${column} = ${column} - $1 * interval '1 ms'`);
        await connect().query(`UPDATE ${table} SET ${changes} WHERE key = $2`, [ms, key]);
      },
      // A port without a listener.
      unreachable: async () => postgresKeys(connect("postgres://none@127.0.0.1:1/none"), schema),
      crash: async () => engine?.restart(),
    }),
    { crashes: restarts },
  );

  storesKeysInTables("PostgreSQL", async () => {
    const own = freshSchema();
    return {
      open: (options) => storeOn(own, options),
      keys: async () => {
        const { rows } = await connect().query(`SELECT key FROM ${own}.idempotency ORDER BY key`);
        return rows.map(({ key }) => key);
      },
      expire: async () => {
        await connect().query(
          `UPDATE ${own}.idempotency SET keep_until = 'epoch' WHERE keep_until IS NOT NULL`,
        );
      },
    };
  });

  test("makes its table at the first call, for several processes at once", async () => {
    const own = freshSchema();
    const stores = Array.from({ length: 8 }, () => storeOn(own));
    const key = freshKey();
    const begun = await Promise.all(stores.map((store) => store.begin(key, attemptOf("a"))));
    expect(begun.filter(({ state }) => state === "begun")).toHaveLength(1);
    expect(await storeOn(own).begin(key, attemptOf("b"))).toMatchObject({ state: "in_flight" });
  });

  /** Makes a table as a version did that wrote its format into a comment. */
  async function formerTable(own: string, comment: string): Promise<void> {
    const { sql } = KEYS.migrations[0] as (typeof KEYS.migrations)[0];
    const [create = ""] = sql(postgresDialect(own));
    // Other tests would find it.
    onTestFinished(() =>
      connect()
        .query(`DROP SCHEMA ${own} CASCADE`)
        .then(() => {}),
    );
    await connect().query(
      `CREATE SCHEMA ${own}; ${create}; COMMENT ON TABLE ${own}.idempotency IS ${comment}`,
    );
  }

  test("goes on with a table that says its format in a comment, for several processes at once", async () => {
    const own = freshSchema();
    await formerTable(own, "'Idempotency keys of malipo, format 3'");
    const stores = Array.from({ length: 4 }, () => storeOn(own));
    await Promise.all(stores.map((store, at) => store.begin(`k${at}`, attemptOf("a"))));
    expect((await storeOn(own).list()).attempts).toHaveLength(4);
    const { rows } = await connect().query(`SELECT name, value FROM ${own}.idempotency_meta`);
    expect(rows).toEqual([{ name: "format", value: "3" }]);
  });

  test.each([
    ["of another format", "'Idempotency keys of malipo, format 2'", 2],
    ["of a format that comes later", "'Idempotency keys of malipo, format 4'", 4],
    ["that malipo did not make", "NULL", 0],
    ["with another comment", "'Keys of the house'", 0],
  ])("does not take a table %s, and changes nothing", async (_, comment, format) => {
    const own = freshSchema();
    await formerTable(own, comment);
    const refused = `The tables of idempotency keys have format ${format}, and this version of malipo knows the formats up to 3.`;
    await expect(storeOn(own).begin("k", attemptOf("a"))).rejects.toThrow(refused);
    await expect(storeOn(own).list()).rejects.toMatchObject({ code: "configuration" });
    const { rows } = await connect().query(
      `SELECT tablename FROM pg_tables WHERE schemaname = '${own}'`,
    );
    expect(rows).toEqual([{ tablename: "idempotency" }]);
  });
});
