/**
 * Idempotency keys in PostgreSQL.
 *
 * @module malipo/idempotency/postgres
 */

import type { Pool } from "pg";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { checkOptionNames } from "../../../internal/check-options.ts";
import { digestOf } from "../digest.ts";
import { beginResult, type StoredRecord, unresolvedResult } from "../record.ts";
import {
  checkRetention,
  DEFAULT_RETENTION_MS,
  type IdempotencyStore,
  RECORD_VERSION,
} from "../store.ts";

/** An idempotency store in PostgreSQL. */
export interface PostgresIdempotency extends IdempotencyStore {
  /** Creates the table where it does not exist. Run it where you run your own migrations. */
  migrate(): Promise<void>;
}

/** How idempotency keys are remembered in PostgreSQL. */
export interface PostgresIdempotencyOptions {
  /**
   * The name of the table, with or without a schema: `payments.malipo_idempotency`. Set it where your
   * tables follow a naming rule, or where two applications share a database.
   *
   * @default "malipo_idempotency"
   */
  table?: string | undefined;
  /**
   * How long a result is remembered, in milliseconds. Raise it where an order may be paid again with
   * its old key after more than a month. Attempts of unknown outcome are kept until they are resolved.
   *
   * @default 30 days
   */
  retentionMs?: number | undefined;
}

const RESOLVABLE = `version <= ${RECORD_VERSION}
  AND (state = 'unknown' OR (state = 'in_flight' AND lease_until <= clock_timestamp()))`;

const ownedBy = (parameter: string) => `AND owner = coalesce(${parameter}::text, owner)`;

// One statement for each operation: PostgreSQL makes each atomic and durable. Leases are on its clock,
// which all processes share. A resolved record has no owner, so that its old owner cannot change it.
const statementsFor = (table: string) => ({
  // The lock, since PostgreSQL fails where two connections create a table at the same time.
  migrate: `
    SELECT pg_advisory_xact_lock(hashtext('malipo'));
    CREATE TABLE IF NOT EXISTS ${table} (
      key text PRIMARY KEY,
      version integer NOT NULL,
      state text NOT NULL,
      digest text NOT NULL,
      owner text NOT NULL,
      lease_until timestamptz NOT NULL,
      result text,
      keep_until timestamptz
    )
  `,
  begin: `
    INSERT INTO ${table} AS stored (key, version, state, digest, owner, lease_until)
    VALUES ($1, ${RECORD_VERSION}, 'in_flight', $2, $3, clock_timestamp() + $4 * interval '1 ms')
    ON CONFLICT (key) DO UPDATE
      SET version = excluded.version, state = excluded.state, digest = excluded.digest,
          owner = excluded.owner, lease_until = excluded.lease_until, result = NULL, keep_until = NULL
      WHERE stored.keep_until <= clock_timestamp() AND stored.version <= ${RECORD_VERSION}
  `,
  read: `
    SELECT version, state, digest, owner, result, lease_until <= clock_timestamp() AS "leaseOver"
    FROM ${table} WHERE key = $1
  `,
  finish: `
    UPDATE ${table} SET state = $3, result = $4,
      keep_until = CASE WHEN $3 = 'succeeded' THEN clock_timestamp() + $5 * interval '1 ms' END
    WHERE key = $1 AND owner = $2
  `,
  forget: `DELETE FROM ${table} WHERE key = $1 AND owner = $2`,
  resolve: `
    UPDATE ${table} SET state = 'succeeded', result = $2, owner = '',
      keep_until = clock_timestamp() + $3 * interval '1 ms'
    WHERE key = $1 AND ${RESOLVABLE} ${ownedBy("$4")}
  `,
  free: `DELETE FROM ${table} WHERE key = $1 AND ${RESOLVABLE} ${ownedBy("$2")}`,
});

/**
 * Remembers idempotency keys in PostgreSQL: one key makes at most one prompt across all machines
 * that share the database, and across crashes of the machines and of the database.
 *
 * Expired rows stay until their key is used again. To drop them, run
 * `DELETE FROM malipo_idempotency WHERE keep_until < now()`.
 *
 * @param pool - A `pg` pool. You end it yourself. Give it an `error` listener, as pg asks: without
 * one, a lost connection to the database ends the process.
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 * import { postgresIdempotency } from "malipo/idempotency/postgres";
 * import pg from "pg";
 *
 * const idempotency = postgresIdempotency(new pg.Pool());
 * await idempotency.migrate();
 * const gateway = new Gateway({ idempotency });
 * ```
 */
export function postgresIdempotency(
  pool: Pick<Pool, "query">,
  options: PostgresIdempotencyOptions = {},
): PostgresIdempotency {
  checkOptionNames(options, ["table", "retentionMs"], "postgresIdempotency");
  const { table = "malipo_idempotency", retentionMs = DEFAULT_RETENTION_MS } = options;
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(table)) {
    throw new ConfigurationError(
      `\`table\` must be lower-case letters, digits and underscores, with or without a schema before a dot; got ${JSON.stringify(table)}.`,
    );
  }
  checkRetention(retentionMs);
  const statements = statementsFor(table);
  const run = (name: keyof typeof statements, ...values: unknown[]) =>
    pool.query({ text: statements[name], ...(values.length > 0 && { values }) });
  const read = async (key: string): Promise<StoredRecord | undefined> =>
    (await run("read", key)).rows[0];

  return {
    migrate: async () => {
      await run("migrate");
    },
    begin: async (key, { parameters, owner, leaseMs }) => {
      const digest = digestOf(parameters);
      for (;;) {
        const { rowCount } = await run("begin", key, digest, owner, leaseMs);
        if (rowCount === 1) return { state: "begun" };
        const record = await read(key);
        // Another process may have freed the key between the two statements.
        if (record !== undefined) return beginResult(record, digest);
      }
    },
    finish: async (key, owner, end) => {
      const result = end.state === "succeeded" ? end.result : null;
      await run("finish", key, owner, end.state, result, retentionMs);
    },
    forget: async (key, owner) => {
      await run("forget", key, owner);
    },
    resolve: async (key, result, owner) => {
      const { rowCount } =
        result === undefined
          ? await run("free", key, owner ?? null)
          : await run("resolve", key, result, retentionMs, owner ?? null);
      return rowCount === 1 ? "unknown" : unresolvedResult(await read(key));
    },
  };
}
