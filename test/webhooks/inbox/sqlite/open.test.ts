import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { openDisk } from "../../../../src/webhooks/inbox/sqlite/disk.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-inbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const freshPath = () => join(folder, `${++files}.db`);

const pragma = (database: DatabaseSync, name: string) =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

function openError(path: string): unknown {
  try {
    sqliteInbox(path).close();
  } catch (error) {
    return error;
  }
  return undefined;
}

const FULL = 2;
const NORMAL = 1;

describe("an opened file", () => {
  test("waits only for moments for other processes, has a log, and is on disk at every commit", () => {
    const inbox = sqliteInbox(freshPath());
    const { database } = inbox;
    expect({
      busy_timeout: pragma(database, "busy_timeout"),
      journal_mode: pragma(database, "journal_mode"),
      synchronous: pragma(database, "synchronous"),
      wal_autocheckpoint: pragma(database, "wal_autocheckpoint"),
    }).toEqual({
      busy_timeout: 25,
      journal_mode: "wal",
      synchronous: FULL,
      wal_autocheckpoint: 10_000,
    });
    expect(database.isTransaction).toBe(false);
    inbox.close();
  });

  test("does not wait for the disk in the inbox's own commits only, even if they fail", () => {
    const inbox = sqliteInbox(freshPath());
    const { database } = inbox;
    const disk = openDisk(database);
    expect(disk.write(() => pragma(database, "synchronous"))).toBe(NORMAL);
    expect(pragma(database, "synchronous")).toBe(FULL);
    const fails = () =>
      disk.write(() => {
        throw new Error("rolled back");
      });
    expect(fails).toThrow("rolled back");
    expect(pragma(database, "synchronous")).toBe(FULL);
    disk.close();
    inbox.close();
  });

  const DESCRIPTORS = "/proc/self/fd";
  const held = (path: string) =>
    readdirSync(DESCRIPTORS).filter((descriptor) => {
      try {
        return readlinkSync(join(DESCRIPTORS, descriptor)).startsWith(path);
      } catch {
        return false;
      }
    }).length;

  test.runIf(existsSync(DESCRIPTORS))("is closed by close(), and after an error", () => {
    const path = freshPath();
    const inbox = sqliteInbox(path);
    expect(held(path)).toBeGreaterThan(0);
    inbox.close();
    expect(held(path)).toBe(0);
    expect(inbox.database.isOpen).toBe(false);
    const stranger = new DatabaseSync(path);
    stranger.exec("DROP TABLE malipo_inbox; CREATE VIEW malipo_inbox AS SELECT 1");
    stranger.close();
    expect(openError(path)).toMatchObject({ code: "configuration", cause: expect.any(Error) });
    expect(held(path)).toBe(0);
  });
});

describe("a file that another process is writing", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  // As when another process creates the file: SQLite itself does not wait for this.
  const HELD = "CREATE TABLE other (x); BEGIN IMMEDIATE";

  test("is opened as soon as it is free", async () => {
    const path = freshPath();
    const other = new Worker(
      `const { parentPort, workerData } = require("node:worker_threads");
      const { DatabaseSync } = require("node:sqlite");
      const database = new DatabaseSync(workerData.path);
      database.exec(workerData.held);
      parentPort.postMessage("held");
      setTimeout(() => database.close(), 200);`,
      { eval: true, workerData: { path, held: HELD } },
    );
    await new Promise((resolve) => other.once("message", resolve));
    const inbox = sqliteInbox(path);
    expect(pragma(inbox.database, "journal_mode")).toBe("wal");
    inbox.close();
    await other.terminate();
  });

  test("is an error after ten seconds, which says why and what to do", () => {
    const path = freshPath();
    const other = new DatabaseSync(path);
    other.exec(HELD);
    const started = performance.now();
    const clock = [0, 3_000, 6_000, 9_999, 10_000];
    const asked = vi
      .spyOn(performance, "now")
      .mockImplementation(() => started + (clock.shift() ?? 1e6));
    const error = openError(path);
    expect(asked).toHaveBeenCalledTimes(5);
    expect(error).toMatchObject({
      code: "configuration",
      message: `sqliteInbox cannot use ${path}: database is locked. Pass the path of a SQLite file that this process may write, or of a new file in an existing folder.`,
      cause: expect.objectContaining({ message: "database is locked" }),
    });
    other.close();
  });
});

describe("a runtime without node:sqlite", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.each([
    ["no process", undefined],
    ["a process of its own", {}],
    ["a Node that is too old", { getBuiltinModule: () => undefined }],
  ])("the error names the version of Node: %s", (_, process) => {
    vi.stubGlobal("process", process);
    const error = openError(":memory:");
    vi.unstubAllGlobals();
    expect(error).toMatchObject({
      code: "configuration",
      message: "sqliteInbox needs node:sqlite, which Node has from 22.13 on.",
    });
  });
});
