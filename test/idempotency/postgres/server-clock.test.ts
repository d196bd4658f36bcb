import { Pool } from "pg";
import { afterAll } from "vitest";
import { keepsTimeByServerClock } from "../../suites/idempotency-server-clock.ts";
import { startWithClock } from "../../support/engines/clock.ts";
import { postgresRecipe } from "../../support/engines/postgres.ts";
import { postgresKeys } from "../../support/key-stores.ts";

const engine = await startWithClock(postgresRecipe());
const pool = engine && new Pool({ connectionString: engine.url });
pool?.on("error", () => {});
// A connection to a server whose clock is set may not end before the server does.
afterAll(() => Promise.all([pool?.end(), engine?.stop()]));

keepsTimeByServerClock("PostgreSQL", engine, async (options) =>
  postgresKeys(pool as Pool, "malipo_clock", options),
);
