// Databases of each engine with many rows, made from a few that malipo has written.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mysql } from "malipo/mysql";
import { postgres } from "malipo/postgres";
import { sqlite } from "malipo/sqlite";
import { createPool, type RowDataPacket } from "mysql2/promise";
import pg from "pg";
import { startMysql } from "../support/engines/mysql.ts";
import { startPostgres } from "../support/engines/postgres.ts";

export type Store =
  | ReturnType<typeof sqlite>
  | ReturnType<typeof postgres>
  | ReturnType<typeof mysql>;

/** A database with the tables of malipo, and how its SQL differs from that of the others. */
export interface BenchDatabase {
  readonly store: Store;
  /** Its file, or its address. */
  readonly url: string;
  table(component: "checkout" | "idempotency" | "inbox", name?: string): string;
  /** The name of a column that is a word of SQL. */
  column(name: string): string;
  /** Numbers `n` from 1 on. */
  numbers(count: number): string;
  /** The text of a column, in which the mark has the number `n` beside it. */
  marked(column: string, mark: string): string;
  /** 32 bytes that no other `n` has, and no other word. */
  bytes(word: string): string;
  exec(sql: string): Promise<void>;
  count(sql: string): Promise<number>;
  /** The rows are there for the planner, as they are some minutes later by themselves. */
  analyze(tables: readonly string[]): Promise<void>;
  /** Bytes on the disk. */
  size(): Promise<number>;
  close(): Promise<void>;
}

export interface BenchEngine {
  readonly name: string;
  open(name: string): Promise<BenchDatabase>;
  stop(): Promise<void>;
}

const byBars = (column: string, mark: string) => `replace(${column}, '${mark}', '${mark}' || n)`;
const malipoTable: BenchDatabase["table"] = (component, name = "") =>
  `malipo_${component}${name === "" ? "" : `_${name}`}`;

async function sqliteEngine(folder: string): Promise<BenchEngine> {
  return {
    name: "SQLite",
    stop: async () => {},
    open: async (name) => {
      // Examples take a folder, and name the file by themselves.
      const path = join(folder, name, "shop.db");
      mkdirSync(dirname(path));
      writeFileSync(path, "", { mode: 0o600 });
      const own = new DatabaseSync(path);
      own.exec("PRAGMA busy_timeout = 60000");
      const store = sqlite(path);
      return {
        ...{ store, url: path, table: malipoTable, column: (one) => one, marked: byBars },
        numbers: (count) =>
          `(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT ${count}) SELECT n FROM r) AS numbers`,
        bytes: () => "randomblob(32)",
        exec: async (sql) => own.exec(sql),
        count: async (sql) => Number(Object.values(own.prepare(sql).get() ?? {})[0]),
        analyze: async () => own.exec("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)"),
        size: async () => statSync(path).size,
        close: async () => {
          await store.close();
          own.close();
        },
      };
    },
  };
}

async function postgresEngine(): Promise<BenchEngine | undefined> {
  const engine = await startPostgres();
  if (engine === undefined) return undefined;
  const admin = new pg.Client({ connectionString: engine.url });
  await admin.connect();
  return {
    name: "PostgreSQL",
    stop: async () => {
      await admin.end();
      await engine.stop();
    },
    open: async (name) => {
      const url = new URL(engine.url);
      url.pathname = `/shop_${name}`;
      await admin.query(`CREATE DATABASE shop_${name}`);
      const own = new pg.Client({ connectionString: url.href });
      await own.connect();
      const store = postgres(url.href);
      return {
        ...{ store, url: url.href, column: (one) => one, marked: byBars },
        table: (component, one = "") =>
          `malipo_checkout.${[component === "checkout" ? "" : component, one].filter((part) => part !== "").join("_")}`,
        numbers: (count) => `generate_series(1, ${count}) AS numbers(n)`,
        bytes: (word) => `sha256((n || '${word}')::bytea)`,
        exec: async (sql) => void (await own.query(sql)),
        count: async (sql) => Number(Object.values((await own.query(sql)).rows[0])[0]),
        analyze: async (tables) => {
          for (const table of tables) await own.query(`VACUUM ANALYZE ${table}`);
        },
        size: async () => {
          const text = `SELECT sum(pg_total_relation_size(oid)) AS size FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'malipo_checkout'::regnamespace`;
          return Number((await own.query(text)).rows[0].size);
        },
        close: async () => {
          await store.close();
          await own.end();
        },
      };
    },
  };
}

async function mysqlEngine(): Promise<BenchEngine | undefined> {
  const engine = await startMysql();
  if (engine === undefined) return undefined;
  const admin = createPool({ uri: engine.url, connectionLimit: 1 });
  return {
    name: "MariaDB",
    stop: async () => {
      await admin.end();
      await engine.stop();
    },
    open: async (name) => {
      const database = `shop_${name}`;
      await admin.query(`CREATE DATABASE ${database}`);
      const url = new URL(engine.url);
      url.pathname = `/${database}`;
      const own = createPool({ uri: url.href, connectionLimit: 1 });
      const rowsOf = async (sql: string) => (await own.query<RowDataPacket[]>(sql))[0];
      const store = mysql(url.href);
      return {
        ...{ store, url: url.href, table: malipoTable, column: (one) => `\`${one}\`` },
        // A sequence of MariaDB: https://mariadb.com/kb/en/sequence-storage-engine/
        numbers: (count) => `(SELECT seq AS n FROM seq_1_to_${count}) AS numbers`,
        marked: (column, mark) => `replace(${column}, '${mark}', CONCAT('${mark}', n))`,
        bytes: (word) => `UNHEX(SHA2(CONCAT(n, '${word}'), 256))`,
        exec: async (sql) => void (await own.query(sql)),
        count: async (sql) => Number(Object.values((await rowsOf(sql))[0] ?? {})[0]),
        analyze: async (tables) => void (await own.query(`ANALYZE TABLE ${tables.join(", ")}`)),
        size: async () => {
          const [row] = await rowsOf(
            "SELECT sum(data_length + index_length) AS size FROM information_schema.tables WHERE table_schema = DATABASE()",
          );
          return Number(row?.size);
        },
        close: async () => {
          await store.close();
          await own.end();
        },
      };
    },
  };
}

const ENGINES: Readonly<Record<string, (folder: string) => Promise<BenchEngine | undefined>>> = {
  sqlite: sqliteEngine,
  postgres: postgresEngine,
  mysql: mysqlEngine,
};

/**
 * Starts one engine after another, and measures it.
 *
 * @param names - With commas between them; all engines, if it is not given.
 */
export async function onEngines(
  names: string | undefined,
  measure: (engine: BenchEngine, name: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "malipo-bench-"));
  for (const name of names?.split(",") ?? Object.keys(ENGINES)) {
    const engine = await ENGINES[name]?.(folder);
    if (engine === undefined) {
      console.log(`${name}: NOT RUN, its engine is not installed here`);
      continue;
    }
    await measure(engine, name);
    await engine.stop();
  }
  rmSync(folder, { recursive: true, force: true });
}
