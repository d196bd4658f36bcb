// What a shop has in an engine, in its processes and in the campaign: the stores of the package, and tables of its own.
// Each process loads the client of its own engine only: it starts in half the time.
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createWakeups, type IdempotencyStore, memory, type Wakeups } from "malipo";
import type { Transact } from "malipo/postgres";
import type { Inbox } from "malipo/webhooks";
import type mysql2 from "mysql2/promise";
import type pg from "pg";
import { isThenable } from "../../../src/internal/thenable.ts";

export type EngineName = "memory" | "sqlite" | "redis" | "postgres" | "mysql";

/** Where the data of a shop is. Every process of it is told. */
export interface Place {
  readonly engine: EngineName;
  /** A file, or the address of a server. */
  readonly url: string;
  /** Separates it from other data in the same engine: lower-case letters, digits and underscores. */
  readonly name: string;
  /** A SQLite file, for the tables of a merchant whose engine has none. */
  readonly ledger: string;
}

type Table = "goods" | "carts" | "effects";
const TABLES: readonly Table[] = ["goods", "carts", "effects"];
// Another company that takes each key once has such a column.
const COLUMNS = "(id VARCHAR(64) NOT NULL, idempotency_key VARCHAR(200) UNIQUE)";

/** The tables of the merchant: an id in each row. */
export interface OwnTables {
  make(): Promise<void>;
  /** All ids of a table, each as often as it is there. */
  rows(table: Table): Promise<string[]>;
  /** Writes an id by the connection of a transaction: at once with SQLite. */
  insert(connection: unknown, table: Table, id: string): unknown;
  /** Runs a statement by the connection of a transaction. */
  run(connection: unknown, text: string): unknown;
  /** A transaction of the merchant's own. It is rolled back if the work does not resolve with `true`. */
  transaction(work: (connection: unknown) => Promise<boolean>): Promise<void>;
  /** Deletes all that the shop has in its engine, and ends the connections. */
  drop(): Promise<void>;
}

function openFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA busy_timeout = 20000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  return database;
}

/** A SQLite file that is opened with its first use: a frozen process may have it locked until then. */
export function fileTables(path: string) {
  let opened: DatabaseSync | undefined;
  const own = () => {
    opened ??= openFile(path);
    return opened;
  };
  return {
    make: async () => {
      // With another mode, the inbox would report it.
      writeFileSync(path, "", { mode: 0o600, flag: "a" });
      for (const table of TABLES) own().exec(`CREATE TABLE IF NOT EXISTS ${table} ${COLUMNS}`);
    },
    rows: async (table) =>
      own()
        .prepare(`SELECT id FROM ${table}`)
        .all()
        .map(({ id }) => String(id)),
    insert: (database, table, id) =>
      void (database as DatabaseSync).prepare(`INSERT INTO ${table} (id) VALUES (?)`).run(id),
    run: (database, text) => (database as DatabaseSync).exec(text),
    transaction: async (work) => {
      own().exec("BEGIN IMMEDIATE");
      own().exec((await work(own()).catch(() => false)) ? "COMMIT" : "ROLLBACK");
    },
    drop: async () => opened?.close(),
    /** Writes an id, once for each key. */
    insertOnce: (table: Table, id: string, key: string) =>
      void own().prepare(`INSERT OR IGNORE INTO ${table} VALUES (?, ?)`).run(id, key),
  } satisfies OwnTables & Record<string, unknown>;
}

async function postgresTables({ url, name }: Place): Promise<OwnTables> {
  const { default: client } = await import("pg");
  const pool = new client.Pool({ connectionString: url, max: 4, allowExitOnIdle: true });
  // The campaign kills the engine and cuts connections. The next statement opens another one.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const all = TABLES.map((table) => `${name}_${table}`);
  return {
    make: async () => {
      for (const table of all) await pool.query(`CREATE TABLE IF NOT EXISTS ${table} ${COLUMNS}`);
    },
    rows: async (table) => {
      const { rows } = await pool.query(`SELECT id FROM ${name}_${table}`);
      return rows.map(({ id }) => id);
    },
    insert: (client, table, id) =>
      (client as pg.Client).query(`INSERT INTO ${name}_${table} (id) VALUES ($1)`, [id]),
    run: (client, text) => (client as pg.Client).query(text),
    transaction: async (work) => {
      const client = await pool.connect();
      await client.query("BEGIN");
      await client.query((await work(client).catch(() => false)) ? "COMMIT" : "ROLLBACK");
      client.release();
    },
    drop: async () => {
      await pool.query(`DROP SCHEMA IF EXISTS ${name} CASCADE; DROP TABLE ${all.join(", ")}`);
      await pool.end();
    },
  };
}

