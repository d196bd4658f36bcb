import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  isLocked,
  lockedReason,
  MAX_LOCKED_MS,
  whenUnlocked,
} from "../../storage/sqlite/locks.ts";
import { FileClock, formatOf } from "../../storage/sqlite/meta.ts";
import {
  cannotUse,
  makeDurable,
  openFile,
  type SqliteSource,
} from "../../storage/sqlite/open-file.ts";
import { type FileCheck, fileOf, logOf, watchFile } from "../../storage/sqlite/same-file.ts";
import { inTransaction, prepareAll } from "../../storage/sqlite/transaction.ts";
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
 */
export class KeyFile {
  readonly #database: DatabaseSync;
  readonly #warn: (warning: string) => void;
  readonly #checkFile: FileCheck;
  #checkLog: FileCheck = () => undefined;
  #opened: Opened | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param warn - Called when a clock of the machine was set.
   * @throws {ConfigurationError} for a file that cannot be used.
   */
  constructor(path: SqliteSource, warn: (warning: string) => void) {
    this.#database = openFile(OWNER, path);
    this.#warn = warn;
    this.#checkFile = watchFile(fileOf(this.#database));
    try {
      this.#open();
    } catch (error) {
      // If it is locked, the first operation opens it.
      if (isLocked(error)) return;
      this.#database.close();
      throw cannotUse(OWNER, path, error);
    }
  }

  /**
   * Runs work that is synchronous. It may run again if the file was locked.
   *
   * @throws {Error} if the file stays locked, or is no longer at its path.
   */
  async use<T>(work: (opened: Opened) => T): Promise<T> {
    const deadline = performance.now() + MAX_LOCKED_MS;
    const used = this.#last.then(() => this.#useUnlocked(work, deadline));
    this.#last = used.catch(() => {});
    return used;
  }

  close(): void {
    this.#database.close();
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    const database = this.#database;
    makeDurable(database);
    inTransaction(database, () => createTables(database));
    this.#checkLog = watchFile(logOf(database));
    this.#opened = {
      statements: prepareAll(database, STATEMENTS),
      clock: new FileClock(database, META),
    };
    return this.#opened;
  }

  async #useUnlocked<T>(work: (opened: Opened) => T, deadline: number): Promise<T> {
    try {
      return await whenUnlocked(() => this.#use(work), deadline);
    } catch (error) {
      if (!isLocked(error)) throw error;
      const file = fileOf(this.#database);
      const what = file === "" ? "The open database" : `The SQLite file ${file}`;
      throw new Error(`${what} cannot be used: ${lockedReason(error)}`, { cause: error });
    }
  }

  #use<T>(work: (opened: Opened) => T): T {
    const opened = this.#open();
    const warning = opened.clock.advance();
    if (warning !== undefined) this.#warn(warning);
    const result = work(opened);
    // After the work: what was written to a file that is gone cannot be trusted.
    const failure = this.#checkFile() ?? this.#checkLog();
    if (failure !== undefined) throw failure;
    return result;
  }
}
