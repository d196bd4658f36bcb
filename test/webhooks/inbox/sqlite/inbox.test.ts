import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { afterAll } from "vitest";
import { inboxSuite } from "../../../suites/inbox.ts";
import { conflictSuite } from "../../../suites/inbox-conflicts.ts";
import { keptSuite } from "../../../suites/inbox-kept.ts";
import { killSuite } from "../../../suites/inbox-kills.ts";
import { statsSuite } from "../../../suites/inbox-stats.ts";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-inbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const pace = { leaseMs: 1_500, backoffMs: () => 5 };

inboxSuite("sqliteInbox", {
  fresh: async () => {
    const path = join(folder, `${++files}.db`);
    const open = () => sqliteInbox(path, { pace });
    return {
      open,
      conflicts: async () => {
        const { database } = open();
        const rows = database.prepare("SELECT raw FROM malipo_inbox_conflicts").all();
        return rows.map(({ raw }) => Buffer.from(raw as Uint8Array).toString());
      },
    };
  },
});

conflictSuite("sqliteInbox", () => {
  const path = join(folder, `${++files}.db`);
  return { open: () => sqliteInbox(path, { pace }) };
});

statsSuite("sqliteInbox", () => {
  const path = join(folder, `${++files}.db`);
  const slow = { ...pace, backoffMs: () => 60_000 };
  return { open: () => sqliteInbox(path, { pace: slow }) };
});

keptSuite("sqliteInbox", {
  fresh: (retentionMs) => {
    const path = join(folder, `${++files}.db`);
    return { open: () => sqliteInbox(path, { pace, retentionMs }) };
  },
});

transactionSuite("sqliteInbox", async () => {
  const inbox = sqliteInbox(join(folder, `${++files}.db`), { pace });
  inbox.database.exec("CREATE TABLE effects (effect TEXT)");
  return {
    open: () => inbox,
    write: (database, effect) => {
      const insert = (database as DatabaseSync).prepare("INSERT INTO effects VALUES (?)");
      insert.run(effect);
    },
    effects: async () => {
      const rows = inbox.database.prepare("SELECT effect FROM effects").all();
      return rows.map(({ effect }) => effect as string);
    },
  };
});

killSuite("sqlite", (path) => `${path}.db`);
