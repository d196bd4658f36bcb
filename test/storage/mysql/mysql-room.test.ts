import mysql from "mysql2/promise";
import { afterAll, describe } from "vitest";
import { MysqlRoom } from "../../../src/storage/mysql/mysql-room.ts";
import type { Transact } from "../../../src/storage/mysql/transact.ts";
import { storageRoomSuite } from "../../suites/storage-room.ts";
import { sharedMysql } from "../../support/engines/shared.ts";

const engine = await sharedMysql();
const databases: mysql.Pool[] = [];
afterAll(() => Promise.all(databases.map((pool) => pool.end())));

/** An empty database of the server. */
async function newDatabase(): Promise<string> {
  const url = new URL(engine?.url ?? "");
  url.pathname = `${url.pathname}_${process.pid}_${databases.length}`;
  const connection = await mysql.createConnection(engine?.url ?? "");
  await connection.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
  await connection.end();
  return url.href;
}

function poolOf(url: string, options: mysql.PoolOptions = {}): mysql.Pool {
  const pool = mysql.createPool({ uri: url, ...options });
  databases.push(pool);
  return pool;
}

/** A transaction as the user of a library writes it. */
const transactOn =
  (pool: mysql.Pool): Transact =>
  async (run) => {
    const connection = await pool.getConnection();
    try {
      await connection.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
      await connection.beginTransaction();
      const executeSql = async (text: string, values?: unknown[]) => {
        const [rows] = await connection.query<mysql.RowDataPacket[]>(text, values);
        return { rows };
      };
      const result = await run(connection, { executeSql });
      await connection.commit();
      return result;
    } catch (error) {
      await connection.rollback();
      throw error;
    } finally {
      connection.release();
    }
  };

const stage = (options: mysql.PoolOptions, hasTransact: boolean) => async () => {
  const url = await newDatabase();
  const pool = poolOf(url);
  return {
    isAsync: true,
    open: () =>
      new MysqlRoom<unknown>({
        pool: poolOf(url, { connectionLimit: 3, ...options }),
        isOwnPool: false,
        transact: hasTransact ? transactOn(pool) : undefined,
        now: undefined,
      }),
    write: (connection: unknown, sql: string) => (connection as mysql.Connection).query(sql),
    run: (sql: string) => pool.query(sql),
  };
};

/** A pool whose options change what its queries return. */
const ODD: mysql.PoolOptions = {
  flags: ["-FOUND_ROWS"],
  rowsAsArray: true,
  namedPlaceholders: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  typeCast: () => "odd",
};

describe.skipIf(engine === undefined)("a pool", () => storageRoomSuite(stage({}, false)));
describe.skipIf(engine === undefined)("a pool with odd options", () =>
  storageRoomSuite(stage(ODD, false)),
);
describe.skipIf(engine === undefined)("a transact of the user", () =>
  storageRoomSuite(stage({}, true)),
);
