import mysql from "mysql2/promise";
import pg from "pg";
import { describe, expect, it, type TestContext } from "vitest";
import { MysqlRoom } from "../../src/storage/mysql/mysql-room.ts";
import { PostgresRoom } from "../../src/storage/postgres/postgres-room.ts";
import type { Room } from "../../src/storage/room.ts";
import { sharedMysql, sharedPostgres } from "../support/engines/shared.ts";
import { seatsOf } from "./seat-formats.ts";

const LOCKED =
  "Another process has had the tables of malipo locked for too long: it makes them, or holds a transaction or a backup open. They were not changed. Try again when it has ended.";
const own = { isOwnPool: true, transact: undefined, now: undefined };

const postgres = await sharedPostgres();
const mariadb = await sharedMysql();

interface Server {
  readonly name: string;
  readonly isHere: boolean;
  /** What a process that makes tables has locked. */
  readonly lock: string;
  readonly unlock: string;
  readonly table: string;
  openRoom(): Room;
  connect(): Promise<{ query(sql: string): Promise<unknown>; end(): Promise<unknown> }>;
}

const SERVERS: readonly Server[] = [
  {
    name: "PostgreSQL",
    isHere: postgres !== undefined,
    lock: "SELECT pg_advisory_lock(hashtext('malipo'))",
    unlock: "SELECT pg_advisory_unlock_all()",
    table: "shop.seats",
    openRoom: () => {
      const pool = new pg.Pool({ connectionString: postgres?.url, max: 2 });
      return new PostgresRoom({ ...own, pool, schema: "shop" }) as Room;
    },
    connect: async () => {
      const client = new pg.Client(postgres?.url);
      client.on("error", () => {});
      await client.connect();
      return client;
    },
  },
  {
    name: "MariaDB",
    isHere: mariadb !== undefined,
    lock: "SELECT GET_LOCK(CONCAT('malipo ', MD5(DATABASE())), 0)",
    unlock: "SELECT RELEASE_ALL_LOCKS()",
    table: "malipo_seats",
    openRoom: () => new MysqlRoom({ ...own, source: mariadb?.url ?? "" }) as Room,
    connect: () => mysql.createConnection(mariadb?.url ?? ""),
  },
];

/** Another program, and the tables of a new process. */
async function stage(server: Server, { onTestFinished }: TestContext) {
  const other = await server.connect();
  onTestFinished(async () => void (await other.end()));
  const tablesOf = (format: 2 | 3) => {
    const room = server.openRoom();
    onTestFinished(() => room.close());
    return room.tables(seatsOf(format));
  };
  return { other, tablesOf };
}

// Both wait for their limit of a minute at the same time.
describe.concurrent("a migration that waits for that of another process", () => {
  for (const server of SERVERS) {
    it.skipIf(!server.isHere)(
      `does not wait for ever in ${server.name}, and succeeds when that has ended`,
      async (context) => {
        const { other, tablesOf } = await stage(server, context);
        await other.query(server.lock);
        const tables = tablesOf(2);
        await expect(tables.open()).rejects.toThrow(LOCKED);
        await other.query(server.unlock);
        await tables.open();
      },
    );
  }
});

describe("a migration of a table that another program has locked", () => {
  for (const server of SERVERS) {
    it.skipIf(!server.isHere)(
      `does not keep those waiting who use it in ${server.name}`,
      async (context) => {
        const { other, tablesOf } = await stage(server, context);
        await tablesOf(2).open();
        await other.query("START TRANSACTION");
        await other.query(`SELECT * FROM ${server.table}`);
        const next = tablesOf(3);
        await expect(next.open()).rejects.toThrow(LOCKED);
        await other.query("COMMIT");
        await next.open();
      },
    );
  }
});
