import type { DatabaseSync } from "node:sqlite";

/**
 * Keys and digests are stored as bytes, not as hexadecimal digits: every insert touches the index of
 * the keys at random, so it must be small.
 *
 * `due_at` depends on the state. `ready`: when the row falls due, in wall-clock time. `done`: until when
 * it is remembered, in wall-clock time. `leased`: when the lease expires, in time since the machine
 * started, which all its processes share and nobody sets.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS malipo_inbox (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    event TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    signature TEXT,
    trace_context TEXT,
    state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'leased', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    token TEXT,
    error TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS malipo_inbox_conflicts (
    key BLOB NOT NULL,
    digest BLOB NOT NULL,
    event TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    signature TEXT,
    trace_context TEXT,
    PRIMARY KEY (key, digest)
  ) STRICT;
`;

const INDEXES = `
  CREATE INDEX IF NOT EXISTS malipo_inbox_due ON malipo_inbox (state, due_at);
  CREATE INDEX IF NOT EXISTS malipo_inbox_ready ON malipo_inbox (event, due_at) WHERE state = 'ready';
  CREATE INDEX IF NOT EXISTS malipo_inbox_dead ON malipo_inbox (received_at, key) WHERE state = 'dead';
`;

/** Columns that files of earlier versions do not have. */
const LATER_COLUMNS = ["signature", "trace_context"];

/** Creates the tables, or adds to those of an earlier version. */
export function createTables(database: DatabaseSync): void {
  database.exec(TABLES);
  const columns = database.prepare("SELECT name FROM pragma_table_info(?)");
  for (const table of ["malipo_inbox", "malipo_inbox_conflicts"]) {
    const names = columns.all(table).map(({ name }) => name);
    for (const column of LATER_COLUMNS) {
      if (!names.includes(column)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`);
    }
  }
  database.exec(INDEXES);
}
