import { readFileSync } from "node:fs";
import mysql, { type RowDataPacket } from "mysql2/promise";
import { afterAll, expect } from "vitest";
import { MysqlRoom, type MysqlRoomOptions } from "../../../src/storage/mysql/mysql-room.ts";
import type { Transact } from "../../../src/storage/try-transact.ts";
import type { Engine } from "../../support/engines/engine.ts";

/** Databases and pools of a test file on one server. */
export function mysqlStage(engine: Engine | undefined) {
  const pools: mysql.Pool[] = [];
  let databases = 0;
  afterAll(() => Promise.all(pools.map((pool) => pool.end())));
  const stage = {
    /** The address of an empty database. */
    newDatabase: async (): Promise<string> => {
      const url = new URL(engine?.url ?? "");
      const name = `${url.pathname.slice(1)}_${process.pid}_${++databases}`;
      const connection = await mysql.createConnection(url.href);
      await connection.query(`CREATE DATABASE ${name}`);
      await connection.end();
      url.pathname = name;
      return url.href;
    },
    poolOf: (url: string, options: mysql.PoolOptions = {}): mysql.Pool => {
      const pool = mysql.createPool({ uri: url, ...options });
      // A connection that is lost is no failure of a test.
      pool.on("connection", (one) => one.on("error", () => {}));
      pools.push(pool);
      return pool;
    },
    /** A new database in which the statements of a file have run. */
    loaded: async (file: string): Promise<mysql.Pool> => {
      const pool = stage.poolOf(await stage.newDatabase());
      for (const sql of readFileSync(file, "utf8").split(/;\n/).filter(Boolean))
        await pool.query(sql);
      return pool;
    },
  };
  return stage;
}

/** The columns and the indexes of a database. */
export const schemaOf = async (pool: mysql.Pool) =>
  Promise.all(
    [
      `SELECT table_name, column_name, column_type, is_nullable, collation_name
        FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY 1, 2`,
      `SELECT table_name, index_name, column_name, non_unique
        FROM information_schema.statistics WHERE table_schema = DATABASE() ORDER BY 1, 2, seq_in_index`,
    ].map(async (sql) => (await pool.query(sql))[0]),
  );

export const roomOn = (
  source: MysqlRoomOptions["source"],
  options: Partial<Omit<MysqlRoomOptions, "source">> = {},
) =>
  new MysqlRoom<mysql.PoolConnection>({
    source,
    transact: undefined,
    now: undefined,
    ...options,
  });

/** How a transact of the tests differs from a right one. */
export interface TransactFaults {
  readonly isolation?: string;
  /** What is sent in place of COMMIT and ROLLBACK. */
  readonly end?: string;
  readonly isSilent?: boolean;
}

/** A transaction as the user of a library writes it. */
export const transactOn =
  (
    pool: mysql.Pool,
    { isolation = "READ COMMITTED", end, isSilent }: TransactFaults = {},
  ): Transact =>
  async <Result>(run: Parameters<Transact<mysql.PoolConnection>>[0]) => {
    const connection = await pool.getConnection();
    const executeSql = async (text: string, values?: unknown[]) => {
      const [rows] = await connection.query<RowDataPacket[]>(text, values);
      return { rows };
    };
    try {
      await connection.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
      await connection.query("START TRANSACTION");
      const result = await run(connection, { executeSql });
      await connection.query(end ?? "COMMIT");
      return result as Result;
    } catch (error) {
      await connection.query(end ?? "ROLLBACK");
      if (isSilent) return undefined as Result;
      throw error;
    } finally {
      connection.release();
    }
  };

/** The first column of each row. */
export async function column(on: Pick<mysql.Connection, "query">, sql: string): Promise<unknown[]> {
  const [rows] = await on.query<RowDataPacket[]>(sql);
  return rows.map((row) => Object.values(row)[0]);
}

/** Deletes what is stored in a database: faster than a new one, whose tables are files. */
export async function clear(pool: mysql.Pool): Promise<void> {
  const tables = await column(
    pool,
    `SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()
      AND table_name NOT LIKE '%meta' AND table_name <> 'malipo_locks'`,
  );
  for (const table of tables) await pool.query(`DELETE FROM ${table}`);
}

/** A transaction that waits for a lock in the database of the connection. */
const WAITING = `SELECT 1 FROM information_schema.innodb_trx JOIN information_schema.processlist
  ON id = trx_mysql_thread_id WHERE trx_state = 'LOCK WAIT' AND db = DATABASE()`;

/** Waits until one does. The server reads this list again only if it was not read for 0.1 s. */
export const untilOneWaits = (on: Pick<mysql.Connection, "query">): Promise<void> =>
  expect.poll(() => column(on, WAITING), { interval: 250 }).toHaveLength(1);
