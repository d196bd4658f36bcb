import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll } from "vitest";
import { inboxSuite } from "../../../suites/inbox.ts";
import { clockSuite } from "../../../suites/inbox-clocks.ts";
import { drainSuite } from "../../../suites/inbox-drain.ts";
import { kindsSuite } from "../../../suites/inbox-kinds.ts";
import { ledgerSuite } from "../../../suites/inbox-ledger.ts";
import { merchantSuite } from "../../../suites/inbox-merchants.ts";
import type { InboxUnderTest } from "../../../suites/inbox-stage.ts";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";
import { sqliteInbox } from "../../../support/stores/sqlite-inbox.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-inbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const pace = { leaseMs: 1_500, backoffMs: () => 5, minRetentionMs: 1 };

const UNDER_TEST: InboxUnderTest = {
  fresh: async ({ retentionMs, retriesLate, retriesAfterMs = 5 } = {}) => {
    const path = join(folder, `${++files}.db`);
    const backoffMs = () => (retriesLate ? 60_000 : retriesAfterMs);
    const options = { pace: { ...pace, backoffMs }, retentionMs };
    return { open: (given) => sqliteInbox(path, { ...options, ...given }) };
  },
};

inboxSuite("sqliteInbox", UNDER_TEST);
ledgerSuite("sqliteInbox", UNDER_TEST);
drainSuite("sqliteInbox", UNDER_TEST);
clockSuite("sqliteInbox", UNDER_TEST);
merchantSuite("sqliteInbox", UNDER_TEST);

transactionSuite("sqliteInbox", async () => {
  const inbox = sqliteInbox(join(folder, `${++files}.db`), { pace });
  inbox.database.exec("CREATE TABLE effects (effect TEXT)");
  return {
    open: () => inbox,
    write: (database, effect) => {
      const insert = (database as DatabaseSync).prepare("INSERT INTO effects VALUES (?)");
      insert.run(effect);
    },
    sql: (database, text) => (database as DatabaseSync).exec(text),
    effects: async () => {
      const rows = inbox.database.prepare("SELECT effect FROM effects").all();
      return rows.map(({ effect }) => effect as string);
    },
  };
});

const inboxOfVersion = (path: string) => async () => {
  const malipo = await import("../../../support/stores/sqlite-inbox.ts");
  return () => malipo.sqliteInbox(path, { pace });
};

kindsSuite("sqliteInbox", {
  fresh: () => inboxOfVersion(join(folder, `${++files}.db`)),
  stored: () => {
    const path = join(folder, `${++files}.db`);
    const database = new DatabaseSync(path);
    const file = new URL("./stored-data/kinds-1/inbox.sql", import.meta.url);
    database.exec(readFileSync(file, "utf8"));
    database.close();
    return inboxOfVersion(path);
  },
});
