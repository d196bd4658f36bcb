import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import BetterSqlite3 from "better-sqlite3";
import { sqliteCheckout } from "malipo/checkout/sqlite";
import {
  checkoutTransactionSuite,
  type MerchantDatabase,
} from "../../suites/checkout-transaction.ts";
import { atEnd } from "../stage.ts";

type Database = DatabaseSync | BetterSqlite3.Database;

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
    own.exec("CREATE TABLE goods (order_id TEXT)");
    let opened = 0;
    return {
      // The first one is the merchant's; the others are of other processes.
      open: () => sqliteCheckout(pass(opened++ === 0 ? own : openFile(path), path), { now }),
      give: (database, order) => (database as DatabaseSync).prepare(INSERT).run(order),
      goods: async () =>
        own
          .prepare("SELECT order_id FROM goods")
          .all()
          .map((row) => String((row as { order_id: unknown }).order_id)),
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

checkoutTransactionSuite(
  "sqliteCheckout with a path",
  on(
    "sqlite",
    (path) => new DatabaseSync(path),
    (_, path) => path,
  ),
);
checkoutTransactionSuite(
  "sqliteCheckout with a database of node:sqlite",
  on(
    "node:sqlite",
    (path) => new DatabaseSync(path),
    (own) => own,
  ),
);
checkoutTransactionSuite(
  "sqliteCheckout with a database of better-sqlite3",
  on(
    "better-sqlite3",
    (path) => new BetterSqlite3(path),
    (own) => own,
  ),
);
