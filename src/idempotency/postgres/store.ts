/**
 * Idempotency keys in PostgreSQL.
 *
 * @module malipo/idempotency/postgres
 */

import type { Pool } from "pg";
import { ConfigurationError } from "../../errors/configuration.ts";
import { checkText } from "../../internal/check-options.ts";
import { attemptColumns, digestColumns } from "../columns.ts";
import { createDigest } from "../digest.ts";
import { STORE_FORMAT, unknownFormat } from "../format.ts";
import { checkRecord, type RawRecord, type StoredRecord } from "../record.ts";
import { isOpen, type ListedRecord, type Records, recordStore } from "../record-store.ts";
import type { IdempotencyStore } from "../store.ts";
import { checkStoreOptions, type IdempotencyStoreOptions } from "../store-options.ts";
import { FORMAT_COMMENT, statementsFor } from "./statements.ts";

export type { IdempotencyStoreOptions } from "../store-options.ts";

/** An idempotency store in PostgreSQL. */
export interface PostgresIdempotency extends IdempotencyStore {
  /**
   * Creates the table if it does not exist. Run it with your own migrations.
   *
   * @throws {ConfigurationError} for a table of another version of malipo.
   */
  migrate(): Promise<void>;
}

/** How idempotency keys are remembered in PostgreSQL. */
export interface PostgresIdempotencyOptions extends IdempotencyStoreOptions {
  /**
   * The name of the table, with or without a schema: `payments.malipo_idempotency`. Set it if your
   * tables follow a naming rule, or if two applications share a database. Name the schema if a
   * pooler may change the search path.
   *
   * @default "malipo_idempotency"
   */
  table?: string | undefined;
}

type Row = RawRecord & { readonly key: string; readonly is_behind: boolean };

/** Runs the statements of one table. */
function statementsOn(pool: Pick<Pool, "query">, table: string) {
  const texts = statementsFor(table);
  let isChecked = false;

  /** @throws {ConfigurationError} for a table in another format. */
  const checkFormat = async () => {
    const { rows } = await pool.query<{ comment: string | null }>(texts.comment);
    const comment = rows[0]?.comment ?? "";
    const format = comment.startsWith(FORMAT_COMMENT) ? comment.slice(FORMAT_COMMENT.length) : 0;
    if (String(format) !== String(STORE_FORMAT)) {
      throw new ConfigurationError(
        `postgresIdempotency cannot use the table ${table}: ${unknownFormat(format, "another `table`")}`,
      );
    }
    isChecked = true;
  };
  const migrate = async () => {
    await pool.query(texts.migrate);
    await checkFormat();
  };
  /** Statements have no names: a pooler may give each one another connection. */
  const run = async (name: keyof typeof texts, ...values: unknown[]) => {
    if (!isChecked) await checkFormat();
    return pool.query<Row>({ text: texts[name], values });
  };
  /** The record of a row, whose lease starts again if the clock is behind it. */
  const recordIn = async (key: string, row: Row): Promise<StoredRecord> => {
    const record = checkRecord(key, row);
    if (row.is_behind) await run("restartLease", key);
    return record;
  };
  const read = async (key: string): Promise<StoredRecord | undefined> => {
    const [row] = (await run("read", key)).rows;
    return row && recordIn(key, row);
  };
  return { migrate, run, read, recordIn };
}

const TABLE_NAME = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/;

/**
 * Remembers idempotency keys in PostgreSQL: one key makes at most one prompt across all machines
 * that share the database, and across crashes of the machines and of the database.
 *
 * Every change is on the disk before it is acknowledged, whatever `synchronous_commit` is set to. It
 * works behind PgBouncer in transaction mode. It ends if the database loses what it acknowledged: with
 * `fsync = off`, or when a standby that is replicated asynchronously takes over. Leases are measured
 * by the clock of the database: a clock that jumps forward ends them early.
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
  const own = checkStoreOptions(options, "postgresIdempotency", ["table"]);
  const { retentionMs, scope, pepper } = own;
  const table = checkText(
    "table",
    own.table ?? "malipo_idempotency",
    TABLE_NAME,
    "lower-case letters, digits and underscores, with or without a schema before a dot",
  );
  const { migrate, run, read, recordIn } = statementsOn(pool, table);

  const records: Records = {
    begin: async (key, record) => {
      const { rowCount } = await run("begin", key, ...Object.values(attemptColumns(record)));
      return rowCount === 1 ? "begun" : read(key);
    },
    finish: async (key, owner, end) => {
      const result = end.state === "succeeded" ? end.result : null;
      await run("finish", key, owner, end.state, result, retentionMs);
    },
    forget: async (key, owner) => {
      await run("forget", key, owner);
    },
    resolve: async (key, { result, owner }) => {
      const which = [key, scope, owner ?? null];
      const { rowCount } =
        result === undefined
          ? await run("free", ...which)
          : await run("resolve", ...which, result, retentionMs);
      return rowCount === 1 ? "resolved" : read(key);
    },
    list: async ({ state, digests, after, limit }) => {
      const name = isOpen(state) ? "listOpen" : "list";
      const position = [after?.at ?? 0, after?.id ?? "", state ?? null];
      const values = [scope, ...position, ...Object.values(digestColumns(digests)), limit + 1];
      const { rows } = await run(name, ...values);
      const listed: ListedRecord[] = [];
      for (const row of rows) listed.push([row.key, await recordIn(row.key, row)]);
      return listed;
    },
  };
  const store = recordStore(records, createDigest(pepper), scope);
  return { ...store, migrate };
}
