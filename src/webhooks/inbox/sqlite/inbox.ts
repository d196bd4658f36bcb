/**
 * An inbox in a SQLite file: for one machine, with nothing to run beside it.
 *
 * @module malipo/inbox/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { checkOptions } from "../../../internal/check-options.ts";
import { modeWarning, type SqliteSource } from "../../../storage/sqlite/open-file.ts";
import { SqliteRoom } from "../../../storage/sqlite/sqlite-room.ts";
import type { Inbox } from "../inbox-types.ts";
import { INBOX_OPTIONS, type Pace } from "../pace.ts";
import { sqlInbox } from "../sql/inbox.ts";
import { INBOX } from "../tables.ts";

/** An inbox in a SQLite file. */
export interface SqliteInbox extends Inbox {
  /** The database, for your own tables that a handler's `transaction` writes. */
  readonly database: DatabaseSync;
  /** Closes the file. Call it after `receiver.stop()`. */
  close(): void;
}

/**
 * Stores deliveries in a SQLite file: durable before the 200, processed by any process on this machine
 * that shares the file, nothing lost at any `kill -9`. Needs only Node. A new file is readable only by
 * its owner. The body of an event is dropped when the event is processed.
 *
 * Deliveries that arrive together share one commit; each is acknowledged after it. A handler's
 * `transaction` runs its own writes to tables in this file and "processed" in one transaction.
 *
 * @param path - The file; it is created if it is missing. Not on a network file system. Another path is
 * another, empty inbox: first let the old one run empty. An open `DatabaseSync` is used unchanged.
 * @param options - `retentionMs`: how long processed events are remembered, in milliseconds, so that
 * late duplicates are recognised. Set it longer than the service retries a delivery. Default: 14 days.
 * @throws {ConfigurationError} for a file that cannot be opened or written, or is not a database. While
 * another process has the file locked, deliveries and `start` wait. After 5 s, deliveries are returned
 * with 503, and `start` calls `onError` and processes events as soon as the file is free.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { sqliteInbox } from "malipo/inbox/sqlite";
 *
 * const receiver = createWebhookReceiver({ secret, inbox: sqliteInbox("/var/lib/shop/inbox.db") });
 * ```
 */
export function sqliteInbox(
  path: SqliteSource,
  options: {
    retentionMs?: number | undefined;
    /** @internal */
    pace?: Pace | undefined;
  } = {},
): SqliteInbox {
  const { retentionMs, pace } = checkOptions(options, INBOX_OPTIONS, "sqliteInbox");
  const room = new SqliteRoom(path, { now: Date.now });
  const tables = room.tables(INBOX);
  // If the file is locked, the first call makes the tables; that call is told what is wrong with them, too.
  tables.open().catch(() => {});
  const check = () => {
    const warning = modeWarning(path);
    return warning === undefined ? [] : [warning.message];
  };
  return {
    ...sqlInbox(tables, { retentionMs, pace, check }),
    database: room.connection,
    close: () => void room.close(),
  };
}
