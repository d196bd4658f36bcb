import type { DatabaseSync } from "node:sqlite";
import type { IdempotencyStore } from "malipo";
import type mysql from "mysql2/promise";
import type pg from "pg";
import { type SqlIdempotencyOptions, sqlIdempotency } from "../../src/idempotency/sql-store.ts";
import { KEYS, type KeyStatement } from "../../src/idempotency/tables.ts";
import { MysqlRoom } from "../../src/storage/mysql/mysql-room.ts";
import { PostgresRoom } from "../../src/storage/postgres/postgres-room.ts";
import type { Room, Tables } from "../../src/storage/room.ts";
import { SqliteRoom } from "../../src/storage/sqlite/sqlite-room.ts";

/** A store of idempotency keys on a database of its own. */
export interface KeyStore extends IdempotencyStore {
  readonly tables: Tables<KeyStatement>;
  close(): Promise<void>;
}

function keyStore(room: Room, options: SqlIdempotencyOptions = {}): KeyStore {
  const tables = room.tables(KEYS);
  return { ...sqlIdempotency(tables, options), tables, close: () => room.close() };
}

/** Keys in a SQLite file. */
export const sqliteKeys = (
  source: string | DatabaseSync,
  options?: SqlIdempotencyOptions,
): KeyStore => keyStore(new SqliteRoom(source, { now: () => Date.now() }), options);

/** Keys in a schema of PostgreSQL: its table is `idempotency`. */
export const postgresKeys = (
  pool: pg.Pool,
  schema: string,
  options?: SqlIdempotencyOptions,
): KeyStore => {
  const own = { isOwnPool: false, transact: undefined, now: undefined };
  return keyStore(new PostgresRoom({ ...own, pool, schema }), options);
};

/** Keys in a database of MySQL or MariaDB: its table is `malipo_idempotency`. */
export const mysqlKeys = (pool: mysql.Pool, options?: SqlIdempotencyOptions): KeyStore =>
  keyStore(new MysqlRoom({ source: pool, transact: undefined, now: undefined }), options);
