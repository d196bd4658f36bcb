/** The number of this layout of the tables. A version rejects every other one. */
export const LEDGER_FORMAT = 1;

/** The differences between the two databases of a ledger. */
export interface Dialect {
  /** The names of the tables, quoted if they need it. */
  readonly tables: Readonly<Record<"events" | "conflicts" | "doubles" | "meta", string>>;
  readonly types: { readonly bytes: string; readonly integer: string };
  /** The literal of no bytes. */
  readonly noBytes: string;
  /** Columns of events beside those of the ledger, each followed by a comma. */
  readonly eventColumns: string;
  /** What follows the columns of a table. */
  readonly suffix: string;
}

/**
 * A query: the retention with which a process last opened the inbox. A person who drops an event from a
 * shell has it remembered for as long.
 */
export const retentionQuery = (meta: string): string =>
  `SELECT value FROM ${meta} WHERE name = 'retention'`;

/** A statement: writes the retention, if it is another one. */
export const writeRetention = (meta: string, retentionMs: number): string => `
  INSERT INTO ${meta} AS m VALUES ('retention', '${retentionMs}')
  ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE m.value <> excluded.value`;

/**
 * The tables of a ledger. Keys and digests are bytes, not hexadecimal digits: every insert touches the
 * index of the keys at random, so it must be small.
 *
 * - events: a processed event has no body any more; its key and its digest recognise duplicates until
 *   `forget_at`, which is empty for an event that is remembered without end.
 * - conflicts: a decided one (requeued or dropped) has no body any more, and is remembered in the same
 *   way from the decision on.
 */
export function ledgerTables({ tables, types, eventColumns, suffix }: Dialect): readonly string[] {
  const { bytes, integer } = types;
  const delivery = `
    digest ${bytes} NOT NULL,
    kind TEXT NOT NULL,
    raw ${bytes} NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at ${integer} NOT NULL,
    signed_at ${integer},
    signature TEXT,
    trace_context TEXT,
    source TEXT,
    forget_at ${integer}`;
  return [
    `CREATE TABLE IF NOT EXISTS ${tables.events} (${eventColumns}
    key ${bytes} NOT NULL UNIQUE,${delivery},
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT
  )${suffix}`,
    `CREATE TABLE IF NOT EXISTS ${tables.conflicts} (
    key ${bytes} NOT NULL,${delivery},
    state TEXT NOT NULL CHECK (state IN ('open', 'decided')),
    PRIMARY KEY (key, digest)
  )${suffix}`,
    `CREATE TABLE IF NOT EXISTS ${tables.doubles} (
    id TEXT PRIMARY KEY,
    "by" TEXT NOT NULL,
    value TEXT NOT NULL,
    reference_1 TEXT NOT NULL,
    reference_2 TEXT NOT NULL,
    merchant TEXT,
    received_at ${integer} NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'decided'))
  )${suffix}`,
    `CREATE TABLE IF NOT EXISTS ${tables.meta} (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  )${suffix}`,
  ];
}
