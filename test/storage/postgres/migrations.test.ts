import pg from "pg";
import { afterAll, describe } from "vitest";
import { PostgresRoom } from "../../../src/storage/postgres/postgres-room.ts";
import type { Room } from "../../../src/storage/room.ts";
import { storageMigrationsSuite } from "../../suites/storage-migrations.ts";
import { sharedPostgres } from "../../support/engines/shared.ts";

const engine = await sharedPostgres();
const url = engine?.url ?? "";
const pools: pg.Pool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

function poolOn(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 5, allowExitOnIdle: true });
  pool.on("error", () => {});
  pools.push(pool);
  return pool;
}

const pool = poolOn(url);
let schemas = 0;

describe.skipIf(engine === undefined)("PostgreSQL", () => {
  storageMigrationsSuite(() => {
    const schema = `migrations_${process.pid}_${++schemas}`;
    const roomOn = (address: string) =>
      new PostgresRoom({
        ...{ pool: poolOn(address), isOwnPool: false, schema },
        ...{ transact: undefined, now: undefined },
      }) as Room;
    const run = (sql: string) => pool.query(sql);
    return {
      address: `${url}#${schema}`,
      open: () => roomOn(url),
      run,
      isMigrating: async () => {
        const asleep = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3)'";
        return (await run(asleep)).rows.length > 0;
      },
      limited: async () => {
        const role = `${schema}_role`;
        await run(`DO $$ BEGIN
          IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} LOGIN PASSWORD 'x'; END IF;
          IF to_regnamespace('${schema}') IS NOT NULL THEN
            GRANT USAGE ON SCHEMA ${schema} TO ${role};
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
          END IF; END $$`);
        const address = new URL(url);
        address.username = role;
        address.password = "x";
        return roomOn(address.href);
      },
    };
  });
});
