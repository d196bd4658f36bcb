import type { Db } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import type { LedgerRow } from "../ledger/rows.ts";
import { type Dialect, LEDGER_FORMAT, ledgerTables, writeRetention } from "../ledger/tables.ts";

/** Runs a statement. Resolves with its rows. */
export async function rows(db: Db, text: string, values: unknown[] = []): Promise<LedgerRow[]> {
  return (await db.executeSql(text, values)).rows;
}

/** The tables of an inbox, in the words of PostgreSQL. */
export function dialectOf(schema: string, inbox: string): Dialect {
  const table = (name: string) => `${schema}."${inbox}_${name}"`;
  return {
    tables: {
      events: table("events"),
      conflicts: table("conflicts"),
      doubles: table("doubles"),
      meta: table("meta"),
    },
    types: { bytes: "BYTEA", integer: "BIGINT" },
    noBytes: "''",
    eventColumns: "due_at BIGINT,",
    suffix: "",
  };
}

/** Creates the tables if they are missing. @throws {ConfigurationError} for another format. */
export async function createTables(
  db: Db,
  { schema, retentionMs }: { readonly schema: string; readonly retentionMs: number },
  dialect: Dialect,
): Promise<void> {
  const { events, conflicts, meta } = dialect.tables;
  const [found] = await rows(db, "SELECT to_regclass($1) AS name", [meta]);
  if (found?.name === null) {
    // Held until COMMIT: two processes may start at the same time.
    await db.executeSql("SELECT pg_advisory_xact_lock(hashtext('malipo'))");
    const [existing] = await rows(db, "SELECT to_regnamespace($1) AS name", [schema]);
    if (existing?.name === null) await db.executeSql(`CREATE SCHEMA ${schema}`);
    for (const statement of [
      ...ledgerTables(dialect),
      `CREATE INDEX ON ${events} (received_at) WHERE state = 'pending'`,
      `CREATE INDEX ON ${events} (due_at) WHERE state = 'pending' AND attempts > 0`,
      `CREATE INDEX ON ${events} (received_at, key) WHERE state = 'dead'`,
      `CREATE INDEX ON ${events} (forget_at) WHERE forget_at IS NOT NULL`,
      `CREATE INDEX ON ${conflicts} (received_at, key, digest) WHERE state = 'open'`,
      `CREATE INDEX ON ${conflicts} (forget_at) WHERE forget_at IS NOT NULL`,
      `INSERT INTO ${meta} VALUES ('format', '${LEDGER_FORMAT}'), ('queues', '{}') ON CONFLICT DO NOTHING`,
    ]) {
      await db.executeSql(statement);
    }
  }
  const [row] = await rows(db, `SELECT value FROM ${meta} WHERE name = 'format'`);
  if (row?.value === String(LEDGER_FORMAT)) {
    await db.executeSql(writeRetention(meta, retentionMs));
    return;
  }
  throw new ConfigurationError(
    `The tables of this inbox (${meta}) have format ${row?.value}, and this version of malipo reads format ${LEDGER_FORMAT}. Use the version that wrote them, or set \`queue\` to another name. See "Upgrade and go back" in the manual.`,
  );
}
