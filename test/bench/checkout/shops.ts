// A shop on each engine, for what is measured on all of them.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mysql } from "malipo/mysql";
import { postgres } from "malipo/postgres";
import { sqlite } from "malipo/sqlite";
import { createPool } from "mysql2/promise";
import pg from "pg";
import { startMysql } from "../../support/engines/mysql.ts";
import { startPostgres } from "../../support/engines/postgres.ts";

/** An engine with an empty database. */
export interface Shop {
  readonly name: string;
  readonly store:
    | ReturnType<typeof sqlite>
    | ReturnType<typeof postgres>
    | ReturnType<typeof mysql>;
  /** Adds paid orders, of which nothing is due. The database counts no statistics of them. */
  addPaid(count: number): Promise<void>;
  close(): Promise<void>;
}

const paid = (table: string, numbers: string, concat: (letter: string) => string): string =>
  `INSERT INTO ${table} (id, version, label, status, has_review, created_at, due_at, planned_at, state)
    SELECT ${concat("O")}, 1, ${concat("L")}, 'paid', 0, n, NULL, n, '{}' FROM ${numbers}`;

const byBars = (letter: string) => `'${letter}' || n`;

function sqliteShop(folder: string): Shop {
  const path = join(folder, "shop.db");
  const store = sqlite(path);
  return {
    name: "sqlite()",
    store,
    addPaid: async (count) => {
      const own = new DatabaseSync(path);
      own.exec(`WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT ${count})
        ${paid("malipo_checkout_orders", "r", byBars)}`);
      own.close();
    },
    close: () => store.close(),
  };
}

async function postgresShop(): Promise<Shop | undefined> {
  const engine = await startPostgres();
  if (engine === undefined) return undefined;
  const store = postgres(engine.url, { schema: "shop" });
  return {
    name: "postgres()",
    store,
    addPaid: async (count) => {
      const own = new pg.Client({ connectionString: engine.url });
      await own.connect();
      await own.query("ALTER TABLE shop.orders SET (autovacuum_enabled = off)");
      await own.query(paid("shop.orders", `generate_series(1, ${count}) AS n`, byBars));
      await own.end();
    },
    close: async () => {
      await store.close();
      await engine.stop();
    },
  };
}

async function mysqlShop(): Promise<Shop | undefined> {
  const engine = await startMysql();
  if (engine === undefined) return undefined;
  const store = mysql(engine.url);
  return {
    name: "mysql()",
    store,
    addPaid: async (count) => {
      const own = createPool({ uri: engine.url, connectionLimit: 1 });
      await own.query("ALTER TABLE malipo_checkout_orders STATS_AUTO_RECALC = 0");
      await own.query(`SET SESSION max_recursive_iterations = ${count}`).catch(() => {});
      const numbers = `(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < ${count})
        SELECT n FROM r) AS numbers`;
      const concat = (letter: string) => `CONCAT('${letter}', n)`;
      await own.query(paid("malipo_checkout_orders", numbers, concat));
      await own.end();
    },
    close: async () => {
      await store.close();
      await engine.stop();
    },
  };
}

/** One after another: those whose engine is installed. */
export const SHOPS: readonly ((folder: string) => Promise<Shop | undefined>)[] = [
  async (folder) => sqliteShop(folder),
  postgresShop,
  mysqlShop,
];
