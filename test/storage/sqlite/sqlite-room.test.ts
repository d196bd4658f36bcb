import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { only, statement } from "../../../src/storage/sql-steps.ts";
import { SqliteRoom } from "../../../src/storage/sqlite/sqlite-room.ts";
import { type SeatStatement, seats, storageRoomSuite } from "../../suites/storage-room.ts";

const newFile = () => join(mkdtempSync(join(tmpdir(), "malipo-room-")), "shop.db");

/** @param open - Opens a file, as the merchant does. One library opens a file in a process: their locks do not mix. */
const stage = (open: (path: string) => string | DatabaseSync | Database.Database) => () => {
  const path = newFile();
  return {
    isAsync: false,
    open: () => new SqliteRoom<unknown>(open(path), { now: Date.now }),
    write: (connection: unknown, sql: string) => (connection as DatabaseSync).exec(sql),
    run: (sql: string) => {
      const given = open(path);
      const database = typeof given === "string" ? new DatabaseSync(given) : given;
      database.exec(sql);
      database.close();
    },
  };
};

describe("a path", () => storageRoomSuite(stage((path) => path)));
describe("an open database of Node", () =>
  storageRoomSuite(stage((path) => new DatabaseSync(path))));
describe("an open database of better-sqlite3", () =>
  storageRoomSuite(stage((path) => new Database(path))));

it.each([
  ["Node", (path: string) => new DatabaseSync(path)],
  ["better-sqlite3", (path: string) => new Database(path)],
] as const)(
  "an open database of %s is first used within a transaction of the merchant",
  async (_, open) => {
    const database = open(newFile());
    const room = new SqliteRoom<unknown>(database, { now: Date.now });
    const tables = room.tables(seats());
    database.exec("BEGIN");
    const add = () => only<"add">(["add", { id: "a", place: 1, code: null }]);
    expect((await tables.within(database, add)).changed).toBe(1);
    database.exec("COMMIT");
    const { rows } = await tables.run(() => only<"all">(["all", {}]));
    expect(rows).toEqual([{ id: "a" }]);
  },
);

it("gives a name one value at all its places, and reads a clock once for a statement", async () => {
  let now = 0;
  const room = new SqliteRoom(newFile(), { now: () => ++now });
  const read = statement("SELECT $b AS b, $wall AS wall, $a AS a, $b AS again, $wall AS later");
  const { rows } = await room
    .tables(seats())
    .run(() => only<SeatStatement>([read, { a: "a", b: "b" }]));
  expect(rows).toEqual([{ b: "b", wall: 1, a: "a", again: "b", later: 1 }]);
  await room.close();
});
