import type { DatabaseSync } from "node:sqlite";
import type { IdempotencyStore } from "../../../src/idempotency/idempotency-store.ts";
import { type SqlIdempotencyOptions, sqlIdempotency } from "../../../src/idempotency/sql-store.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import { SqliteRoom } from "../../../src/storage/sqlite/sqlite-room.ts";

/** A path, or a database that is open already. */
export type SqliteSource = string | DatabaseSync;

/** An idempotency store in a SQLite file. */
export interface SqliteIdempotency extends IdempotencyStore {
  /** Closes the file. Call it when the process stops. */
  close(): void;
}

/** Keys in a room that nothing else uses. */
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
