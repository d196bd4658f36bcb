import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { postgresCheckout } from "../../../src/checkout/postgres/orders.ts";
import { expectToGoOn } from "../../suites/checkout-stored-data.ts";
import { startPostgres } from "../../support/engines/postgres.ts";

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

const COLUMNS = `SELECT table_name, column_name, data_type, is_nullable, collation_name
  FROM information_schema.columns WHERE table_schema = $1 ORDER BY table_name, ordinal_position`;
const INDEXES =
  "SELECT replace(indexdef, $1, '') AS text FROM pg_indexes WHERE schemaname = $1 ORDER BY indexname";

const tablesIn = async (schema: string) => [
  (await pool.query(COLUMNS, [schema])).rows,
  (await pool.query(INDEXES, [schema])).rows,
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
});
