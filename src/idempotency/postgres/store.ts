/**
 * Idempotency keys in PostgreSQL.
 *
 * @module malipo/idempotency/postgres
 */

import { ConfigurationError } from "../../errors/configuration.ts";
import { checkOptions, checkText, type OptionRows } from "../../internal/check-options.ts";
import { makeTables } from "../../storage/postgres/make-tables.ts";
import { checkNameLength } from "../../storage/postgres/name-length.ts";
import type { PostgresClient } from "../../storage/postgres/pool-types.ts";
import { createDigest } from "../digest.ts";
import { isReadable, scopedKey, unknownFormat } from "../format.ts";
import type { IdempotencyStore } from "../idempotency-store.ts";
import { recordStore } from "../record-store.ts";
import { type Row, type RunStatement, sqlRecords, type Values } from "../sql/records.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../store-options.ts";
import {
  FORMAT_COMMENT,
  INDEX_SUFFIX,
  recordStatementsFor,
  tableStatementsFor,
} from "./statements.ts";

export type { PostgresClient, PostgresResult } from "../../storage/postgres/pool-types.ts";
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

/** Runs the statements of one table. */
function statementsOn(pool: PostgresClient, table: string, scope: string) {
  const texts = tableStatementsFor(table);
  const statementOf = recordStatementsFor(table);
  let checked: Promise<void> | undefined;

  /** @throws {ConfigurationError} for a table in another format. */
  const checkFormat = async (): Promise<void> => {
    const { rows } = await pool.query<{ comment: string | null }>(texts.comment);
    const comment = rows[0]?.comment ?? "";
    const format = comment.startsWith(FORMAT_COMMENT) ? comment.slice(FORMAT_COMMENT.length) : 0;
    if (!isReadable(format)) {
      throw new ConfigurationError(
        `postgresIdempotency cannot use the table ${table}: ${unknownFormat(format, "another `table`")}`,
      );
    }
  };
  /** Checks it once. A failure is forgotten. */
  const checkOnce = (): Promise<void> => {
    checked ??= checkFormat().catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    return checked;
  };
  const migrate = async () => {
    await makeTables(() => pool.query(texts.migrate));
    await checkOnce();
  };
  /** Statements have no names: a pooler may give each one another connection. */
  const run: RunStatement = async (name, values) => {
    await checkOnce();
    const key = scopedKey(scope, String(values.key));
    const given: Values = { ...values, key };
    const { text, names } = statementOf(name);
    const { rows } = await pool.query<Row>(
      text,
      names.map((one) => given[one]),
    );
    return rows;
  };
  return { migrate, run };
}

const TABLE_NAME = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/;
const TABLE_EXPECTED =
  "lower-case letters, digits and underscores, with or without a schema before a dot";

function checkTable(given: string): string {
  const table = checkText("table", given, TABLE_NAME, TABLE_EXPECTED);
  const [name = "", schema = ""] = table.split(".").reverse();
  checkNameLength("table", name, INDEX_SUFFIX);
  checkNameLength("table", schema);
  return table;
}

const OPTIONS = {
  table: (table = "malipo_idempotency") => checkTable(table),
  ...STORE_OPTIONS,
} satisfies OptionRows<PostgresIdempotencyOptions>;

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
  pool: PostgresClient,
  options: PostgresIdempotencyOptions = {},
): PostgresIdempotency {
  const own = checkOptions(options, OPTIONS, "postgresIdempotency");
  const { retentionMs, scope, pepper, table } = own;
  const { migrate, run } = statementsOn(pool, table, scope);
  const store = recordStore(sqlRecords(run, retentionMs), createDigest(pepper), scope);
  return { ...store, migrate };
}
