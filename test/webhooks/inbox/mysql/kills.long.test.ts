import { afterAll, describe } from "vitest";
import { engineCrashSuite } from "../../../suites/inbox-engine.ts";
import { killSuite } from "../../../suites/inbox-kills.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { startMysql } from "../../../support/engines/mysql.ts";
import { mysqlInbox } from "../../../support/stores/mysql-inbox.ts";
import { freshDatabase, pace } from "./stage.ts";

const engine = await startMysql();
afterAll(() => engine?.stop());

describe.skipIf(engine === undefined)("with a MariaDB", async () => {
  const url = engine === undefined ? "" : await freshDatabase(engine as Engine);
  // Not with a server that does not reply: mysql2 waits for its end of each connection.
  killSuite("mysql", () => freshDatabase(engine as Engine));
  engineCrashSuite("mysql", engine, () => mysqlInbox(url, { pace }));
});
