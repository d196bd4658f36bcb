import mysql from "mysql2/promise";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { MysqlRoom } from "../../src/storage/mysql/mysql-room.ts";
import { PostgresRoom } from "../../src/storage/postgres/postgres-room.ts";
import { sharedMysql, sharedPostgres } from "../support/engines/shared.ts";
import { seatsOf } from "./seat-formats.ts";

const LOCKED =
  "Another process has had the tables of malipo locked for too long: it makes them, or holds a transaction or a backup open. They were not changed. Try again when it has ended.";
const own = { isOwnPool: true, transact: undefined, now: undefined };

const postgres = await sharedPostgres();
const mariadb = await sharedMysql();

describe.skipIf(postgres === undefined)("a migration of PostgreSQL", () => {
  const roomIn = (schema: string) => {
    const room = new PostgresRoom({
      ...{ ...own, schema },
      pool: new pg.Pool({ connectionString: postgres?.url, max: 2 }),
    });
    onTestFinished(() => room.close());
    return room;
  };
  const other = async () => {
    const client = new pg.Client(postgres?.url);
    client.on("error", () => {});
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };

  it("does not wait for ever for another one, and succeeds when that has ended", async () => {
    const client = await other();
    await client.query("SELECT pg_advisory_lock(hashtext('malipo'))");
    const tables = roomIn("locked").tables(seatsOf(3));
    await expect(tables.open()).rejects.toThrow(LOCKED);
    await client.query("SELECT pg_advisory_unlock_all()");
    await tables.open();
  });

  it("does not keep those waiting who use a table that another program has locked", async () => {
    const client = await other();
    await roomIn("used").tables(seatsOf(2)).open();
    await client.query("BEGIN; SELECT * FROM used.seats");
    const next = roomIn("used").tables(seatsOf(3));
    await expect(next.open()).rejects.toThrow(LOCKED);
    await client.query("COMMIT");
    await next.open();
  });
});

describe.skipIf(mariadb === undefined)("a migration of MariaDB", () => {
  const room = () => {
    const made = new MysqlRoom({ ...own, pool: mysql.createPool(mariadb?.url ?? "") });
    onTestFinished(() => made.close());
    return made;
  };
  const other = async () => {
    const connection = await mysql.createConnection(mariadb?.url ?? "");
    onTestFinished(() => connection.end());
    return connection;
  };

  it("does not wait for ever for another one, and succeeds when that has ended", async () => {
    const connection = await other();
    const name = "CONCAT('malipo ', MD5(DATABASE()))";
    await connection.query(`SELECT GET_LOCK(${name}, 0)`);
    const tables = room().tables(seatsOf(2));
    await expect(tables.open()).rejects.toThrow(LOCKED);
    await connection.query(`SELECT RELEASE_LOCK(${name})`);
    await tables.open();
  });

  it("does not keep those waiting who use a table that another program has locked", async () => {
    const connection = await other();
    await room().tables(seatsOf(2)).open();
    await connection.query("START TRANSACTION");
    await connection.query("SELECT * FROM malipo_seats");
    const next = room().tables(seatsOf(3));
    await expect(next.open()).rejects.toThrow(LOCKED);
    await connection.query("COMMIT");
    await next.open();
  });
});
