import { DatabaseSync } from "node:sqlite";
import type { ManagedOrders } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { sqlite } from "malipo/sqlite";
import pg from "pg";
import type { CheckoutStore } from "../../../src/checkout/orders/checkout-store.ts";
import { manageOrders } from "../../../src/checkout/orders/manage-orders.ts";
import { OrderWriter } from "../../../src/checkout/orders/write-order.ts";
import { TIMES } from "../../../src/checkout/rules/inputs.ts";
import { type OpenEngine, openEngine } from "../harness/engines.ts";

export const STORES = ["sqlite", "postgres"] as const;
export type StoreName = (typeof STORES)[number];

/** A database of the merchant, with his tables of goods and of carts. */
export interface OpenStore {
  readonly engine: OpenEngine;
  readonly orders: ManagedOrders;
  /** The orders in a table of the merchant, once for each row. */
  rows(table: "goods" | "carts"): Promise<readonly string[]>;
  close(): Promise<void>;
}

const TABLES = "CREATE TABLE goods (order_id TEXT); CREATE TABLE carts (order_id TEXT)";

const managed = (store: CheckoutStore): ManagedOrders =>
  manageOrders(
    new OrderWriter({
      ...{ store, times: TIMES, onReview: () => {}, onError: () => {} },
      limits: { prompts: 1, withinMs: 1, openMs: 1 },
    }),
  );

type Opened = Omit<OpenStore, "engine">;

function openSqlite(url: string): Opened {
  const database = new DatabaseSync(url);
  database.exec(`PRAGMA journal_mode = wal; PRAGMA busy_timeout = 20000; ${TABLES}`);
  const db = sqlite(url);
  const store = db.checkout();
  return {
    orders: managed(store as CheckoutStore),
    rows: async (table) =>
      database
        .prepare(`SELECT order_id FROM ${table}`)
        .all()
        .map((row) => String(row.order_id)),
    close: async () => {
      await db.close();
      database.close();
    },
  };
}

async function openPostgres(url: string): Promise<Opened> {
  const pool = new pg.Pool({ connectionString: url });
  pool.on("error", () => {});
  await pool.query("DROP SCHEMA IF EXISTS malipo_checkout CASCADE");
  await pool.query(`DROP TABLE IF EXISTS goods, carts; ${TABLES}`);
  const store = postgres(pool).checkout();
  await store.open();
  return {
    orders: managed(store as unknown as CheckoutStore),
    rows: async (table) => {
      const { rows } = await pool.query(`SELECT order_id FROM ${table}`);
      return rows.map((row) => row.order_id);
    },
    close: () => pool.end(),
  };
}

/** Opens an empty database. `undefined` if this machine has no engine for it. */
export async function openStore(name: StoreName): Promise<OpenStore | undefined> {
  const engine = await openEngine(name);
  if (engine === undefined) return undefined;
  const opened = await { sqlite: openSqlite, postgres: openPostgres }[name](engine.url);
  return {
    ...{ ...opened, engine },
    close: async () => {
      await opened.close();
      await engine.stop();
    },
  };
}
