/**
 * Idempotency keys in PostgreSQL.
 *
 * @module malipo/idempotency/postgres
 */

import type pg from "pg";
import { checkText } from "../../internal/check-options.ts";
import type { Component } from "../../storage/component.ts";
import type { Dialect } from "../../storage/dialect.ts";
import type { PostgresPool } from "../../storage/postgres/pool-types.ts";
import { PostgresRoom } from "../../storage/postgres/postgres-room.ts";
import type { IdempotencyStore } from "../idempotency-store.ts";
import { sqlIdempotency } from "../sql-store.ts";
import type { IdempotencyStoreOptions } from "../store-options.ts";
import { KEYS, type KeyStatement } from "../tables.ts";

export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
} from "../../storage/postgres/pool-types.ts";
export type { IdempotencyStoreOptions } from "../store-options.ts";

/** An idempotency store in PostgreSQL. */
export interface PostgresIdempotency extends IdempotencyStore {
  /**
   * Makes the table if it does not exist. The first call does so, too.
   *
   * @throws {ConfigurationError} for a table of another version of malipo.
   */
  migrate(): Promise<void>;
}

/** How idempotency keys are remembered in PostgreSQL. */
export interface PostgresIdempotencyOptions extends IdempotencyStoreOptions {
  /**
   * The name of the table, with or without a schema: `payments.malipo_idempotency`. Set it if two applications
   * share a database.
   *
   * @default "malipo_idempotency", in the schema `public`
   */
  table?: string | undefined;
}

const TABLE_NAME = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/;
const TABLE_EXPECTED =
  "lower-case letters, digits and underscores, with or without a schema before a dot";

/** The component with another name of its table. */
function keysIn(table: string): Component<KeyStatement> {
  const renamed = (dialect: Dialect): Dialect => ({
    ...dialect,
    table: (_, part) => dialect.table(table, part),
  });
  return {
    ...KEYS,
    name: table,
    migrations: KEYS.migrations.map(({ format, sql }) => ({
      format,
      sql: (dialect) => sql(renamed(dialect)),
    })),
    statements: (dialect) => KEYS.statements(renamed(dialect)),
  };
}

/**
 * Remembers idempotency keys in PostgreSQL: one key makes at most one prompt across all machines
 * that share the database, and across crashes of the machines and of the database.
 *
 * Every change is on the disk before it is acknowledged, whatever `synchronous_commit` is set to. It
 * works behind PgBouncer in transaction mode. It ends if the database loses what it acknowledged: with
 * `fsync = off`, or when a standby that is replicated asynchronously takes over. Leases are measured
 * by the clock of the database: a clock that jumps forward ends them early.
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
 * const gateway = new Gateway({ idempotency: postgresIdempotency(new pg.Pool()) });
 * ```
 */
export function postgresIdempotency(
  pool: PostgresPool,
  { table: given = "malipo_idempotency", ...options }: PostgresIdempotencyOptions = {},
): PostgresIdempotency {
  const table = checkText("table", given, TABLE_NAME, TABLE_EXPECTED);
  const [name = "", schema = "public"] = table.split(".").reverse();
  const room = new PostgresRoom({
    pool: pool as pg.Pool,
    isOwnPool: false,
    schema,
    transact: undefined,
    now: undefined,
  });
  const tables = room.tables(keysIn(name));
  return { ...sqlIdempotency(tables, options), migrate: () => tables.open() };
}
