import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { postgres } from "malipo/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redisIdempotency } from "../../src/idempotency/redis/store.ts";
import { sharedPostgres, sharedRedis } from "../support/engines/shared.ts";
import { sqliteIdempotency } from "../support/stores/sqlite-idempotency.ts";
import { malipo } from "./in-process.ts";

// A project in which ioredis and pg are installed.
const PROJECT = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "malipo-attempts-"));
const redisEngine = await sharedRedis();
const postgresEngine = await sharedPostgres();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redisEngine?.stop();
  await postgresEngine?.stop();
});

const ENDPOINT = "POST /mobile-money/payment/initiate";
type Store = ReturnType<typeof redisIdempotency>;

/** Two unknown attempts: of one, the request may be on its way for a minute; of the other, no more. */
async function fill(store: Store): Promise<void> {
  for (const [key, leaseMs] of [
    ["ORDER-41/1", -5_000],
    ["ORDER-42/1", 60_000],
  ] as const) {
    await store.begin(`${ENDPOINT} ${key}`, {
      parameters: "{}",
      owner: `owner of ${key}`,
      leaseMs,
      endpoint: ENDPOINT,
      idempotencyKey: key,
      baseUrl: "https://gateway.example",
    });
    await store.finish(`${ENDPOINT} ${key}`, `owner of ${key}`, { state: "unknown" });
  }
}

const sqliteFile = join(folder, "payments.db");

/** The stores, and how each is filled. */
const STORES: readonly [name: string, url: string | undefined, prepare: () => Promise<void>][] = [
  [
    "SQLite",
    `sqlite:${sqliteFile}`,
    async () => {
      const store = sqliteIdempotency(sqliteFile);
      await fill(store);
      store.close();
    },
  ],
  [
    "Redis",
    redisEngine?.url,
    async () => {
      const redis = new Redis(redisEngine?.url ?? "");
      await fill(redisIdempotency(redis));
      redis.disconnect();
    },
  ],
  [
    "PostgreSQL",
    postgresEngine?.url,
    async () => {
      const pool = new pg.Pool({ connectionString: postgresEngine?.url });
      const store = postgres(pool).idempotency();
      await fill(store);
      await pool.end();
    },
  ],
];

for (const [name, url, prepare] of STORES) {
  describe.skipIf(url === undefined)(`malipo attempts on ${name}`, () => {
    const run = (...args: string[]) =>
      malipo(["attempts", ...args, "--store", url ?? ""], { cwd: PROJECT });
    beforeAll(prepare);

    test("lists attempts, resolves one, and rejects an attempt to free one too early", async () => {
      const listed = await run("list", "--state", "unknown", "--json");
      expect(listed).toMatchObject({ code: 0, stderr: "" });
      expect(listed.json().items).toMatchObject([
        { idempotencyKey: "ORDER-41/1", state: "unknown", endpoint: ENDPOINT },
        { idempotencyKey: "ORDER-42/1", attempt: "owner of ORDER-42/1" },
      ]);
      const early = await run("resolve", "ORDER-42/1", "not_sent", "--force");
      expect(early).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("may be on its way until"),
      });
      const free = ["resolve", "ORDER-41/1", "not_sent", "--endpoint", ENDPOINT, "--force"];
      const freed = await run(...free);
      expect(freed).toMatchObject({ code: 0, stdout: expect.stringContaining("is free") });
      const resolved = await run("resolve", "ORDER-42/1", "PAY-7", "--force");
      expect(resolved).toMatchObject({ code: 0, stdout: expect.stringContaining("PAY-7") });
      const left = await run("list");
      expect(left.stdout).toMatch(/ORDER-42\/1 +succeeded/);
      expect(left.stdout).not.toContain("ORDER-41/1");
    });
  });
}

describe("malipo attempts", () => {
  test.each([
    ["no store", [], /--store is required/],
    ["a file that does not exist", ["--store", "sqlite:/none.db"], /there is no file \/none\.db/],
    ["another database", ["--store", "mongodb://localhost"], /must start with sqlite:/],
  ])("with %s says what is wrong", async (_, args, message) => {
    const { code, stderr } = await malipo(["attempts", "list", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test("says which package is missing in the project", async () => {
    const args = ["attempts", "list", "--store", "redis://127.0.0.1:1"];
    const { code, stderr } = await malipo(args, { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain("npm install ioredis");
  });

  test("ends with an error if nothing listens there", async () => {
    const args = ["attempts", "list", "--store", "redis://127.0.0.1:1"];
    const { code, stderr } = await malipo(args, { cwd: PROJECT });
    expect(code).toBe(3);
    expect(stderr).toContain("The idempotency store failed");
  });
});
