import { mysql } from "malipo/mysql";
import mysql2 from "mysql2";
import { createPool } from "mysql2/promise";
import { afterAll, expect, test } from "vitest";
import { column } from "../storage/mysql/mysql-stage.ts";
import { engineSuite } from "../suites/engine.ts";
import { sharedMysql } from "../support/engines/shared.ts";
import { freshDatabase } from "../webhooks/inbox/mysql/stage.ts";

const engine = await sharedMysql();
const { url = "" } = engine ?? {};
const isThere = engine !== undefined;
const ends: (() => unknown)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** Databases that no other test has: an engine is made at once. */
const databases = isThere
  ? await Promise.all(Array.from({ length: 30 }, () => freshDatabase({ url })))
  : [];
const database = () => databases.pop() ?? "";

const poolOn = (address: string) => {
  const pool = createPool(address);
  ends.push(() => pool.end());
  return pool;
};

const callbackPoolOn = (address: string) => {
  const pool = mysql2.createPool(address);
  ends.push(() => pool.end(() => {}));
  return pool;
};

if (isThere) {
  engineSuite("mysql(url)", (options) => mysql(database(), options));
  engineSuite("mysql(pool)", (options) => mysql(poolOn(database()), options));
  engineSuite("mysql(pool for callbacks)", (options) => mysql(callbackPoolOn(database()), options));
}

test.skipIf(!isThere)(
  "the tables of keys are made at the first use, and those of orders by open() and by the SQL",
  async () => {
    const pool = poolOn(database());
    const db = mysql(pool);
    const tables = (of = pool) => column(of, "SHOW TABLES");
    expect(await db.check()).toEqual([]);
    expect(await tables()).toEqual([]);
    await db.idempotency().list();
    expect(await tables()).toEqual([
      "malipo_idempotency",
      "malipo_idempotency_meta",
      "malipo_locks",
    ]);
    await db.open();
    const other = poolOn(database());
    for (const sql of mysql(other).sql().split(/;\n?/).filter(Boolean)) await other.query(sql);
    expect(await tables(other)).toEqual(await tables());
    expect(await db.check()).toEqual([]);
    await pool.query("UPDATE malipo_checkout_meta SET value = '99'");
    expect(await db.check()).toEqual([expect.stringMatching(/have format 99/)]);
    await db.close();
    await pool.query("SELECT 1");
  },
);

test("takes an address or a pool, and nothing else", () => {
  for (const wrong of [7, "postgres://localhost/shop", {}]) {
    expect(() => mysql(wrong as string)).toThrow(
      'mysql takes the address of a database, such as "mysql://localhost/shop", or a pool of mysql2.',
    );
  }
});
