import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  isLocked,
  lockedReason,
  MAX_LOCKED_MS,
  whenUnlocked,
} from "../../internal/sqlite/locks.ts";
import { FileClock, formatOf } from "../../internal/sqlite/meta.ts";
import {
  cannotUse,
  makeDurable,
  openFile,
  type SqliteSource,
} from "../../internal/sqlite/open-file.ts";
import { type FileCheck, fileOf, logOf, watchFile } from "../../internal/sqlite/same-file.ts";
import { inTransaction, prepareAll } from "../../internal/sqlite/transaction.ts";
import { isReadable, unknownFormat } from "../format.ts";
import { META, STATEMENTS, TABLE, TABLE_SQL } from "./statements.ts";

/** What an operation works with. */
export interface Opened {
  readonly statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;
  /** By which results are forgotten. */
  readonly clock: FileClock;
}

const OWNER = "sqliteIdempotency";

/** Creates the tables if there are none. */
function createTables(database: DatabaseSync): void {
  const format = formatOf(database, META, TABLE);
  if (isReadable(format)) return;
  if (format !== undefined)
    throw new ConfigurationError(unknownFormat(format, "the path of a new file"));
  database.exec(TABLE_SQL);
}

/**
 * A SQLite file with the table of idempotency keys. Operations come one after another, and wait for
 * other processes without blocking the event loop.
 *
 * @param warn - Called when a clock of the machine was set.
 */
export function sqliteFile(path: SqliteSource, warn: (warning: string) => void) {
  const database = openFile(OWNER, path);
  const checkFile = watchFile(fileOf(database));
  let checkLog: FileCheck = () => undefined;
  let opened: Opened | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const setUp = (): Opened => {
    if (opened !== undefined) return opened;
    makeDurable(database);
    inTransaction(database, () => createTables(database));
    checkLog = watchFile(logOf(database));
    opened = {
      statements: prepareAll(database, STATEMENTS),
      clock: new FileClock(database, META),
    };
    return opened;
  };
  try {
    setUp();
  } catch (error) {
    // If it is locked, the first operation sets it up.
    if (!isLocked(error)) {
      database.close();
      throw cannotUse(OWNER, path, error);
    }
  }

  const useUnlocked = async <T>(work: (opened: Opened) => T, deadline: number): Promise<T> => {
    try {
      return await whenUnlocked(() => {
        const ready = setUp();
        const warning = ready.clock.advance();
        if (warning !== undefined) warn(warning);
        const result = work(ready);
        // After the work: what was written to a file that is gone cannot be trusted.
        const failure = checkFile() ?? checkLog();
        if (failure !== undefined) throw failure;
        return result;
      }, deadline);
    } catch (error) {
      if (!isLocked(error)) throw error;
      const file = fileOf(database);
      const what = file === "" ? "The open database" : `The SQLite file ${file}`;
      throw new Error(`${what} cannot be used: ${lockedReason(error)}`, { cause: error });
    }
  };
  return {
    /**
     * Runs work that is synchronous. It may run again if the file was locked.
     *
     * @throws {Error} if the file stays locked, or is no longer at its path.
     */
    use: async <T>(work: (opened: Opened) => T): Promise<T> => {
      const deadline = performance.now() + MAX_LOCKED_MS;
      const used = last.then(() => useUnlocked(work, deadline));
      last = used.catch(() => {});
      return used;
    },
    close: () => database.close(),
  };
}
