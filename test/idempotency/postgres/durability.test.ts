import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresIdempotency } from "../../../src/idempotency/postgres/store.ts";
import {
  attemptOf,
  freshKey,
  type IdempotencyStoreOptions,
  LONG_OVER_MS,
} from "../../suites/idempotency-stage.ts";
import { standsByTheContract } from "../../suites/idempotency-store.ts";
import { startPgBouncer } from "../../support/engines/pgbouncer.ts";
import { startPostgres } from "../../support/engines/postgres.ts";

const engine = await startPostgres();
const bouncer = engine && (await startPgBouncer(engine));
const table = `malipo_test_${crypto.randomUUID().replaceAll("-", "_")}`;
const pools: pg.Pool[] = [];

function connect(config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: engine?.url, max: 4, ...config });
  pool.on("error", () => {});
  pools.push(pool);
  return pool;
}

beforeAll(async () => {
  if (engine !== undefined) await postgresIdempotency(connect(), { table }).migrate();
});
afterAll(async () => {
  if (engine !== undefined) await connect().query(`DROP TABLE ${table}`);
  await Promise.all(pools.map((pool) => pool.end()));
  await bouncer?.stop();
  await engine?.stop();
});

describe.skipIf(engine === undefined)("synchronous_commit", () => {
  const ROUNDS = 10;
  const lazy = () => connect({ options: "-c synchronous_commit=off" });

  /** After how many of the writes the log of the database was not on the disk. */
  async function unflushed(write: (round: number) => Promise<unknown>): Promise<number> {
    const look = connect();
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await write(round);
      const { rows } = await look.query(
        "SELECT pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() AS unflushed",
      );
      if (rows[0].unflushed) found++;
    }
    return found;
  }

  // PostgreSQL writes a little by itself, which need not be on the disk.
  const FEW = ROUNDS / 2;

  test("set to off leaves commits of others off the disk", async () => {
    const pool = lazy();
    await pool.query(`CREATE TABLE ${table}_control (x int)`);
    const lost = await unflushed(() => pool.query(`INSERT INTO ${table}_control VALUES (1)`));
    await pool.query(`DROP TABLE ${table}_control`);
    expect(lost).toBeGreaterThan(FEW);
  });

  test("set to off leaves no change of the store off the disk", async () => {
    const pool = lazy();
    const store = postgresIdempotency(pool, { table });
    const prefix = freshKey();
    const attempt = attemptOf("a", { leaseMs: LONG_OVER_MS });
    const begin = (round: number) => store.begin(`${prefix} ${round}`, attempt);
    const writes: ((round: number) => Promise<unknown>)[] = [
      begin,
      (round) => store.finish(`${prefix} ${round}`, "a", { state: "unknown" }),
      (round) => store.resolve(`${prefix} ${round}`, undefined),
      begin,
      (round) => store.forget(`${prefix} ${round}`, "a"),
      begin,
      (round) => store.resolve(`${prefix} ${round}`, "R"),
    ];
    for (const write of writes) expect(await unflushed(write)).toBeLessThan(FEW);
    // The setting of the connections is what it was.
    const { rows } = await pool.query("SHOW synchronous_commit");
    expect(rows).toEqual([{ synchronous_commit: "off" }]);
  });
});

describe.skipIf(bouncer === undefined)("behind PgBouncer", () => {
  const storeOn = (own: string, options?: IdempotencyStoreOptions) =>
    postgresIdempotency(connect({ connectionString: bouncer?.url, max: 8 }), {
      table: own,
      ...options,
    });

  standsByTheContract("PostgreSQL behind PgBouncer", async (options) => storeOn(table, options));

  test("a table is created by several processes at once", async () => {
    const own = `public.${table}_b`;
    const stores = Array.from({ length: 6 }, () => storeOn(own));
    await Promise.all(stores.map((store) => store.migrate()));
    const begun = await Promise.all(
      stores.map((store, i) => store.begin("k", attemptOf(`owner ${i}`))),
    );
    expect(begun.filter(({ state }) => state === "begun")).toHaveLength(1);
    await connect().query(`DROP TABLE ${own}`);
  });
});
