import mysql from "mysql2/promise";
import { afterAll, describe, expect, it, onTestFinished, test } from "vitest";
import type { Component } from "../../../src/storage/component.ts";
import {
  mayMakeTables,
  settingsProblem,
  settingsRisks,
} from "../../../src/storage/mysql/mysql-advice.ts";
import { connectionsOf } from "../../../src/storage/mysql/pool.ts";
import { insertIfAbsent, only } from "../../../src/storage/sql-steps.ts";
import type { Transact } from "../../../src/storage/try-transact.ts";
import { seats } from "../../suites/storage-room.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { column, mysqlStage, roomOn, type TransactFaults, transactOn } from "./mysql-stage.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

type Name = ReturnType<typeof seats> extends Component<infer Of> ? Of : never;

/** What a good server says of itself. */
const GOOD = {
  database: "shop",
  version: "10.11.19-MariaDB-0+deb12u1",
  sql_mode: "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION",
  autocommit: "ON",
  character_set_client: "utf8mb4",
  character_set_connection: "utf8mb4",
  character_set_results: "utf8mb4",
  log_bin: "ON",
  binlog_format: "MIXED",
  sync_binlog: "1",
  innodb_flush_log_at_trx_commit: "1",
  innodb_doublewrite: "ON",
  max_allowed_packet: "16777216",
  wsrep_on: "OFF",
  wsrep_provider: "none",
};
const settings = (more: Partial<Record<keyof typeof GOOD, string>>) =>
  new Map(Object.entries({ ...GOOD, ...more }));

test("a server whose settings are those of a new one is good", () => {
  for (const version of [
    "10.6.0-MariaDB",
    "5.5.5-11.4.2-MariaDB",
    "8.0.17",
    "8.4.3-log",
    "9.1.0",
  ]) {
    expect(settingsProblem(settings({ version }))).toBeUndefined();
  }
  expect(settingsRisks(settings({}))).toEqual([]);
  // The default of a MariaDB without a cluster was once "ON".
  expect(settingsRisks(settings({ wsrep_on: "ON" }))).toEqual([]);
  expect(settingsRisks(settings({ log_bin: "OFF", sync_binlog: "0" }))).toEqual([]);
});

test.each([
  [{ version: "10.5.29-MariaDB" }, "This is MariaDB 10.5.29-MariaDB. Use MariaDB 10.6.0"],
  [{ version: "5.7.44" }, "This is MySQL 5.7.44."],
  [{ version: "8.0.16" }, "MySQL 8.0.17, or a later version"],
  [{ binlog_format: "STATEMENT" }, "Set binlog_format = ROW or MIXED"],
])("a server with %o is refused", (more, message) => {
  expect(settingsProblem(settings(more))).toContain(message);
});

test.each([
  [{ innodb_flush_log_at_trx_commit: "2" }, "Set `innodb_flush_log_at_trx_commit = 1`"],
  [{ sync_binlog: "0" }, "Set `sync_binlog = 1`"],
  [{ innodb_doublewrite: "OFF" }, "Set `innodb_doublewrite = ON`"],
  [{ max_allowed_packet: "1048576" }, "Set `max_allowed_packet = 16M`"],
  [{ wsrep_on: "ON", wsrep_provider: "/usr/lib/galera/libgalera_smm.so" }, "to the same node."],
])("a server with %o gets a warning", (more, message) => {
  expect(settingsRisks(settings(more)).join()).toContain(message);
});

describe("the lines of SHOW GRANTS", () => {
  const USAGE = "GRANT USAGE ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*AB'";
  const all = "GRANT ALL PRIVILEGES ON `shop\\_1`.* TO `u`@`%`";
  const some = "GRANT SELECT, CREATE, INDEX, ALTER ON `shop%`.* TO `u`@`%`";
  it.each([
    ["of all databases", ["GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION"], true],
    ["of this database", [USAGE, all], true],
    ["of a pattern of databases", [USAGE, some], true],
    ["in ANSI quotes", [USAGE, some.replaceAll("`", '"')], true],
    ["that may be those of a role", [USAGE, "GRANT `shops` TO `u`@`%`"], true],
    ["of nothing", [USAGE], false],
    ["of rows", [USAGE, "GRANT SELECT, INSERT, UPDATE ON `shop_1`.* TO `u`@`%`"], false],
    ["without the one of indexes", [USAGE, some.replace(", INDEX", "")], false],
    ["without the one of columns", [USAGE, some.replace(", ALTER", "")], false],
    ["of one table", [USAGE, "GRANT CREATE, INDEX ON `shop_1`.`tickets` TO `u`@`%`"], false],
    ["of another database", [USAGE, all.replace("1", "2")], false],
  ])("say whether tables may be made: rights %s", (_, grants, may) => {
    expect(mayMakeTables(grants, "shop_1")).toBe(may);
  });
});

