import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { formatOf } from "../../../storage/sqlite/meta.ts";
import { makeDurable } from "../../../storage/sqlite/open-file.ts";
import { inTransaction } from "../../../storage/sqlite/transaction.ts";
import { OTHER_QUEUE } from "../kinds.ts";
import { type Dialect, LEDGER_FORMAT, ledgerTables, writeRetention } from "../ledger/tables.ts";

/** The tables of a file. */
export const DIALECT: Dialect = {
  tables: {
    events: "malipo_inbox",
    conflicts: "malipo_inbox_conflicts",
    doubles: "malipo_inbox_double_payments",
    meta: "malipo_inbox_meta",
  },
  types: { bytes: "BLOB", integer: "INTEGER" },
  noBytes: "x''",
  /**
   * `due_at`, of a pending event: when it is due, or when its lease ends. It is time since the machine
   * started, which all its processes share and which cannot be set. `token`: of the lease.
   */
  eventColumns: `
    id INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    token INTEGER,`,
  suffix: " STRICT",
};

const INDEXES = [
  // All that stats() counts, so that no row is read for it.
  "malipo_inbox_due ON malipo_inbox (queue, due_at, token, attempts, received_at) WHERE state = 'pending'",
  "malipo_inbox_dead ON malipo_inbox (received_at, key) WHERE state = 'dead'",
  "malipo_inbox_forget ON malipo_inbox (forget_at) WHERE forget_at IS NOT NULL",
  "malipo_inbox_open ON malipo_inbox_conflicts (received_at, key, digest) WHERE state = 'open'",
  "malipo_inbox_decided ON malipo_inbox_conflicts (forget_at) WHERE forget_at IS NOT NULL",
  // For a process that takes only some kinds of the queue of all others.
  `malipo_inbox_other ON malipo_inbox (kind, due_at, token, attempts, received_at) WHERE state = 'pending' AND queue = '${OTHER_QUEUE}'`,
];

/** What makes the tables where there are none, as SQL for a user who runs it himself. */
export const TABLE_SQL: string = [
  ...ledgerTables(DIALECT),
  ...INDEXES.map((index) => `CREATE INDEX ${index}`),
  `INSERT INTO ${DIALECT.tables.meta} VALUES ('format', '${LEDGER_FORMAT}')`,
].join(";\n");

const unknownFormat = (format: number) =>
  new ConfigurationError(
    `its inbox has format ${format}, and this version of malipo reads format ${LEDGER_FORMAT}. Run the version that wrote it until receiver.stats() counts nothing that waits, and then pass the path of a new file.`,
  );

function createTables(database: DatabaseSync): void {
  const { events, meta } = DIALECT.tables;
  const format = formatOf(database, meta, events);
  if (format === LEDGER_FORMAT) return;
  if (format !== undefined) throw unknownFormat(format);
  database.exec(TABLE_SQL);
}

/**
 * Makes an open file a durable store with the tables of an inbox.
 *
 * @throws {ConfigurationError} for the tables of another version; other errors if the file is locked.
 */
export function setUp(database: DatabaseSync, retentionMs: number): void {
  makeDurable(database);
  // A delivery touches the index of keys at random: the later a page is written back, the more changes
  // are written at once. This allows 40 MB of log.
  database.exec("PRAGMA wal_autocheckpoint = 10000");
  // In a transaction, since another process may do the same. A read-only file is found out now, not at
  // the first delivery.
  inTransaction(database, () => {
    createTables(database);
    database.exec(writeRetention(DIALECT.tables.meta, retentionMs));
  });
}
