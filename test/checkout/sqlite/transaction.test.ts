import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import BetterSqlite3 from "better-sqlite3";
import { memory } from "malipo";
import {
  checkoutTransactionSuite,
  type MerchantDatabase,
} from "../../suites/checkout-transaction.ts";
import { wrongEndingsSuite } from "../../suites/wrong-endings.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";
import { atEnd } from "../stage.ts";

type Database = DatabaseSync | BetterSqlite3.Database;

const CREATE = "CREATE TABLE IF NOT EXISTS goods (order_id TEXT)";
const INSERT = "INSERT INTO goods (order_id) VALUES (?)";

/**
 * @param engine - How another process opens the file.
 * @param pass - What the checkout of a process gets: the merchant's connection, or the path.
 */
const on =
  (
    engine: string,
    openFile: (path: string) => Database,
    pass: (own: Database, path: string) => Database | string,
  ) =>
  async (now: () => number): Promise<MerchantDatabase> => {
    const folder = mkdtempSync(join(tmpdir(), "malipo-checkout-"));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "shop.db");
    const own = openFile(path);
    atEnd(() => own.close());
    own.exec(CREATE);
    let opened = 0;
    return {
      // The first one is the merchant's; the others are of other processes.
      open: () => {
        const store = sqliteCheckout(pass(opened++ === 0 ? own : openFile(path), path), { now });
        // As `start` does: while a transaction of another connection runs, the file cannot be opened.
        void store.open();
        return store;
      },
      give: (database, order) => (database as DatabaseSync).prepare(INSERT).run(order),
      goods: async () =>
        own
          .prepare("SELECT order_id FROM goods")
          .all()
          .map((row) => String((row as { order_id: unknown }).order_id)),
      giveElsewhere: async (order) => (own as DatabaseSync).prepare(INSERT).run(order),
      sql: (database, text) => (database as DatabaseSync).exec(text),
      makeOnly: (database) => (database as DatabaseSync).prepare(INSERT),
      inTransaction: async (work) => {
        own.exec("BEGIN IMMEDIATE");
        try {
          await work(own, own);
          own.exec("COMMIT");
        } catch (error) {
          own.exec("ROLLBACK");
          throw error;
        }
      },
      place: { engine, place: path, table: "goods" },
    };
  };

const DATABASES = {
  path: on(
    "sqlite",
    (path) => new DatabaseSync(path),
    (_, path) => path,
  ),
  "database of node:sqlite": on(
    "node:sqlite",
    (path) => new DatabaseSync(path),
    (own) => own,
  ),
  "database of better-sqlite3": on(
    "better-sqlite3",
    (path) => new BetterSqlite3(path),
    (own) => own,
  ),
};
for (const [name, fresh] of Object.entries(DATABASES)) {
  checkoutTransactionSuite(`sqliteCheckout with a ${name}`, fresh);
  wrongEndingsSuite(`sqliteCheckout with a ${name}`, "sqlite", fresh);
}

const inMemory = async (now: () => number): Promise<MerchantDatabase> => {
  const store = memory({ now }).checkout();
  const given: string[] = [];
  let database: DatabaseSync | undefined;
  const goods = () => {
    database?.exec(CREATE);
    return database?.prepare("SELECT order_id FROM goods").all() ?? [];
  };
  return {
    open: () => store,
    // The only connection to it is the one that a transaction passes on.
    give: (connection, order) => {
      database = connection as DatabaseSync;
      database.exec(CREATE);
      return database.prepare(INSERT).run(order);
    },
    giveElsewhere: async (order) => given.push(order),
    sql: (connection, text) => (connection as DatabaseSync).exec(text),
    goods: async () => [...given, ...goods().map((row) => String(row.order_id))],
    inTransaction: () => Promise.reject(new Error("A store in memory has no other connection.")),
    place: {},
  };
};
wrongEndingsSuite("memory()", "sqlite", inMemory);