describe.skipIf(engine === undefined)("a connection", () => {
  it.each([
    ["SET sql_mode = ''", "Add STRICT_TRANS_TABLES to it"],
    ["SET sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'", "has NO_BACKSLASH_ESCAPES"],
    ["SET autocommit = 0", "has `autocommit = 0`"],
    ["SET NAMES latin1", 'Make the pool with charset: "utf8mb4"'],
  ])("that does %s is refused", async (sql, message) => {
    const pool = poolOf(await newDatabase());
    pool.on("connection", (connection) => void connection.query(sql));
    await expect(roomOn(pool).open()).rejects.toThrow(message);
    expect((await roomOn(pool).check()).join()).toContain(message);
  });

  it.each<[string, (url: URL) => void, string]>([
    ["a wrong password", (url) => (url.password = "wrong"), "Correct the user and the password"],
    ["a wrong database", (url) => (url.pathname = "/nowhere"), "This database does not exist."],
    ["no database", (url) => (url.pathname = ""), "The address names no database."],
  ])("with %s is refused, with what to do", async (_, change, message) => {
    const url = new URL(await newDatabase());
    change(url);
    await expect(roomOn(poolOf(url.href)).tables(seats()).open()).rejects.toThrow(message);
  });

  it("of a user who may make no tables works if another one has run the SQL", async () => {
    const url = new URL(await newDatabase());
    const database = url.pathname.slice(1);
    const owner = poolOf(url.href);
    const user = `u${Math.random().toString(36).slice(2, 12)}`;
    // A server may have a user without a name for its own machine, which would be taken before one for all machines.
    const hosts = ["'%'", "localhost"];
    for (const host of hosts) {
      await owner.query(`CREATE USER ${user}@${host} IDENTIFIED BY 'secret'`);
      await owner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${database}.* TO ${user}@${host}`);
    }
    url.username = user;
    url.password = "secret";
    const room = roomOn(poolOf(url.href));
    const tables = room.tables(seats());
    await expect(tables.open()).rejects.toThrow(
      "mysql cannot make or read the tables of seats (CREATE command denied",
    );
    await expect(tables.open()).rejects.toThrow(
      `GRANT CREATE, INDEX, ALTER, SELECT, INSERT, UPDATE, DELETE ON \`${database}\`.* TO '${user}'@'`,
    );
    for (const sql of room.sql([seats()]).split(/;\n?/).filter(Boolean)) await owner.query(sql);
    await tables.open();
    for (const host of hosts) await owner.query(`DROP USER ${user}@${host}`);
  });

  it("is made for an address, and ends with the room", async () => {
    const room = roomOn(await newDatabase());
    await room.open();
    await room.close();
    await expect(room.check()).rejects.toThrow("closed");
    for (const given of ["postgres://localhost/shop", {} as mysql.Pool]) {
      expect(() => connectionsOf(given)).toThrow(
        'such as "mysql://localhost/shop", or a pool of mysql2',
      );
    }
  });

  it("is closed once nobody has used it for a while, and made again by the next call", async () => {
    const url = await newDatabase();
    const database = new URL(url).pathname.slice(1);
    const owner = await mysql.createConnection(url.replace(/\/[^/]*$/, "/"));
    onTestFinished(() => owner.end());
    const count = async () => {
      const [rows] = await owner.query<mysql.RowDataPacket[]>(
        "SELECT count(*) AS sum FROM information_schema.processlist WHERE db = ?",
        [database],
      );
      return Number(rows[0]?.sum);
    };
    const room = roomOn(url);
    await Promise.all([room.check(), room.check()]);
    expect(await count()).toBe(2);
    await expect.poll(count).toBe(0);
    expect(await room.check()).toEqual(await room.check());
    expect(await count()).toBe(1);
    await room.close();
    await expect.poll(count).toBe(0);
  });

  it("may be of a pool for callbacks", async () => {
    const { createPool } = await import("mysql2");
    const callbacks = createPool(await newDatabase());
    afterAll(() => callbacks.promise().end());
    await roomOn(callbacks).tables(seats()).open();
  });
});

