import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresIdempotency } from "malipo/idempotency/postgres";
import pg from "pg";
import { startPostgres } from "../../support/engines/postgres.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { type StoreName, type StorePlace, tableOf } from "./store.ts";

/** A store that workers can open, while it is there. */
interface Ground {
  readonly address: string;
  /** Takes away what it holds, and ends what was started for it. */
  clear(): Promise<void>;
}

async function onPostgres(run: string): Promise<Ground | undefined> {
  const engine = await startPostgres();
  if (engine === undefined) return undefined;
  const { url: address } = engine;
  const table = tableOf({ name: "postgres", address, run });
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

const GROUNDS: Readonly<Record<StoreName, (run: string) => Promise<Ground | undefined>>> = {
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
    // What an engine of somebody else's keeps expires: its records are results by then.
    return engine && { address: engine.url, clear: engine.stop };
  },
  postgres: onPostgres,
};

/** Makes a store. `undefined` where this machine has no engine for it. */
export async function makeStore(
  name: StoreName,
  leaseMs: number | undefined,
): Promise<{ readonly place: StorePlace; readonly clear: () => Promise<void> } | undefined> {
  const run = randomBytes(6).toString("hex");
  const ground = await GROUNDS[name](run);
  if (ground === undefined) return undefined;
  return { place: { name, address: ground.address, run, leaseMs }, clear: ground.clear };
}
