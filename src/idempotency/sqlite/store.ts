import type { DatabaseSync } from "node:sqlite";
import { checkOptions, type OptionRows } from "../../internal/check-options.ts";
import { uptimeMs } from "../../internal/retention-clock.ts";
import { warnOnce } from "../../internal/warn-once.ts";
import { createDigest } from "../digest.ts";
import { scopedKey } from "../format.ts";
import type { IdempotencyStore } from "../idempotency-store.ts";
import { recordStore } from "../record-store.ts";
import { type Row, type RunStatement, sqlRecords, type Values } from "../sql/records.ts";
import { parametersOf } from "../sql/statements.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../store-options.ts";
import { KeyFile } from "./file.ts";
import { STATEMENTS } from "./statements.ts";

/** A path, or a database that is open already. */
export type SqliteSource = string | DatabaseSync;

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

const OPTIONS = {
  onWarning: warnOnce,
  ...STORE_OPTIONS,
} satisfies OptionRows<SqliteIdempotencyOptions>;

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
  options: SqliteIdempotencyOptions = {},
): SqliteIdempotency {
  const own = checkOptions(options, OPTIONS, "sqliteIdempotency");
  const { retentionMs, scope, pepper } = own;
  const file = new KeyFile(path, own.onWarning);

  const run: RunStatement = (name, values) =>
    file.use(({ statements, clock }) => {
      const times = { wall: Date.now(), uptime: uptimeMs(), now: clock.now() };
      const key = scopedKey(scope, String(values.key));
      const given: Values = { ...values, ...times, key };
      const named = parametersOf(STATEMENTS[name]).map((one) => [one, given[one] ?? null]);
      const rows = statements[name].all(Object.fromEntries(named));
      if (name === "finish") statements.dropExpired.run({ now: times.now });
      return rows as unknown as Row[];
    });
  const store = recordStore(sqlRecords(run, retentionMs), createDigest(pepper), scope);
  return { ...store, close: () => file.close() };
}
