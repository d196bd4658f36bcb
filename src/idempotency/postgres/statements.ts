import { STORE_FORMAT } from "../format.ts";
import { parametersOf, statementsFor } from "../sql/statements.ts";

// Whole milliseconds, so that a page can go on exactly after the one before it.
const NOW = "date_trunc('milliseconds', clock_timestamp())";

// A commit is on the disk before it is acknowledged, whatever the database or the role is set to. The
// setting ends with the transaction, so a connection of a pool keeps its own.
/** A condition that is always true. */
export const DURABLE: string = `set_config('synchronous_commit', CASE current_setting('synchronous_commit')
  WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) <> ''`;

const TYPES: Readonly<Record<string, string>> = {
  lease_ms: "bigint",
  retention: "float8",
  after_at: "float8",
  count: "bigint",
};

/** A statement with its values by their numbers, as PostgreSQL takes them. */
function numbered(sql: string): { readonly text: string; readonly names: readonly string[] } {
  const names = parametersOf(sql);
  const numberOf = (_: string, name: string) =>
    `$${names.indexOf(name) + 1}::${TYPES[name] ?? "text"}`;
  return { text: sql.replaceAll(/\$(\w+)/g, numberOf), names };
}

/** The comment of the table says in which format it is. */
export const FORMAT_COMMENT = "Idempotency keys of malipo, format ";

/** An index is always in the schema of its table. */
const indexOf = (table: string, column: string) => `${table.replace(/^.*\./, "")}_${column}`;

/** What follows the name of the table in the longest name of an index. */
export const INDEX_SUFFIX = "_reference";

/** The statements that create the table and tell its format. */
export const tableStatementsFor = (table: string) => ({
  // The lock, since PostgreSQL fails if two connections create a table at the same time. It ends
  // with the transaction that these statements are sent as.
  migrate: `
    SELECT pg_advisory_xact_lock(hashtext('malipo'));
    DO $$ BEGIN IF to_regclass('${table}') IS NULL THEN
    CREATE TABLE ${table} (
      key text COLLATE "C" PRIMARY KEY,
      version integer NOT NULL,
      state text NOT NULL,
      owner text NOT NULL,
      endpoint text NOT NULL,
      idempotency_key text NOT NULL,
      base_url text NOT NULL,
      scope text NOT NULL,
      begun_at timestamptz NOT NULL,
      lease_from timestamptz NOT NULL,
      lease_ms bigint NOT NULL,
      parameters text NOT NULL,
      account_reference text,
      amount text,
      phone text,
      result text,
      keep_until timestamptz
    );
    COMMENT ON TABLE ${table} IS '${FORMAT_COMMENT}${STORE_FORMAT}';
    CREATE INDEX ${indexOf(table, "begun_at")} ON ${table} (begun_at, key);
    CREATE INDEX ${indexOf(table, "open")} ON ${table} (begun_at, key)
      WHERE state <> 'succeeded';
    CREATE INDEX ${indexOf(table, "reference")}
      ON ${table} (account_reference, begun_at, key) WHERE account_reference IS NOT NULL;
    END IF; END $$
  `,
  comment: `SELECT obj_description('${table}'::regclass, 'pg_class') AS comment`,
});

/** The statements on the records of a table, by the names of their operations. */
export function recordStatementsFor(table: string) {
  const statements = statementsFor({
    table,
    now: { wall: NOW, lease: NOW, retention: NOW },
    later: (time, ms) => `${time} + ${ms} * interval '1 ms'`,
    inMs: (time) => `(extract(epoch FROM ${time}) * 1000)::float8`,
    fromMs: (ms) => `to_timestamp(${ms} / 1000)`,
    durable: DURABLE,
  });
  return (name: keyof typeof statements) => numbered(statements[name]);
}