describe.skipIf(engine === undefined)("a transact of the user is refused", () => {
  it.each<[string, TransactFaults, string]>([
    ["if it reads what was there before", { isolation: "REPEATABLE READ" }, "READ COMMITTED"],
    ["if it always commits", { end: "COMMIT" }, "must run everything in one transaction"],
    ["if it hides an error", { isSilent: true }, "must reject if `run` rejects"],
  ])("%s", async (_, faults, message) => {
    const url = await newDatabase();
    const room = roomOn(poolOf(url), { transact: transactOn(poolOf(url), faults) });
    await expect(room.tables(seats()).open()).rejects.toThrow(message);
  });

  it("if it counts only rows whose values were others before", async () => {
    const url = await newDatabase();
    const pool = poolOf(url, { flags: ["-FOUND_ROWS"] });
    const room = roomOn(poolOf(url), { transact: transactOn(pool) });
    await expect(room.tables(seats()).open()).rejects.toThrow(
      "ROW_COUNT() counts the rows that an UPDATE finds",
    );
  });

  it("if it passes on no executor, or no list of rows", async () => {
    const pool = poolOf(await newDatabase());
    const bare = ((run) => run(pool, undefined as never)) as Transact;
    await expect(roomOn(pool, { transact: bare }).tables(seats()).open()).rejects.toThrow(
      "must call run with an object that has executeSql(text, values); got undefined",
    );
    const executeSql = async (text: string, values?: unknown[]) => ({
      rows: (await pool.query(text, values)) as unknown[],
    });
    const lists: Transact = (run) => run(pool, { executeSql });
    await expect(roomOn(pool, { transact: lists }).tables(seats()).open()).rejects.toThrow(
      "executeSql must resolve with { rows }, a list of objects",
    );
  });
});

describe.skipIf(engine === undefined)("an insert of what is absent", () => {
  const TABLE = "malipo_seats";
  const some = (ids: readonly string[]) =>
    insertIfAbsent(
      `INSERT INTO ${TABLE} (id, place) VALUES ${ids.map((id) => `('${id}', 1)`).join(", ")}`,
    );
  const selected = insertIfAbsent(
    `INSERT INTO ${TABLE} (id, place) SELECT $id, 1 WHERE NOT EXISTS (SELECT 1 FROM ${TABLE} WHERE id = 'no')`,
  );

  it.each([
    ["a pool", {}],
    ["a pool that counts what was changed", { flags: ["-FOUND_ROWS"] }],
  ])("counts the rows that it has written, on %s", async (_, options) => {
    const pool = poolOf(await newDatabase(), options);
    const tables = roomOn(pool).tables(seats());
    const count = async (ids: string[]) =>
      (await tables.run(() => only<Name>([some(ids), {}]))).changed;
    expect(await count(["a"])).toBe(1);
    expect(await count(["a"])).toBe(0);
    expect(await count(["a", "b", "c"])).toBe(2);
    expect(await count(["a", "b", "c"])).toBe(0);
    expect(await count(["d", "e"])).toBe(2);
    const select = async (id: string) =>
      (await tables.run(() => only<Name>([selected, { id }]))).changed;
    expect([await select("a"), await select("f"), await select("f")]).toEqual([0, 1, 0]);
    await tables.run(() => only<Name>([some(["no"]), {}]));
    expect(await select("g")).toBe(0);
  });

  it("counts them in a transaction of the merchant, too", async () => {
    const url = await newDatabase();
    const pool = poolOf(url);
    const tables = roomOn(pool).tables(seats());
    const counts = await transactOn(pool)(async (connection, executor) => {
      const on = (to: unknown, ids: string[]) =>
        tables.within(to, () => only<Name>([some(ids), {}])).then(({ changed }) => changed);
      return [
        await on(executor, ["a"]),
        await on(executor, ["a"]),
        await on(executor, ["a", "b", "c"]),
        await on(connection, ["a", "d"]),
        await on(connection, ["a"]),
        await on(executor, ["e"]),
      ];
    });
    expect(counts).toEqual([1, 0, 2, 1, 0, 1]);
  });

  it("fails if a text is too long, and cuts nothing off", async () => {
    const pool = poolOf(await newDatabase());
    const tables = roomOn(pool).tables(seats());
    await expect(tables.run(() => only<Name>([some(["x".repeat(256)]), {}]))).rejects.toThrow(
      "too long",
    );
    expect(await column(pool, `SELECT id FROM ${TABLE}`)).toEqual([]);
  });
});

describe.skipIf(engine === undefined)("tables that a killed process began to make", () => {
  it("are completed by the next one", async () => {
    const pool = poolOf(await newDatabase());
    const room = roomOn(pool);
    const all = room.sql([seats()]).split(/;\n?/).filter(Boolean);
    // The statement that says the format is the last one.
    for (const sql of all.slice(0, -1)) await pool.query(sql);
    await room.tables(seats()).open();
    expect(await column(pool, "SELECT value FROM malipo_seats_meta")).toEqual(["1"]);
  });
});
