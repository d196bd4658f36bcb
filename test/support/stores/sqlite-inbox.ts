import type { DatabaseSync } from "node:sqlite";
import { checkOptions } from "../../../src/internal/check-options.ts";
import { modeWarning, type SqliteSource } from "../../../src/storage/sqlite/open-file.ts";
import { SqliteRoom } from "../../../src/storage/sqlite/sqlite-room.ts";
import type { Inbox } from "../../../src/webhooks/inbox/inbox-types.ts";
import { INBOX_OPTIONS, type Pace } from "../../../src/webhooks/inbox/pace.ts";
import { sqlInbox } from "../../../src/webhooks/inbox/sql/inbox.ts";
import { INBOX } from "../../../src/webhooks/inbox/tables.ts";

/** An inbox in a SQLite file. */
export interface SqliteInbox extends Inbox {
  /** The database, for your own tables that a handler's `transaction` writes. */
  readonly database: DatabaseSync;
  /** Closes the file. Call it after `receiver.stop()`. */
  close(): void;
}

/** An inbox on a room that nothing else uses. */
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
