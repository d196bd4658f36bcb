import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import type { IdempotencyStore } from "malipo";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { redisIdempotency } from "../../../src/idempotency/redis/store.ts";
import { freshKey } from "../../suites/idempotency-stage.ts";
import { sharedPostgres, sharedRedis } from "../../support/engines/shared.ts";
import { postgresKeys, sqliteKeys } from "../../support/key-stores.ts";
import { PAST_LEASE, SAFELY_OVER } from "./state.ts";
import { difference, paths, timeUntil } from "./store-model.ts";

/** How many operations a path has. `npm run test:long` does all paths with one more. */
const DEPTH = expect.getState().testPath?.includes(".long.") ? 4 : 3;

afterEach(() => {
  vi.useRealTimers();
});

/** The paths over a store whose clock the test moves, one after another. */
async function withMovedClock(store: IdempotencyStore): Promise<string[]> {
  vi.useFakeTimers({ toFake: ["Date", "performance", "hrtime"] });
  const advance = (ms: number) => vi.advanceTimersByTime(ms);
  const time = [PAST_LEASE, SAFELY_OVER].map((age) => timeUntil(age, advance));
  const differences: string[] = [];
  for (const path of paths(DEPTH, time)) {
    const found = await difference(store, freshKey(), path);
    if (found !== undefined) differences.push(found);
  }
  return differences;
}

const MAX_AT_ONCE = 200;

/** The paths over a store on a server, whose clock cannot be moved: many at the same time. */
async function withServerClock(store: IdempotencyStore, depth: number): Promise<string[]> {
  const differences: string[] = [];
  let batch: Promise<string | undefined>[] = [];
  const finishBatch = async () => {
    for (const found of await Promise.all(batch)) if (found !== undefined) differences.push(found);
    batch = [];
  };
  for (const path of paths(depth, [])) {
    batch.push(difference(store, freshKey(), path));
    if (batch.length === MAX_AT_ONCE) await finishBatch();
  }
  await finishBatch();
  return differences;
}

const countPaths = (depth: number) => [...paths(depth, [])].length;

test("the paths are many, and all different", () => {
  const names = [...paths(3, [])].map((path) => path.map(({ name }) => name).join());
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(500);
  expect(countPaths(4)).toBeGreaterThan(7_000);
});

test("the store in memory answers as the model says", async () => {
  expect(await withMovedClock(memoryIdempotency())).toEqual([]);
});

test("the SQLite store answers as the model says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-model-"));
  const store = sqliteKeys(join(folder, "keys.db"));
  try {
    expect(await withMovedClock(store)).toEqual([]);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

const redisEngine = await sharedRedis();
test.skipIf(redisEngine === undefined)("the Redis store answers as the model says", async () => {
  const redis = new Redis(redisEngine?.url ?? "");
  const prefix = `{malipo-model-${crypto.randomUUID()}}:`;
  try {
    const store = redisIdempotency(redis, { prefix, retentionMs: 3_600_000 });
    expect(await withServerClock(store, DEPTH)).toEqual([]);
  } finally {
    for (const key of await redis.keys(`${prefix}*`)) await redis.del(key);
    redis.disconnect();
    await redisEngine?.stop();
  }
});

const postgresEngine = await sharedPostgres();
test.skipIf(postgresEngine === undefined)(
  "the PostgreSQL store answers as the model says",
  async () => {
    const pool = new pg.Pool({ connectionString: postgresEngine?.url, max: 8 });
    const schema = `malipo_model_${crypto.randomUUID().replaceAll("-", "_")}`;
    try {
      const store = postgresKeys(pool, schema);
      expect(await withServerClock(store, 3)).toEqual([]);
    } finally {
      await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await pool.end();
      await postgresEngine?.stop();
    }
  },
);