interface Pace {
  readonly leaseMs: number;
  readonly backoffMs: () => number;
}

async function mysqlTables({ url, name }: Place): Promise<OwnTables> {
  const { createPool } = await import("mysql2/promise");
  const pool = createPool({ uri: url, connectionLimit: 4 });
  const all = TABLES.map((table) => `${name}_${table}`);
  const query = (connection: unknown, text: string, values: readonly string[] = []) =>
    (connection as mysql2.Connection).query<mysql2.RowDataPacket[]>(text, [...values]);
  return {
    make: async () => {
      for (const table of all) await query(pool, `CREATE TABLE IF NOT EXISTS ${table} ${COLUMNS}`);
    },
    rows: async (table) => {
      const [rows] = await query(pool, `SELECT id FROM ${name}_${table}`);
      return rows.map(({ id }) => id);
    },
    insert: (connection, table, id) =>
      query(connection, `INSERT INTO ${name}_${table} (id) VALUES (?)`, [id]),
    run: query,
    transaction: async (work) => {
      const connection = await pool.getConnection();
      await connection.beginTransaction();
      await ((await work(connection).catch(() => false))
        ? connection.commit()
        : connection.rollback());
      connection.release();
    },
    drop: async () => {
      await query(pool, `DROP TABLE ${all.join(", ")}`);
      await pool.end();
    },
  };
}

/** The stores of the package in an engine. */
interface Stores {
  idempotency(): IdempotencyStore;
  /** Of tests: a short lease, and retries without a wait. */
  inbox(options: { readonly pace?: Pace }): Inbox;
  wakeups(): Wakeups;
  /** Not in an engine that takes no part in a transaction of the merchant. */
  readonly checkout?: () => unknown;
}

/** Steps one after another: at once with SQLite, whose transactions take no async function. */
export function all(...steps: readonly (() => unknown)[]): unknown {
  let before: unknown;
  for (const step of steps) {
    // That of Prisma runs when it is waited for, and is no Promise.
    before = isThenable(before) ? Promise.resolve(before).then(step) : step();
  }
  return before;
}

interface DatabaseRow {
  /** Opens the stores. `transact`: a library of the merchant runs the transactions. */
  stores(place: Place, transact?: Transact): Promise<Stores>;
  tables(place: Place): Promise<OwnTables>;
  /** Whether the tables are in the engine, so that a row and "processed" commit together. */
  readonly hasTables: boolean;
}

const inLedger = { tables: async ({ ledger }: Place) => fileTables(ledger), hasTables: false };

/** What a shop has in each engine. `engines.ts` has how a campaign starts it. */
export const DATABASES: Readonly<Record<EngineName, DatabaseRow>> = {
  memory: { ...inLedger, stores: async () => ({ ...memory(), wakeups: createWakeups }) },
  sqlite: {
    ...{ tables: async ({ url }) => fileTables(url), hasTables: true },
    stores: async ({ url }) => {
      const { sqlite } = await import("malipo/sqlite");
      return { ...sqlite(url, { onWarning: () => {} }), wakeups: createWakeups };
    },
  },
  redis: {
    ...inLedger,
    stores: async ({ url, name }) => {
      const { redis } = await import("malipo/redis");
      const db = redis(url, { prefix: `${name}:`, channel: name, onWarning: () => {} });
      return {
        // Records in a Redis that the campaign did not start expire.
        idempotency: () => db.idempotency({ retentionMs: 3_600_000 }),
        inbox: (options) => db.inbox({ queue: name, ...options }),
        wakeups: () => db.wakeups(),
      };
    },
  },
  postgres: {
    ...{ tables: postgresTables, hasTables: true },
    stores: async ({ url, name: schema }, transact) => {
      const { postgres } = await import("malipo/postgres");
      const db = transact ? postgres(url, { schema, transact }) : postgres(url, { schema });
      return { ...db, wakeups: createWakeups };
    },
  },
  mysql: {
    ...{ tables: mysqlTables, hasTables: true },
    stores: async ({ url }) => {
      const { mysql } = await import("malipo/mysql");
      return { ...mysql(url), wakeups: createWakeups };
    },
  },
};

export const tablesIn = (place: Place): Promise<OwnTables> => DATABASES[place.engine].tables(place);
