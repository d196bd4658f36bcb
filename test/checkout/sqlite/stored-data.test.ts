import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { expectToGoOn } from "../../suites/checkout-stored-data.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";

const STORED = new URL("./stored-data/", import.meta.url).pathname;
const FORMATS = readdirSync(STORED);
const folder = mkdtempSync(join(tmpdir(), "malipo-checkout-data-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with the data of a format, as the version that wrote it left it. */
function load(format: string): string {
  const path = join(mkdtempSync(join(folder, "data-")), "shop.db");
  const database = new DatabaseSync(path);
  database.exec(readFileSync(join(STORED, format, "shop.sql"), "utf8"));
  database.close();
  return path;
}

const tablesOf = (path: string, like = "malipo_checkout%") => {
  const database = new DatabaseSync(path);
  const query = "SELECT name, sql FROM sqlite_schema WHERE name LIKE ? ORDER BY name";
  const rows = database.prepare(query).all(like);
  database.close();
  return rows;
};

test.each(FORMATS)("orders of format %s are read and go on", async (format) => {
  await expectToGoOn(sqliteCheckout(load(format)));
});

test("sql() makes every table that the store makes", async () => {
  const [own, given] = [join(folder, "own.db"), join(folder, "given.db")];
  const first = sqliteCheckout(own);
  await first.open();
  const database = new DatabaseSync(given);
  database.exec(first.sql());
  database.close();
  await first.close();
  expect(tablesOf(given, "malipo%")).toEqual(tablesOf(own, "malipo%"));
  const store = sqliteCheckout(given);
  await store.open();
  expect((await store.read("none")).stored).toBeUndefined();
  await store.close();
});

test("the last format, once it is opened, has the tables that this version makes", async () => {
  const path = join(folder, "new.db");
  const former = load(FORMATS.sort((a, b) => Number(a) - Number(b)).at(-1) ?? "");
  for (const one of [path, former]) {
    const store = sqliteCheckout(one);
    await store.open();
    await store.close();
  }
  expect(tablesOf(former)).toEqual(tablesOf(path));
});
