import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** The part of `Database` of better-sqlite3 that is used here. Nothing is imported from it. */
export interface BetterSqlite3 {
  readonly inTransaction: boolean;
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Prepares one statement. */
  prepare(sql: string): {
    readonly reader: boolean;
    /** The rows that it returns. */
    all(...values: unknown[]): unknown[];
    /** What it changed. */
    run(...values: unknown[]): { changes: number; lastInsertRowid: number | bigint };
  };
}

/** A transaction of the merchant is open on the connection: to be waited for, like that of another process. */
class BusyError extends Error {
  readonly code = "ERR_SQLITE_ERROR";
  readonly errcode = 5;
}

class OwnTransactionError extends BusyError {
  readonly isOwnTransaction = true;
}

/** Errors of better-sqlite3, with the codes that Node's have. */
function translated(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  return /^SQLITE_(BUSY|LOCKED)/.test(String(code))
    ? Object.assign(new BusyError(String(error)), { cause: error })
    : error;
}

/** The methods of a statement that the stores use, on a statement of either library. */
interface Statement {
  all(...values: unknown[]): unknown[];
  run(...values: unknown[]): unknown;
}

/**
 * The merchant's connection, as `DatabaseSync`. Nothing of ours joins a transaction that the merchant has
 * open: that could be rolled back. His settings stay, but what makes a commit durable.
 */
export function sharedDatabase(given: DatabaseSync | BetterSqlite3): DatabaseSync {
  const isBetter = "inTransaction" in given;
  let isOwn = false;
  const isOpen = () => (isBetter ? given.inTransaction : given.isTransaction);
  const isBusy = () => !isOwn && isOpen();
  const guarded = <T>(work: () => T): T => {
    if (isBusy()) throw new OwnTransactionError("A transaction of the application is open.");
    try {
      return work();
    } catch (error) {
      throw translated(error);
    }
  };
  const shared = {
    get isTransaction() {
      // SQLite itself rolls back when the disk is full: the next transaction is the merchant's.
      isOwn &&= isOpen();
      return isOwn;
    },
    exec: (sql: string) => {
      if (/^PRAGMA busy_timeout/.test(sql)) return;
      guarded(() => given.exec(sql));
      if (/^BEGIN/.test(sql)) isOwn = true;
      if (/^(COMMIT|ROLLBACK)/.test(sql)) isOwn = false;
    },
    prepare: (sql: string) => {
      const statement = guarded(() => given.prepare(sql) as Statement & { reader?: boolean });
      const all = (...values: SQLInputValue[]) =>
        guarded(() => {
          // better-sqlite3 rejects `all` of a statement that returns nothing.
          if (statement.reader !== false) return statement.all(...values);
          statement.run(...values);
          return [];
        });
      return {
        all,
        get: (...values: SQLInputValue[]) => all(...values)[0],
        run: (...values: SQLInputValue[]) =>
          guarded(() => {
            if (statement.reader !== true) return statement.run(...values);
            return { changes: statement.all(...values).length };
          }),
      };
    },
    // The merchant closes it.
    close: () => {},
  };
  return shared as unknown as DatabaseSync;
}
