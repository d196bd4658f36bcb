import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresIdempotency } from "malipo/idempotency/postgres";
import pg from "pg";
import { type FaultyEngine, faultyFile, faultyServer } from "../../support/engines/faults.ts";
import { startPostgres } from "../../support/engines/postgres.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { type StoreLocation, type StoreName, tableName } from "./store.ts";

/** A store that workers can open. */
interface StoreSetup {
  readonly address: string;
  /** `undefined` for a store without one. */
  readonly engine?: FaultyEngine;
  /** Deletes the data, and stops what was started. */
  clear(): Promise<void>;
}

async function onPostgres(run: string): Promise<StoreSetup | undefined> {
  const engine = await startPostgres();
  if (engine === undefined) return undefined;
  const { url: address } = engine;
  const table = tableName({ name: "postgres", address, run });
  const pool = new pg.Pool({ connectionString: address, max: 1 });
  // The campaign cuts connections. The next query opens another one.
  pool.on("error", () => {});
  await postgresIdempotency(pool, { table }).migrate();
  return {
    address,
    engine: faultyServer(engine, "postgres"),
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
    const address = join(folder, "keys.db");
    return {
      address,
      engine: faultyFile(address),
      clear: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  redis: async () => {
    const engine = await startRedis();
    // Records in an engine that we did not start expire.
    return (
      engine && {
        address: engine.url,
        engine: faultyServer(engine, "redis"),
        clear: engine.stop,
      }
    );
  },
  postgres: onPostgres,
};

/** A store for a campaign. */
export interface CampaignStore {
  readonly location: StoreLocation;
  readonly engine: FaultyEngine | undefined;
  /** Deletes the data, and stops what was started. */
  clear(): Promise<void>;
}

/** Makes a store. `undefined` if this machine has no engine for it. */
export async function setUpStore(name: StoreName): Promise<CampaignStore | undefined> {
  const run = randomBytes(6).toString("hex");
  const setup = await SETUPS[name](run);
  if (setup === undefined) return undefined;
  const { address, engine, clear } = setup;
  return { location: { name, address, run }, engine, clear };
}
