import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { expectToGoOn } from "../../suites/checkout-stored-data.ts";
import { startPostgres } from "../../support/engines/postgres.ts";
import { postgresCheckout } from "../../support/stores/postgres-checkout.ts";

const STORED = new URL("./stored-data/", import.meta.url).pathname;
const FORMATS = readdirSync(STORED).sort((a, b) => Number(a) - Number(b));
const engine = await startPostgres();
const pool = new Pool({ connectionString: engine?.url ?? "", allowExitOnIdle: true });
pool.on("error", () => {});
afterAll(() => pool.end());

/** A schema with the data of a format, as the version that wrote it left it. */
async function load(format: string): Promise<string> {
  const schema = `stored_${process.pid}_${format}`;
  const sql = readFileSync(join(STORED, format, "shop.sql"), "utf8");
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await pool.query(sql.replaceAll("stored_shop", schema));
  return schema;
}

// Not their collation: before the room for storage, a key was compared in the order of its database.
const COLUMNS = `SELECT table_name, column_name, data_type, is_nullable
  FROM information_schema.columns WHERE table_schema = $1 ORDER BY table_name, ordinal_position`;
const INDEXES =
  "SELECT replace(indexdef, $1, '') AS text FROM pg_indexes WHERE schemaname = $1 ORDER BY indexname";

const tablesIn = async (schema: string) => [
  // The version of a record was an `integer`, which is enough for it.
  (await pool.query(COLUMNS, [schema])).rows.filter(
    ({ table_name: table, column_name: column }) => `${table}.${column}` !== "idempotency.version",
  ),
  // A former table of keys had two indexes of other names.
  (await pool.query(INDEXES, [schema])).rows.filter(
    ({ text }) => !/ idempotency_(?:open|reference) /.test(text),
  ),
];

describe.skipIf(engine === undefined)("postgresCheckout", () => {
  test.each(FORMATS)("reads orders of format %s, and they go on", async (format) => {
    await expectToGoOn(postgresCheckout({ pool, schema: await load(format) }));
  });

  test("makes the tables that the last format has once it is opened", async () => {
    const schema = `new_${process.pid}`;
    const former = await load(FORMATS.at(-1) ?? "");
    for (const one of [schema, former]) await postgresCheckout({ pool, schema: one }).open();
    expect(await tablesIn(former)).toEqual(await tablesIn(schema));
  });

  test("makes keys whose order no upgrade of the system changes", async () => {
    const schema = `keys_${process.pid}`;
    await postgresCheckout({ pool, schema }).open();
    const { rows } = await pool.query(
      `SELECT DISTINCT collation_name FROM information_schema.columns
        WHERE table_schema = $1 AND data_type = 'text' AND column_name IN ('id', 'label', 'reference', 'order_id', 'status')`,
      [schema],
    );
    expect(rows).toEqual([{ collation_name: "C" }]);
  });
});
