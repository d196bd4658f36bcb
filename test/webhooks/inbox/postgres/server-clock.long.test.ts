import { afterAll } from "vitest";
import { serverClockSuite } from "../../../suites/inbox-server-clock.ts";
import { startWithClock } from "../../../support/engines/clock.ts";
import { postgresRecipe } from "../../../support/engines/postgres.ts";
import { postgresInbox } from "../../../support/stores/postgres-inbox.ts";
import { freshSchema, pace } from "./stage.ts";

const engine = await startWithClock(postgresRecipe());
afterAll(() => engine?.stop());

serverClockSuite("postgresInbox", {
  engine,
  on: (here) => ({
    fresh: async ({ retriesAfterMs = 0 } = {}) => {
      const backoffMs = () => retriesAfterMs;
      const settings = {
        schema: freshSchema(),
        pace: { ...pace, backoffMs, minRetentionMs: 86_400_000 },
      };
      return {
        open: ({ url = here } = {}) => postgresInbox({ ...settings, connectionString: url }),
      };
    },
  }),
});
