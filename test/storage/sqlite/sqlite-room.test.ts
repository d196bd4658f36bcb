import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { describe } from "vitest";
import { SqliteRoom } from "../../../src/storage/sqlite/sqlite-room.ts";
import { storageRoomSuite } from "../../suites/storage-room.ts";

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
