/**
 * Idempotency keys in SQLite.
 *
 * @module malipo/idempotency/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { SqliteRoom } from "../../storage/sqlite/sqlite-room.ts";
import type { IdempotencyStore } from "../idempotency-store.ts";
import { type SqlIdempotencyOptions, sqlIdempotency } from "../sql-store.ts";
import { KEYS } from "../tables.ts";

export type { SqlIdempotencyOptions as SqliteIdempotencyOptions } from "../sql-store.ts";
export type { IdempotencyStoreOptions } from "../store-options.ts";

/** A path, or a database that is open already. */
export type SqliteSource = string | DatabaseSync;

/** An idempotency store in a SQLite file. */
export interface SqliteIdempotency extends IdempotencyStore {
  /** Closes the file. Call it when the process stops. */
  close(): void;
}

/**
 * Remembers idempotency keys in a SQLite file: one key makes at most one prompt across all processes
 * on this machine that share the file, and across crashes and power cuts. It needs no server and no
 * other package.
 *
 * Leases and the retention are measured by the time since the machine started, so a wall clock that is
 * set changes neither. Time in which the machine is off or asleep does not count.
 *
 * A file that another process has locked is waited for up to five seconds, while the event loop goes
 * on. A file that was deleted or replaced while the process used it is noticed, and nothing is sent.
 *
 * The guarantee covers one machine. If the file is lost or restored from a backup, newer keys are
 * lost too.
 *
 * @param path - The file. It is created if it does not exist, readable only by its owner. It must
 * not be on a network file system. An open `DatabaseSync` is used unchanged.
 * @throws {ConfigurationError} for a wrong option, in a runtime without `node:sqlite`, and for a table
 * of another version of malipo.
 * @throws {Error} if the file cannot be opened, or is not a SQLite database.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 * import { sqliteIdempotency } from "malipo/idempotency/sqlite";
 *
 * const gateway = new Gateway({ idempotency: sqliteIdempotency("/var/lib/shop/payments.db") });
 * ```
 */
export function sqliteIdempotency(
  path: SqliteSource,
  options: SqlIdempotencyOptions = {},
): SqliteIdempotency {
  const room = new SqliteRoom(path, { now: () => Date.now() });
  const tables = room.tables(KEYS);
  const store = sqlIdempotency(tables, options);
  // If it fails, the first call says why.
  tables.open().catch(() => {});
  return { ...store, close: () => void room.close() };
}
