import { randomBytes } from "node:crypto";
import { postgres } from "malipo/postgres";
import pg from "pg";
import type { FaultyEngine } from "../../support/engines/faults.ts";
import { openEngine } from "../harness/engines.ts";
import { type StoreLocation, type StoreName, schemaName } from "./store.ts";

/** A store for a campaign. */
export interface CampaignStore {
  readonly location: StoreLocation;
  readonly engine: FaultyEngine | undefined;
  /** Deletes the data, and stops what was started. */
  clear(): Promise<void>;
}

/** Makes the tables in PostgreSQL. Resolves with what deletes it. */
async function makeSchema(location: StoreLocation): Promise<() => Promise<void>> {
  const schema = schemaName(location);
  const pool = new pg.Pool({ connectionString: location.address, max: 1 });
  // The campaign cuts connections. The next query opens another one.
  pool.on("error", () => {});
  await postgres(pool, { schema }).open();
  return async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  };
}

/** Makes a store. `undefined` if this machine has no engine for it. */
export async function openCampaignStore(name: StoreName): Promise<CampaignStore | undefined> {
  const engine = await openEngine(name);
  if (engine === undefined) return undefined;
  // Records in a Redis that we did not start expire.
  const location = { name, address: engine.url, run: randomBytes(6).toString("hex") };
  const dropSchema = name === "postgres" ? await makeSchema(location) : undefined;
  return {
    ...{ location, engine: engine.faulty },
    clear: async () => {
      await dropSchema?.();
      await engine.stop();
    },
  };
}
