import { ConfigurationError } from "malipo";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { recordStatementsFor } from "../../../src/idempotency/postgres/statements.ts";
import {
  type PostgresIdempotency,
  postgresIdempotency,
} from "../../../src/idempotency/postgres/store.ts";
import { standsByTheContractOfDurability } from "../../suites/durable-idempotency-store.ts";
import {
  attemptOf,
  freshKey,
  type IdempotencyStoreOptions,
} from "../../suites/idempotency-stage.ts";
import { standsByTheContract } from "../../suites/idempotency-store.ts";
import { startPostgres } from "../../support/engines/postgres.ts";

const engine = await startPostgres();
const { url: connectionString = "", restarts = false } = engine ?? {};
// A database that these tests did not start may hold other data.
const table = `malipo_test_${crypto.randomUUID().replaceAll("-", "_")}`;
const pools: pg.Pool[] = [];

function connect(address = connectionString): pg.Pool {
  const pool = new pg.Pool({ connectionString: address, max: 5 });
  pool.on("error", () => {});
  pools.push(pool);
  return pool;
}
const storeOn = (own: string, options?: IdempotencyStoreOptions): PostgresIdempotency =>
  postgresIdempotency(connect(), { table: own, ...options });

const disconnect = () => Promise.all(pools.splice(0).map((pool) => pool.end()));
beforeAll(async () => {
  if (engine !== undefined) await storeOn(table).migrate();
});
afterEach(disconnect);
afterAll(async () => {
  if (engine !== undefined) await connect().query(`DROP TABLE ${table}`);
  await disconnect();
  await engine?.stop();
});

describe.skipIf(engine === undefined)("with a PostgreSQL", () => {
  standsByTheContract("PostgreSQL", async (options) => storeOn(table, options));

  test.for([
    ["of an account reference", "listFor", /Index Cond: .*account_reference = /],
    ["that have not succeeded", "listOpen", /Index Scan using \S+_open/],
  ] as const)("finds the attempts %s by an index", async ([, statement, index]) => {
    const client = await connect().connect();
    try {
      const own = `${table}_many`;
      await storeOn(own).migrate();
      await client.query(
        `INSERT INTO ${own} SELECT 'k' || n, 2, 'succeeded', '', '', '', '', '', now(), now(), 1, '', 'r' || n
         FROM generate_series(1, 5000) AS n ON CONFLICT DO NOTHING`,
      );
      await client.query(`ANALYZE ${own}`);
      const { text, names } = recordStatementsFor(own)(statement);
      const query = { scope: "", after_at: -1, after_key: "", account_reference: "r1", count: 101 };
      const values = names.map((name) => new Map<string, unknown>(Object.entries(query)).get(name));
      const { rows } = await client.query(`EXPLAIN ${text}`, values);
      expect(JSON.stringify(rows)).toMatch(index);
      await client.query(`DROP TABLE ${own}`);
    } finally {
      client.release();
    }
  });
  standsByTheContractOfDurability(
    "PostgreSQL",
    () => ({
      open: async (options) => storeOn(table, options),
      contents: async () =>
        JSON.stringify((await connect().query(`SELECT * FROM ${table} ORDER BY key`)).rows),
      setVersion: async (key, version) => {
        const update = `UPDATE ${table} SET version = $1, keep_until = 'epoch' WHERE key = $2`;
        await connect().query(update, [version, key]);
      },
      setFormat: async (format) => {
        const comment = format === null ? "NULL" : `'Idempotency keys of malipo, format ${format}'`;
        await connect().query(`COMMENT ON TABLE ${table} IS ${comment}`);
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
      unreachable: async () => postgresIdempotency(connect("postgres://none@127.0.0.1:1/none")),
      crash: async () => engine?.restart(),
    }),
    { crashes: restarts },
  );

  test("can be migrated several times and by several processes at once", async () => {
    const own = `${table}_many`;
    const stores = Array.from({ length: 8 }, () => storeOn(own));
    await Promise.all(stores.map((store) => store.migrate()));
    const key = freshKey();
    await stores[0]?.begin(key, attemptOf("a"));
    await stores[1]?.migrate();
    expect(await stores[2]?.begin(key, attemptOf("b"))).toMatchObject({ state: "in_flight" });
    await connect().query(`DROP TABLE ${own}`);
  });

  test("rejects a name that PostgreSQL would cut off, in a table, an index or a schema", () => {
    const [name, schema] = ["t".repeat(53), "s".repeat(63)];
    expect(() => storeOn(`${schema}.${name}`)).not.toThrow();
    expect(() => storeOn(`${name}2`)).toThrow(/at most 53 bytes; got 54/);
    expect(() => storeOn(`${schema}2.${name}`)).toThrow(/at most 63 bytes; got 64/);
  });

  test("rejects with the name of the table if it was not migrated", async () => {
    const own = `${table}_none`;
    await expect(storeOn(own).begin("k", attemptOf("a"))).rejects.toThrow(own);
  });

  test("does not migrate a table that malipo did not make", async () => {
    const own = `${table}_old`;
    await connect().query(`CREATE TABLE ${own} (key text PRIMARY KEY, version integer)`);
    const another = `postgresIdempotency cannot use the table ${own}: its idempotency keys have format 0`;
    await expect(storeOn(own).migrate()).rejects.toThrow(another);
    await expect(storeOn(own).begin("k", attemptOf("a"))).rejects.toThrow(another);
    await expect(storeOn(own).list()).rejects.toThrow(another);
    await connect().query(`DROP TABLE ${own}`);
  });

  test("accepts a table in a schema", async () => {
    await connect().query(`CREATE SCHEMA ${table}_schema`);
    const store = storeOn(`${table}_schema.keys`);
    await store.migrate();
    expect(await store.begin(freshKey(), attemptOf("a"))).toEqual({ state: "begun" });
    await connect().query(`DROP SCHEMA ${table}_schema CASCADE`);
  });
});

test.each(["", "Keys", "keys; DROP TABLE orders", 'k"eys', "a.b.c", "1keys"])(
  "the table name %j is rejected before any query",
  (name) => {
    expect(() => postgresIdempotency(new pg.Pool(), { table: name })).toThrow(ConfigurationError);
  },
);
