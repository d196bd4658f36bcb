import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SqlIdempotencyOptions } from "../../../src/idempotency/sql-store.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import { SQLITE } from "../../../src/storage/sqlite/sqlite-dialect.ts";
import { standsByTheContractOfDurability } from "../../suites/durable-idempotency-store.ts";
import { keepsTimeByThisClock } from "../../suites/idempotency-clock.ts";
import {
  attemptOf,
  freshKey,
  type IdempotencyStoreOptions,
} from "../../suites/idempotency-stage.ts";
import { standsByTheContract } from "../../suites/idempotency-store.ts";
import { storesKeysInTables } from "../../suites/sql-idempotency.ts";
import { type KeyStore, sqliteKeys } from "../../support/key-stores.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-idempotency-"));
const path = join(folder, "keys.db");
const stores: KeyStore[] = [];

function open(options?: IdempotencyStoreOptions) {
  const store = sqliteKeys(path, { onWarning: () => {}, ...options });
  stores.push(store);
  return store;
}

function query(sql: string, ...values: (string | number | null)[]): unknown[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

standsByTheContract("SQLite", async (options) => open(options));

test.for([
  ["of an account reference", "listFor", "account_reference (account_reference=?"],
  ["that have not succeeded", "listOpen", "state (state=?"],
  ["that have expired", "expired", "keep_until (keep_until<?"],
] as const)("SQLite finds the attempts %s by an index", async ([, statement, index]) => {
  await open().list();
  const database = new DatabaseSync(path);
  const plan = database
    .prepare(`EXPLAIN QUERY PLAN ${KEYS.statements(SQLITE)[statement].text}`)
    .all({});
  database.close();
  expect(JSON.stringify(plan)).toContain(`INDEX malipo_idempotency_${index}`);
});

let files = 0;
/** A file remembers the clocks of its machine. Tests that set these have their own files. */
function openOwnFile(options: SqlIdempotencyOptions = {}, name = `own-${files++}`) {
  const store = sqliteKeys(join(folder, `${name}.db`), { onWarning: () => {}, ...options });
  stores.push(store);
  return store;
}

keepsTimeByThisClock("SQLite", async (options) => openOwnFile(options));
standsByTheContractOfDurability(
  "SQLite",
  () => ({
    open: async (options) => open(options),
    contents: async () => JSON.stringify(query("SELECT * FROM malipo_idempotency ORDER BY key")),
    setVersion: async (key, version) => {
      query(
        "UPDATE malipo_idempotency SET version = ?, keep_until = 1 WHERE key = ?",
        version,
        key,
      );
    },
    setFormat: async (format) => {
      const name = "malipo_idempotency_meta";
      if (format === null) query(`DELETE FROM ${name} WHERE name = 'format'`);
      else query(`INSERT OR REPLACE INTO ${name} VALUES ('format', ?)`, String(format));
    },
    tamper: async (key, field, value) => {
      try {
        query(`UPDATE malipo_idempotency SET ${field} = ? WHERE key = ?`, value, key);
        return true;
      } catch {
        // The table is STRICT.
        return false;
      }
    },
    remove: async (key) => {
      query("DELETE FROM malipo_idempotency WHERE key = ?", key);
    },
    moveLease: async (key, ms) => {
      query("UPDATE malipo_idempotency SET lease_from = lease_from + ? WHERE key = ?", ms, key);
    },
    makeOlder: async (key, ms) => {
      const times = ["begun_at", "lease_from", "keep_until"];
      const changes = times.map((column) => `${column} = ${column} - ${ms}`);
      query(`UPDATE malipo_idempotency SET ${changes} WHERE key = ?`, key);
    },
    unreachable: async () => {
      const closed = sqliteKeys(path);
      await closed.close();
      return closed;
    },
  }),
  { crashes: false },
);

storesKeysInTables("SQLite", async () => {
  const own = join(folder, `own-${files++}.db`);
  const run = (sql: string) => {
    const database = new DatabaseSync(own);
    const rows = database.prepare(sql).all();
    database.close();
    return rows;
  };
  return {
    open: (options) => {
      const store = sqliteKeys(own, { onWarning: () => {}, ...options });
      stores.push(store);
      return store;
    },
    keys: async () =>
      run("SELECT key FROM malipo_idempotency ORDER BY key").map(({ key }) => String(key)),
    expire: async () => {
      run("UPDATE malipo_idempotency SET keep_until = 1 WHERE keep_until IS NOT NULL");
    },
  };
});

test("SQLite does not take tables that malipo did not make, or of a version before formats", async () => {
  const own = join(folder, `own-${files++}.db`);
  const database = new DatabaseSync(own);
  database.exec("CREATE TABLE malipo_idempotency (key TEXT PRIMARY KEY, version INTEGER)");
  const store = sqliteKeys(own);
  stores.push(store);
  const refused = "The tables of idempotency keys have format 0, and this version of malipo knows";
  await expect(store.begin("k", attemptOf("a"))).rejects.toThrow(refused);
  await expect(store.list()).rejects.toThrow(refused);
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  database.close();
  expect(names).toEqual([{ name: "malipo_idempotency" }]);
});

describe("the clocks of a machine", () => {
  const DAY_MS = 24 * 3_600_000;
  const NOW = Date.UTC(2026, 0, 31, 9);
  /** A start of the machine: its uptime is 0, and its date is any. */
  const startMachine = (now: number) => {
    vi.useFakeTimers({ toFake: ["Date", "performance", "hrtime"], now });
  };
  const succeed = async (store: KeyStore, key: string) => {
    await store.begin(key, attemptOf("a"));
    await store.finish(key, "a", { state: "succeeded", result: "R" });
  };
  beforeEach(() => startMachine(NOW));
  afterEach(() => vi.useRealTimers());
  test.each([
    ["with a date 31 days ahead", 31 * DAY_MS],
    ["with a date 31 days behind", -31 * DAY_MS],
    ["after it was off for 31 days", 31 * DAY_MS],
  ])("forgets no key when the machine starts %s", async (_, offsetMs) => {
    vi.advanceTimersByTime(5 * DAY_MS);
    const keys = Array.from({ length: 10 }, freshKey);
    for (const key of keys) await succeed(openOwnFile({}, "starts"), key);
    vi.useRealTimers();
    startMachine(NOW + 5 * DAY_MS + offsetMs);
    const store = openOwnFile({}, "starts");
    for (const afterMs of [1_000, 3_600_000, 2 * DAY_MS]) {
      vi.advanceTimersByTime(afterMs);
      await succeed(store, freshKey());
      vi.setSystemTime(NOW + 7 * DAY_MS);
    }
    for (const key of keys) {
      expect(await store.begin(key, attemptOf("b"))).toMatchObject({ state: "succeeded" });
    }
  });

  test("tells once that the clock was set, and goes on if that throws", async () => {
    const warnings: string[] = [];
    const onWarning = (warning: string) => {
      warnings.push(warning);
      throw new Error("The log is full.");
    };
    const store = openOwnFile({ onWarning });
    await succeed(store, freshKey());
    for (const offsetMs of [31 * DAY_MS, 0, 31 * DAY_MS, 0]) {
      vi.setSystemTime(NOW + offsetMs);
      await succeed(store, freshKey());
    }
    expect(warnings).toEqual([
      expect.stringContaining("was set 31 days ahead"),
      expect.stringContaining("was set 31 days back"),
    ]);
  });

  test("rejects an `onWarning` that is not a function", () => {
    expect(() => openOwnFile({ onWarning: "log" as never })).toThrow(
      "`onWarning` must be a function",
    );
  });

  test("forgets nothing for a process if only its clock is wrong", async () => {
    const [right, wrong] = [openOwnFile({}, "shared"), openOwnFile({}, "shared")];
    const key = freshKey();
    await succeed(right, key);
    for (let day = 0; day < 20; day++) {
      vi.setSystemTime(NOW + day * DAY_MS + 3_000 * DAY_MS);
      await succeed(wrong, freshKey());
      vi.setSystemTime(NOW + day * DAY_MS);
      await succeed(right, freshKey());
      vi.advanceTimersByTime(DAY_MS);
    }
    expect(await wrong.begin(key, attemptOf("b"))).toMatchObject({ state: "succeeded" });
  });
});

describe("a SQLite file", () => {
  test("begins an attempt whose key another process frees at the same time", async () => {
    const [store, key] = [open(), freshKey()];
    await store.begin(key, attemptOf("a"));
    const run = StatementSync.prototype.run;
    const once = vi.spyOn(StatementSync.prototype, "run").mockImplementationOnce(function (
      this: StatementSync,
      ...values
    ) {
      const begun = run.apply(this, values);
      query("DELETE FROM malipo_idempotency WHERE key = ?", key);
      return begun;
    });
    try {
      expect(await store.begin(key, attemptOf("b"))).toEqual({ state: "begun" });
    } finally {
      once.mockRestore();
    }
    expect(await store.begin(key, attemptOf("c"))).toMatchObject({ state: "in_flight" });
  });

  test.each([
    ["an older Node", { getBuiltinModule: () => undefined }],
    ["a runtime like an old Node", {}],
    ["a browser", undefined],
  ])("throws in %s, with the Node version that it requires", (_, process) => {
    vi.stubGlobal("process", process);
    let thrown: unknown;
    try {
      open();
    } catch (error) {
      thrown = error;
    } finally {
      vi.unstubAllGlobals();
    }
    expect(thrown).toMatchObject({
      code: "configuration",
      message:
        "sqlite requires node:sqlite, which this runtime does not have. Use Node 22.13 or later.",
    });
  });

  test("has a commit on the disk before it is acknowledged", async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, "exec");
    try {
      const store = openOwnFile();
      const [database] = exec.mock.contexts as DatabaseSync[];
      await store.begin("k", attemptOf("a"));
      // https://sqlite.org/pragma.html#pragma_synchronous: NORMAL (1) may lose it in a power cut.
      expect(database?.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
    } finally {
      exec.mockRestore();
    }
  });

  test("keeps its records after it was closed and opened again", async () => {
    const key = freshKey();
    await open().begin(key, attemptOf("a"));
    await stores.pop()?.close();
    expect(await open().begin(key, attemptOf("b"))).toMatchObject({ state: "in_flight" });
  });

  test("leaves no byte of the parameters in its files", async () => {
    const store = open();
    const parameters = '{"phone":"0733998877"}';
    await store.begin(freshKey(), attemptOf("the-owner", { parameters }));
    const bytes = ["", "-wal"].map((end) => readFileSync(path + end, "latin1")).join();
    expect(bytes).toContain("the-owner");
    expect(bytes).not.toContain("733998877");
  });

  test("throws if its file is not a database or cannot be created", () => {
    writeFileSync(join(folder, "letter.txt"), "Dear customer, ".repeat(100));
    const message = (path: string, why: string) =>
      expect.objectContaining({
        code: "configuration",
        message: expect.stringMatching(`^sqlite cannot use ${path}: .*${why}.*Pass the path`),
      });
    const letter = join(folder, "letter.txt");
    expect(() => sqliteKeys(letter)).toThrow(message(letter, "not a database"));
    const none = join(folder, "none", "keys.db");
    expect(() => sqliteKeys(none)).toThrow(message(none, "ENOENT"));
  });
});
