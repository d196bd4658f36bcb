/**
 * Orders in SQLite.
 *
 * @module malipo/checkout/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { sqliteIdempotency } from "../../idempotency/sqlite/store.ts";
import { KEYS } from "../../idempotency/tables.ts";
import { checkOptions, type OptionRows } from "../../internal/check-options.ts";
import { type BetterSqlite3, sharedDatabase } from "../../storage/sqlite/shared-database.ts";
import { SqliteRoom } from "../../storage/sqlite/sqlite-room.ts";
import { sqliteInbox } from "../../webhooks/inbox/sqlite/inbox.ts";
import { INBOX } from "../../webhooks/inbox/tables.ts";
import type { CheckoutStore } from "../checkout-store.ts";
import { sqlCheckout } from "../sql-store.ts";
import { ORDERS } from "../tables.ts";

export type { BetterSqlite3 } from "../../storage/sqlite/shared-database.ts";

/** Options of a store in SQLite. */
export interface SqliteCheckoutOptions {
  /**
   * A secret that keys the digests of phones. Keep it outside the file. Set it if others may read the
   * file.
   *
   * @default none
   */
  pepper?: string | Uint8Array | undefined;
  /** @internal The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

const OPTIONS = {
  /** The store of idempotency keys checks it. */
  pepper: (pepper) => pepper,
  now: (now = Date.now) => now,
} satisfies OptionRows<SqliteCheckoutOptions>;

/** What `transaction` of `onPaid` passes on: the database that was given, or that of the path. */
export type ConnectionOf<Source> = Source extends string ? DatabaseSync : Source;

/**
 * Keeps orders, attempts, idempotency keys, webhooks and reviews in a SQLite file, for all processes of
 * one machine. Use the file of your shop, so that the goods and "done" commit together.
 *
 * @param source - The path of the file, which is created if it is missing; or your own open database:
 * `DatabaseSync` of Node, or `Database` of better-sqlite3. A file belongs to one of the two libraries: do
 * not pass the path of a file that better-sqlite3 has open in the same process.
 * @throws {ConfigurationError} for a file that cannot be used.
 *
 * @example
 * ```ts
 * import { createCheckout } from "malipo/checkout";
 * import { sqliteCheckout } from "malipo/checkout/sqlite";
 *
 * const checkout = createCheckout({ store: sqliteCheckout("data/shop.db"), onPaid });
 * ```
 */
export function sqliteCheckout<Source extends string | DatabaseSync | BetterSqlite3>(
  source: Source,
  options: SqliteCheckoutOptions = {},
): CheckoutStore<ConnectionOf<Source>> {
  const { pepper, now } = checkOptions(options, OPTIONS, "sqliteCheckout");
  const room = new SqliteRoom<ConnectionOf<Source>>(source, { now });
  // The room closes the file.
  const database = sharedDatabase(room.database);
  const idempotency = sqliteIdempotency(database, { pepper });
  const inbox = sqliteInbox(database);
  let isClosed = false;
  return sqlCheckout(room.tables(ORDERS), {
    idempotency,
    inbox,
    sql: () => room.sql([ORDERS, KEYS, INBOX]),
    open: () => room.open(),
    close: async () => {
      if (!isClosed) {
        idempotency.close();
        inbox.close();
      }
      isClosed = true;
      await room.close();
    },
  });
}
