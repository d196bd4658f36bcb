import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SqliteIdempotency, sqliteIdempotency } from "malipo/idempotency/sqlite";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { standsByTheContractOfDurability } from "../../conformance/durable-idempotency-store.ts";
import { attemptOf, freshKey, standsByTheContract } from "../../conformance/idempotency-store.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-idempotency-"));
const path = join(folder, "keys.db");
const stores: SqliteIdempotency[] = [];

function open(options?: { retentionMs?: number }) {
  const store = sqliteIdempotency(path, options);
  stores.push(store);
  return store;
}

function query(sql: string, ...values: (string | number)[]): unknown[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}

afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

standsByTheContract("SQLite", async (options) => open(options));
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
    unreachable: async () => {
      const closed = sqliteIdempotency(path);
      closed.close();
      return closed;
    },
  }),
  { crashes: false },
);

describe("sqliteIdempotency", () => {
  test("keeps its records when it is closed and opened again", async () => {
    const key = freshKey();
    await open().begin(key, attemptOf("a"));
    stores.pop()?.close();
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

  test("throws where its file is no database, or cannot be made", () => {
    writeFileSync(join(folder, "letter.txt"), "Dear customer, ".repeat(100));
    expect(() => sqliteIdempotency(join(folder, "letter.txt"))).toThrow("not a database");
    expect(() => sqliteIdempotency(join(folder, "none", "keys.db"))).toThrow("open");
  });
});
