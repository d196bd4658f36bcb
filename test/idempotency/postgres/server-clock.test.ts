import { Pool } from "pg";
import { afterAll } from "vitest";
import { postgresIdempotency } from "../../../src/idempotency/postgres/store.ts";
import { keepsTimeByServerClock } from "../../suites/idempotency-server-clock.ts";
import { startWithClock } from "../../support/engines/clock.ts";
import { postgresRecipe } from "../../support/engines/postgres.ts";

const engine = await startWithClock(postgresRecipe());
const pool = engine && new Pool({ connectionString: engine.url });
pool?.on("error", () => {});
afterAll(async () => {
  await pool?.end();
  await engine?.stop();
});

keepsTimeByServerClock("postgresIdempotency", engine, async (options) => {
  const store = postgresIdempotency(pool as Pool, options);
  await store.migrate();
  return store;
});
