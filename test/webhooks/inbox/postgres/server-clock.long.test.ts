import { afterAll } from "vitest";
import { postgresInbox } from "../../../../src/webhooks/inbox/postgres/inbox.ts";
import { serverClockSuite } from "../../../suites/inbox-server-clock.ts";
import { startWithClock } from "../../../support/engines/clock.ts";
import { postgresRecipe } from "../../../support/engines/postgres.ts";
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
