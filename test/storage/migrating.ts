// A process that makes the tables of seats: `node migrating.ts <engine> <address> <format> <isSlow>`.
import pg from "pg";
import { MysqlRoom } from "../../src/storage/mysql/mysql-room.ts";
import { PostgresRoom } from "../../src/storage/postgres/postgres-room.ts";
import type { Room } from "../../src/storage/room.ts";
import { only } from "../../src/storage/sql-steps.ts";
import { SqliteRoom } from "../../src/storage/sqlite/sqlite-room.ts";
import { seatsOf } from "./seat-formats.ts";

const own = { isOwnPool: true, transact: undefined, now: undefined };
const ROOMS: Readonly<Record<string, (address: string) => Room<never>>> = {
  sqlite: (path) => new SqliteRoom(path, { now: Date.now }) as Room<never>,
  /** The schema stands behind the address. */
  postgres: (address) => {
    const [connectionString = "", schema = ""] = address.split("#");
    return new PostgresRoom({ ...own, pool: new pg.Pool({ connectionString }), schema });
  },
  mysql: (url) => new MysqlRoom({ ...own, source: url }),
};

const [engine = "", address = "", format, isSlow] = process.argv.slice(2);
const room = ROOMS[engine]?.(address);
const tables = room?.tables(seatsOf(Number(format), isSlow === "slow"));
await tables?.run(() =>
  only<"add">(["add", { id: `process ${process.pid}`, place: 1, code: null }]),
);
await room?.close();
