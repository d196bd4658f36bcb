import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqlite } from "malipo/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { tooOld } from "../../src/storage/sqlite/open-file.ts";
import { type BadEngine, isRefusedByCommands, rejectsAtStart } from "../suites/bad-start.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a start on SQLite", () => {
  const notADatabase = join(folder, "diary.txt");
  writeFileSync(notADatabase, "Dear diary,\n".repeat(100));

  test.each([
    ["a folder that is missing", join(folder, "none", "shop.db"), /no such file or directory/],
    ["a folder", folder, /unable to open database file/],
    ["a file that is no database", notADatabase, /file is not a database/],
  ])("is rejected for %s", async (_, path, reason) => {
    expect(() => sqlite(path).database).toThrow(reason);
    await rejectsAtStart(
      () => sqlite(path) as unknown as BadEngine,
      /sqlite cannot use .+\. Pass the path of a SQLite file that this process may write, or of a new file in an existing folder\./,
    );
  });

  test("works once the folder of the file is there", async () => {
    const late = join(folder, "late");
    const db = sqlite(join(late, "shop.db"));
    await expect(db.open()).rejects.toThrow(/no such file or directory/);
    mkdirSync(late);
    await db.open();
    expect(await db.check()).toEqual([]);
    await db.close();
  });

  test("is rejected for a database that was opened for reading alone", () => {
    const path = join(folder, "read.db");
    new DatabaseSync(path).close();
    chmodSync(path, 0o600);
    const database = new DatabaseSync(path, { readOnly: true });
    expect(() => sqlite(database)).toThrow(
      /^sqlite cannot use the open database: attempt to write a readonly database\. Pass .+/,
    );
  });

  test("is rejected for tables of a newer version", async () => {
    const path = join(folder, "newer.db");
    const db = sqlite(path);
    await db.open();
    for (const part of ["checkout", "inbox", "idempotency"]) {
      db.database.exec(`UPDATE malipo_${part}_meta SET value = '999'`);
    }
    await db.close();
    const says = /.*have format 999.+A newer version has written them.+/;
    await rejectsAtStart(() => sqlite(path) as unknown as BadEngine, says);
    await isRefusedByCommands(`sqlite:${path}`, says);
  });

  test("is refused by commands for a file that is no database", async () => {
    await isRefusedByCommands(`sqlite:${notADatabase}`, /file is not a database/);
  });
});

test("a SQLite that is too old is refused", () => {
  expect(tooOld("3.36.0")).toBe(
    "This is SQLite 3.36.0. Use 3.37 or later: a newer Node, or a newer better-sqlite3.",
  );
  for (const version of ["3.37.0", "3.50.4", "4.0.0"]) expect(tooOld(version)).toBeUndefined();
});
