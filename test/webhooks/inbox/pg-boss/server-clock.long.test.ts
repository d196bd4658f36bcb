import { afterAll } from "vitest";
import { pgBossInbox } from "../../../../src/webhooks/inbox/pg-boss/inbox.ts";
import { serverClockSuite } from "../../../suites/inbox-server-clock.ts";
import { startWithClock } from "../../../support/engines/clock.ts";
import { postgresRecipe } from "../../../support/engines/postgres.ts";
import { freshQueue, tuning } from "./stage.ts";

const engine = await startWithClock(postgresRecipe());
afterAll(() => engine?.stop());

serverClockSuite("pgBossInbox", {
  engine,
  on: (here) => ({
    fresh: async ({ retriesAfterMs = 0 } = {}) => {
      const queue = freshQueue();
      const pace = { ...tuning.pace, backoffMs: () => retriesAfterMs, minRetentionMs: 86_400_000 };
      const settings = { queue, tuning: { ...tuning, pace } };
      return { open: ({ url = here } = {}) => pgBossInbox({ ...settings, connectionString: url }) };
    },
  }),
});
