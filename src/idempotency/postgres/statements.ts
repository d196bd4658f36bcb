import { ATTEMPT_COLUMNS, COLUMNS, listOf, REPLACE } from "../columns.ts";
import { LEASE_MARGIN_MS } from "../fence.ts";
import { STORE_FORMAT } from "../format.ts";

// Whole milliseconds, so that a page can go on exactly after the one before it.
const NOW = "date_trunc('milliseconds', clock_timestamp())";

const milliseconds = (interval: string) => `(extract(epoch FROM ${interval}) * 1000)::float8`;

// A commit is on the disk before it is acknowledged, whatever the database or the role is set to. The
// setting ends with the transaction, so a connection of a pool keeps its own.
const DURABLE = `WITH durable AS (
    SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
      WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
  )`;

/** Whether the lease has been over for that time, in milliseconds. */
const leaseOverSince = (ms: number) =>
  `lease_from <= clock_timestamp()
    AND lease_from + (lease_ms + ${ms}) * interval '1 ms' <= clock_timestamp()`;

const STATE = `CASE WHEN state = 'in_flight' AND ${leaseOverSince(0)} THEN 'unknown' ELSE state END`;

const RECORD = `key, ${listOf(COLUMNS.filter((column) => column !== "begun_at"))},
  ${milliseconds("begun_at")} AS begun_at,
  greatest(0, ${milliseconds("clock_timestamp() - lease_from")}) AS elapsed_ms,
  lease_from > clock_timestamp() AS is_behind`;

const RESOLVABLE = `key = $1 AND version = ${STORE_FORMAT} AND scope = $2
  AND ${STATE} = 'unknown' AND owner = coalesce($3::text, owner)`;

const listFrom = (table: string, condition: string) => `
    SELECT ${RECORD} FROM ${table}
    WHERE version = ${STORE_FORMAT} AND scope = $1 ${condition}
      AND (begun_at, key) > (to_timestamp($2::float8 / 1000), $3::text COLLATE "C")
      AND (keep_until IS NULL OR keep_until > clock_timestamp())
      AND ($4::text IS NULL OR ${STATE} = $4)
      AND ($5::text IS NULL OR parameters = $5)
      AND ($6::text IS NULL OR account_reference = $6)
      AND ($7::text IS NULL OR amount = $7)
      AND ($8::text IS NULL OR phone = $8)
    ORDER BY begun_at, key LIMIT $9
  `;

/** The comment of the table says in which format it is. */
export const FORMAT_COMMENT = "Idempotency keys of malipo, format ";

/** An index is always in the schema of its table. */
const indexOf = (table: string, column: string) => `${table.replace(/^.*\./, "")}_${column}`;

/**
 * One statement for each operation: PostgreSQL makes each atomic and durable, and no state of a
 * session is needed, so that a pooler may give each statement another connection. A resolved record
 * has no owner, so that its old owner cannot change it later.
 */
export const statementsFor = (table: string) => ({
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
  begin: `
    ${DURABLE}
    INSERT INTO ${table} AS stored
      (key, version, state, begun_at, lease_from, ${listOf(ATTEMPT_COLUMNS)})
    SELECT $1::text, ${STORE_FORMAT}, 'in_flight', ${NOW}, ${NOW}, $2::text, $3::text, $4::text,
      $5::text, $6::text, $7::bigint, $8::text, $9::text, $10::text, $11::text
    FROM durable
    ON CONFLICT (key) DO UPDATE SET ${REPLACE}
      WHERE stored.keep_until <= clock_timestamp() AND stored.version = ${STORE_FORMAT}
  `,
  read: `SELECT ${RECORD} FROM ${table} WHERE key = $1`,
  finish: `
    ${DURABLE}
    UPDATE ${table} SET state = $3, result = $4,
      keep_until = CASE WHEN $3 = 'succeeded' THEN clock_timestamp() + $5 * interval '1 ms' END
    FROM durable WHERE key = $1 AND owner = $2 AND version = ${STORE_FORMAT}
  `,
  forget: `
    ${DURABLE}
    DELETE FROM ${table} USING durable
    WHERE key = $1 AND owner = $2 AND version = ${STORE_FORMAT}
  `,
  resolve: `
    ${DURABLE}
    UPDATE ${table} SET state = 'succeeded', result = $4, owner = '',
      keep_until = clock_timestamp() + $5 * interval '1 ms'
    FROM durable WHERE ${RESOLVABLE}
  `,
  free: `
    ${DURABLE}
    DELETE FROM ${table} USING durable
    WHERE ${RESOLVABLE} AND ${leaseOverSince(LEASE_MARGIN_MS)}
  `,
  // The database's clock was set back since: a lease lasts no longer than its own length from here.
  restartLease: `
    ${DURABLE}
    UPDATE ${table} SET lease_from = ${NOW}
    FROM durable
    WHERE key = $1 AND lease_from > clock_timestamp() AND version = ${STORE_FORMAT}
  `,
  list: listFrom(table, ""),
  // Its own statement, so that it uses the index: every event of a payment asks for these.
  listOpen: listFrom(table, "AND state <> 'succeeded'"),
});
