import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  isLocked,
  LOCKED_REASON,
  MAX_LOCKED_MS,
  whenUnlocked,
} from "../../internal/sqlite/locks.ts";
import { createMeta, FileClock, formatOf } from "../../internal/sqlite/meta.ts";
import { cannotUse, makeDurable, openFile } from "../../internal/sqlite/open.ts";
import { type FileCheck, fileOf, logOf, watchFile } from "../../internal/sqlite/same-file.ts";
import { inTransaction, prepareAll } from "../../internal/sqlite/transaction.ts";
import { STORE_FORMAT, unknownFormat } from "../format.ts";
import { CREATE, META, STATEMENTS, TABLE } from "./statements.ts";

/** What an operation works with. */
export interface Opened {
  readonly statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;
  /** By which results are forgotten. */
  readonly clock: FileClock;
}

const OWNER = "sqliteIdempotency";

function createTables(database: DatabaseSync): void {
  const format = formatOf(database, META, TABLE);
  if (format === STORE_FORMAT) return;
  if (format !== undefined)
    throw new ConfigurationError(unknownFormat(format, "the path of a new file"));
  createMeta(database, META, STORE_FORMAT);
  database.exec(CREATE);
}

/**
 * A SQLite file with the table of idempotency keys. Operations come one after another, and wait for
 * other processes without blocking the event loop.
 */
export class SqliteFile {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #warn: (warning: string) => void;
  readonly #checkFile: FileCheck;
  #checkLog: FileCheck = () => undefined;
  #opened: Opened | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param warn - Called when a clock of the machine was set. */
  constructor(path: string, warn: (warning: string) => void) {
    this.#path = path;
    this.#warn = warn;
    this.#database = openFile(OWNER, path);
    this.#checkFile = watchFile(fileOf(this.#database));
    try {
      this.#setUp();
    } catch (error) {
      // The first operation sets it up.
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

  async #useUnlocked<T>(work: (opened: Opened) => T, deadline: number): Promise<T> {
    try {
      return await whenUnlocked(() => {
        const opened = this.#setUp();
        const warning = opened.clock.advance();
        if (warning !== undefined) this.#warn(warning);
        const result = work(opened);
        // After the work: what was written to a file that is gone cannot be trusted.
        const failure = this.#checkFile() ?? this.#checkLog();
        if (failure !== undefined) throw failure;
        return result;
      }, deadline);
    } catch (error) {
      if (!isLocked(error)) throw error;
      throw new Error(`The SQLite file ${this.#path} cannot be used: ${LOCKED_REASON}`, {
        cause: error,
      });
    }
  }

  #setUp(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    makeDurable(this.#database);
    inTransaction(this.#database, () => createTables(this.#database));
    this.#checkLog = watchFile(logOf(this.#database));
    const statements = prepareAll(this.#database, STATEMENTS);
    this.#opened = { statements, clock: new FileClock(this.#database, META) };
    return this.#opened;
  }
}
