import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresIdempotency } from "malipo/idempotency/postgres";
import pg from "pg";
import { startPostgres } from "../../support/engines/postgres.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { type StoreLocation, type StoreName, tableName } from "./store.ts";

/** A store that workers can open. */
interface StoreSetup {
  readonly address: string;
  /** Deletes the data, and stops what was started. */
  clear(): Promise<void>;
}

async function onPostgres(run: string): Promise<StoreSetup | undefined> {
  const engine = await startPostgres();
  if (engine === undefined) return undefined;
  const { url: address } = engine;
  const table = tableName({ name: "postgres", address, run });
  const pool = new pg.Pool({ connectionString: address, max: 1 });
  await postgresIdempotency(pool, { table }).migrate();
  return {
    address,
    clear: async () => {
      await pool.query(`DROP TABLE ${table}`);
      await pool.end();
      await engine.stop();
    },
  };
}

const SETUPS: Readonly<Record<StoreName, (run: string) => Promise<StoreSetup | undefined>>> = {
  memory: async () => ({ address: "", clear: async () => {} }),
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), "malipo-campaign-"));
    return {
      address: join(folder, "keys.db"),
      clear: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  redis: async () => {
    const engine = await startRedis();
    // Records in an engine that we did not start expire.
    return engine && { address: engine.url, clear: engine.stop };
  },
  postgres: onPostgres,
};

/** Makes a store. `undefined` if this machine has no engine for it. */
export async function setUpStore(
  name: StoreName,
  leaseMs: number | undefined,
): Promise<{ readonly location: StoreLocation; readonly clear: () => Promise<void> } | undefined> {
  const run = randomBytes(6).toString("hex");
  const setup = await SETUPS[name](run);
  if (setup === undefined) return undefined;
  return { location: { name, address: setup.address, run, leaseMs }, clear: setup.clear };
}
