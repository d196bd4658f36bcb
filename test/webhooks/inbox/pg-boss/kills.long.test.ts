import { afterAll, describe } from "vitest";
import { pgBossInbox } from "../../../../src/webhooks/inbox/pg-boss/inbox.ts";
import { engineCrashSuite } from "../../../suites/inbox-engine.ts";
import { killSuite } from "../../../suites/inbox-kills.ts";
import { startPostgres } from "../../../support/engines/postgres.ts";
import { ORMS, type OrmName } from "../../../support/orms.ts";
import { tuning } from "./stage.ts";

const engine = await startPostgres();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

describe.skipIf(engine === undefined)("with a PostgreSQL", () => {
  killSuite("pg-boss", () => url, undefined, engine);
  engineCrashSuite("pgBossInbox", engine, (url, queue) =>
    pgBossInbox({ connectionString: url, queue, tuning }),
  );
});

describe.skipIf(engine === undefined)("pgBossInbox in a transaction of the user's client", () => {
  killSuite("pg-boss", () => url, Object.keys(ORMS) as OrmName[]);
});
