import mysql, { type RowDataPacket } from "mysql2/promise";
import { describe, expect, test } from "vitest";
import { startMysql } from "./mysql.ts";
import { sharedMysql } from "./shared.ts";

const own = await startMysql();
const shared = await sharedMysql();

/** A connection that ends with the test, however the server ends. */
async function connectTo(url: string): Promise<mysql.Connection> {
  const connection = await mysql.createConnection(url);
  connection.on("error", () => {});
  return connection;
}

describe.runIf(own?.restarts)("a MariaDB of a test's own", () => {
  test("comes back from a crash with what was committed, and without what was not", async () => {
    if (own === undefined) return;
    const before = await connectTo(own.url);
    await before.query("CREATE TABLE things (name VARCHAR(20)) ENGINE = InnoDB");
    await before.query("INSERT INTO things VALUES ('committed')");
    await before.beginTransaction();
    await before.query("INSERT INTO things VALUES ('open')");
    await own.restart();
    await expect(before.query("SELECT 1")).rejects.toThrow();
    before.destroy();
    const after = await connectTo(own.url);
    const [rows] = await after.query<RowDataPacket[]>("SELECT name FROM things");
    expect(rows).toEqual([{ name: "committed" }]);
    await after.end();
    await own.stop();
  });
});

// A server of a person has only the database that its address names.
describe.runIf(own?.restarts)("the MariaDB that test files share", () => {
  test("has a database for each file that asks", async () => {
    const other = await sharedMysql();
    expect(other?.url).not.toBe(shared?.url);
    for (const { url } of [shared, other].filter((engine) => engine !== undefined)) {
      const connection = await connectTo(url);
      await connection.query("CREATE TABLE things (name VARCHAR(20))");
      await connection.end();
    }
  });
});
