/**
 * Idempotency keys in SQLite.
 *
 * @module malipo/idempotency/sqlite
 */

import { uptimeMs } from "../../internal/retention-clock.ts";
import { warnOnce } from "../../internal/warn-once.ts";
import { attemptColumns, digestColumns } from "../columns.ts";
import { createDigest } from "../digest.ts";
import { checkRecord, type RawRecord, type StoredRecord } from "../record.ts";
import { isOpen, type Records, recordStore } from "../record-store.ts";
import type { IdempotencyStore } from "../store.ts";
import { checkStoreOptions, type IdempotencyStoreOptions } from "../store-options.ts";
import { type Opened, sqliteFile } from "./file.ts";

export type { IdempotencyStoreOptions } from "../store-options.ts";

/** An idempotency store in a SQLite file. */
export interface SqliteIdempotency extends IdempotencyStore {
  /** Closes the file. Call it when the process stops. */
  close(): void;
}

/** How idempotency keys are remembered in SQLite. */
export interface SqliteIdempotencyOptions extends IdempotencyStoreOptions {
  /**
   * Gets a warning when the clock of the machine was set by more than an hour. No key is forgotten
   * because of it. Set it to send the warning to your log.
   *
   * @default `console.warn`
   */
  onWarning?: ((warning: string) => void) | undefined;
}

type Row = RawRecord & { readonly key: string; readonly is_behind: number };

/** The record of a row, whose lease starts again if the clock is behind it. */
function recordIn(statements: Opened["statements"], key: string, row: Row, uptime: number) {
  const record = checkRecord(key, row);
  if (row.is_behind === 1) statements.restartLease.run({ key, uptime });
  return record;
}

function read(
  statements: Opened["statements"],
  key: string,
  uptime: number,
): StoredRecord | undefined {
  const row = statements.read.get({ key, uptime }) as Row | undefined;
  return row && recordIn(statements, key, row, uptime);
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
 * not be on a network file system.
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
  path: string,
  options: SqliteIdempotencyOptions = {},
): SqliteIdempotency {
  const own = checkStoreOptions(options, "sqliteIdempotency", ["onWarning"]);
  const { retentionMs, scope, pepper } = own;
  const file = sqliteFile(path, warnOnce(own.onWarning));

  const records: Records = {
    begin: (key, record) =>
      file.use(({ statements, clock }) => {
        const uptime = uptimeMs();
        const times = { wall: Date.now(), now: clock.now(), uptime };
        const begun = statements.begin.run({ key, ...attemptColumns(record), ...times });
        return begun.changes === 1 ? "begun" : read(statements, key, uptime);
      }),
    finish: (key, owner, end) =>
      file.use(({ statements, clock }) => {
        const done = end.state === "succeeded";
        const now = clock.now();
        const keepUntil = done ? now + retentionMs : null;
        const result = done ? end.result : null;
        statements.finish.run({ key, owner, state: end.state, result, keepUntil });
        statements.dropExpired.run({ now });
      }),
    forget: (key, owner) =>
      file.use(({ statements }) => {
        statements.forget.run({ key, owner });
      }),
    resolve: (key, { result, owner, scope }) =>
      file.use(({ statements, clock }) => {
        const which = { key, scope, owner: owner ?? null, uptime: uptimeMs() };
        const keepUntil = clock.now() + retentionMs;
        const { changes } =
          result === undefined
            ? statements.free.run(which)
            : statements.resolve.run({ ...which, result, keepUntil });
        return changes === 1 ? "resolved" : read(statements, key, which.uptime);
      }),
    list: ({ state, digests, after, limit }, scope) =>
      file.use(({ statements, clock }) => {
        const uptime = uptimeMs();
        const { account_reference, ...others } = digestColumns(digests);
        const query = {
          ...{ uptime, now: clock.now(), scope, state: state ?? null, ...others },
          afterBegunAt: after?.at ?? -1,
          afterKey: after?.id ?? "",
          count: limit + 1,
        };
        const rows =
          account_reference === null
            ? statements[isOpen(state) ? "listOpen" : "list"].all(query)
            : statements.listFor.all({ ...query, account_reference });
        return (rows as unknown as Row[]).map((row) => [
          row.key,
          recordIn(statements, row.key, row, uptime),
        ]);
      }),
  };
  return { ...recordStore(records, createDigest(pepper), scope), close: () => file.close() };
}
