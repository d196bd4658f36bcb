import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { SqliteRoom } from "../../../../src/storage/sqlite/sqlite-room.ts";
import { receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { sqliteInbox } from "../../../support/stores/sqlite-inbox.ts";
import { freshPaths } from "./fresh-paths.ts";

const { fresh: freshPath, remove } = freshPaths();
afterAll(remove);

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

  test("does not wait for the disk in commits that may be later only, even if they fail", async () => {
    const room = new SqliteRoom(freshPath(), { now: Date.now });
    const synchronous = () => pragma(room.database, "synchronous");
    expect(room.write(synchronous, true)).toBe(NORMAL);
    expect(room.write(synchronous, false)).toBe(FULL);
    expect(synchronous()).toBe(FULL);
    const fails = () =>
      room.write(() => {
        throw new Error("rolled back");
      }, true);
    expect(fails).toThrow("rolled back");
    expect(synchronous()).toBe(FULL);
    await room.close();
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
    writeFileSync(path, "Dear diary,\n".repeat(100));
    expect(openError(path)).toMatchObject({ code: "configuration", cause: expect.any(Error) });
    expect(held(path)).toBe(0);
  });
});

describe("a file that another process has locked when it is opened", () => {
  stopAll();
  afterEach(() => {
    vi.useRealTimers();
  });

  const HOLD = `
    const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(process.argv[1]);
    database.exec(process.argv[2]);
    process.send("locked");
    process.on("message", () => process.exit());
  `;

  /** Another process that holds the lock. Returns the function that ends it. */
  async function lockedBy(path: string, sql: string): Promise<() => Promise<void>> {
    const other = spawn(process.execPath, ["-e", HOLD, path, sql], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    await once(other, "message");
    return async () => {
      other.send("end");
      await once(other, "exit");
    };
  }

  const CASES = [
    ["a new file", "", "CREATE TABLE other (x); BEGIN IMMEDIATE"],
    ["a file with its tables", "tables", "BEGIN IMMEDIATE"],
    [
      "a file that is locked for readers too",
      "tables",
      "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE",
    ],
  ] as const;

  test.each(CASES)(
    "is usable when it is free, and nothing stands still until then: %s",
    async (_, tables, sql) => {
      const path = freshPath();
      // For its owner only: another mode would be reported.
      writeFileSync(path, "", { mode: 0o600 });
      if (tables) sqliteInbox(path).close();
      const free = await lockedBy(path, sql);
      const inbox = sqliteInbox(path);
      const receiver = receiverOn(inbox);
      const seen: unknown[] = [];
      receiver.onOther(({ data }) => seen.push(data.reference));
      const started = receiver.start();
      const posted = receiver.post("PAY-1");
      const letters = receiver.deadLetters.list();
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      // Nothing of this ends while the file is locked. A wait inside SQLite would let no tick through.
      await until(() => ticks > 10);
      clearInterval(timer);
      expect(seen).toEqual([]);
      await free();
      await started;
      expect(await posted).toEqual([200, "received"]);
      expect(await letters).toEqual([]);
      await until(() => seen.length === 1);
      expect(pragma(inbox.database, "journal_mode")).toBe("wal");
      expect(pragma(inbox.database, "synchronous")).toBe(FULL);
      inbox.database.exec("CREATE TABLE shipped (reference TEXT)");
      expect(receiver.onError).not.toHaveBeenCalled();
      await receiver.stop();
      inbox.close();
    },
  );

  test("results in 503 after five seconds, and works when it is free", async () => {
    const path = freshPath();
    const free = await lockedBy(path, CASES[0][2]);
    const inbox = sqliteInbox(path);
    const receiver = receiverOn(inbox);
    vi.useFakeTimers({ toFake: ["performance"] });
    const posted = receiver.post("PAY-1");
    vi.advanceTimersByTime(5_001);
    vi.useRealTimers();
    expect(await posted).toEqual([503, "cannot be stored now"]);
    expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
      code: "configuration",
      message: `sqlite cannot use ${path}: another connection has had it locked for 5 s. Find the process that holds a transaction open on the file, and end it.`,
      cause: expect.objectContaining({ message: "database is locked" }),
    });
    await free();
    expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
    inbox.close();
  });

  /** A receiver whose start has waited for five seconds. */
  async function startedLate(path: string) {
    const inbox = sqliteInbox(path);
    const receiver = receiverOn(inbox);
    const seen: unknown[] = [];
    receiver.onOther(({ data }) => seen.push(data.reference));
    vi.useFakeTimers({ toFake: ["performance"] });
    const started = receiver.start();
    vi.advanceTimersByTime(5_001);
    vi.useRealTimers();
    await started;
    return { inbox, receiver, seen };
  }

  test("is reported after five seconds, and processed when it is free, without another start", async () => {
    const path = freshPath();
    writeFileSync(path, "", { mode: 0o600 });
    const free = await lockedBy(path, CASES[0][2]);
    const { inbox, receiver, seen } = await startedLate(path);
    await expect(receiverOn(inbox).start()).rejects.toThrow("started already");
    await until(() => receiver.onError.mock.calls.length > 0);
    expect(receiver.onError.mock.calls).toEqual([
      [
        expect.objectContaining({
          code: "configuration",
          message: `sqlite cannot use ${path}: another connection has had it locked for 5 s. Find the process that holds a transaction open on the file, and end it.`,
        }),
      ],
    ]);
    await free();
    expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
    await until(() => seen.length === 1);
    expect(receiver.onError).toHaveBeenCalledTimes(1);
    await receiver.stop();
    inbox.close();
  });

  test("is not processed after a stop, when it is free", async () => {
    const path = freshPath();
    writeFileSync(path, "", { mode: 0o600 });
    const free = await lockedBy(path, CASES[0][2]);
    const { inbox, receiver, seen } = await startedLate(path);
    await receiver.stop();
    await free();
    const other = receiverOn(inbox);
    expect(await other.post("PAY-1")).toEqual([200, "received"]);
    await other.start();
    expect(seen).toEqual([]);
    await other.stop();
    inbox.close();
  });

  test("can be closed before it was free", async () => {
    const path = freshPath();
    const free = await lockedBy(path, CASES[0][2]);
    const inbox = sqliteInbox(path);
    const posted = receiverOn(inbox).post("PAY-1");
    inbox.close();
    expect(await posted).toEqual([503, "cannot be stored now"]);
    await free();
  });
});

describe("a runtime without node:sqlite", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.each([
    ["no process", undefined],
    ["another `process`", {}],
    ["a Node that is too old", { getBuiltinModule: () => undefined }],
  ])("the error names the version of Node: %s", (_, process) => {
    vi.stubGlobal("process", process);
    const error = openError(":memory:");
    vi.unstubAllGlobals();
    expect(error).toMatchObject({
      code: "configuration",
      message:
        'A checkout of memory(), or sqlite(":memory:"), requires node:sqlite, which this runtime does not have. Use Node 22.13 or later.',
    });
  });
});
