import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeError } from "../../internal/describe-error.ts";
import { sleep } from "../../internal/timeout.ts";
import { INDEXES, STATEMENTS, TABLE } from "./statements.ts";

/** The prepared statements of a file. */
export type Statements = Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

const SETUP = [
  // A commit of another process takes milliseconds: wait for it here. A longer wait would stop the
  // event loop.
  "PRAGMA busy_timeout = 50",
  "PRAGMA journal_mode = WAL",
  // An attempt must be on the disk before anything is sent.
  "PRAGMA synchronous = FULL",
  TABLE,
];

/** How long an operation waits for a file that another process has locked. */
const MAX_LOCKED_MS = 5_000;
const RETRY_DELAY_MS = 10;

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/** Whether another connection has locked the file. The statement has changed nothing. */
function isLocked(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  // The low byte of an extended code is the code itself.
  return typeof errcode === "number" && [SQLITE_BUSY, SQLITE_LOCKED].includes(errcode & 0xff);
}

function builtIn() {
  // Loaded here, so that a bundle for a runtime without it fails here, with a message.
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new ConfigurationError(
      "The SQLite store requires node:sqlite, which this runtime does not have. Use Node 22.13 or later.",
    );
  }
  return { sqlite, fs: process.getBuiltinModule("node:fs") };
}

type Fs = ReturnType<typeof builtIn>["fs"];

/** Makes a new file that only its owner can read. SQLite gives the files beside it the same mode. */
function createPrivately(fs: Fs, path: string): void {
  if (path === "" || path === ":memory:" || path.startsWith("file:")) return;
  try {
    // Only a new file is opened and closed here: to close a file that SQLite has open in this process
    // would end its locks.
    fs.closeSync(fs.openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** A file by what cannot be given to another one while it is open. */
class FileIdentity {
  readonly #fs: Fs;
  readonly #path: string;
  readonly #identity: string | undefined;

  constructor(fs: Fs, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#identity = this.#read();
  }

  /** @throws {Error} where the path leads to another file now, or to none. */
  check(): void {
    if (this.#identity === undefined || this.#identity === this.#read()) return;
    throw new Error(
      `The SQLite file ${this.#path} was deleted or replaced while this process used it, so its idempotency keys are not in it. Put the file back, or start the process again once you know that no payment is in flight.`,
    );
  }

  #read(): string | undefined {
    const stat = this.#fs.statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return stat && `${stat.dev}/${stat.ino}`;
  }
}

const cannotUse = (path: string, cause: unknown): ConfigurationError =>
  new ConfigurationError(
    `sqliteIdempotency cannot use ${path}: ${describeError(cause)}. Pass the path of a SQLite file that this process may write, or of a new file in an existing folder.`,
    { cause },
  );

/**
 * A SQLite file with the table of idempotency keys. Operations come one after another, and wait for
 * other processes without stopping the event loop.
 */
export class SqliteFile {
  readonly #path: string;
  readonly #fs: Fs;
  readonly #database: DatabaseSync;
  readonly #file: FileIdentity | undefined;
  #log: FileIdentity | undefined;
  #statements: Statements | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    const { sqlite, fs } = builtIn();
    this.#path = path;
    this.#fs = fs;
    try {
      createPrivately(fs, path);
      this.#database = new sqlite.DatabaseSync(path);
    } catch (error) {
      throw cannotUse(path, error);
    }
    try {
      const { file } = this.#database.prepare("PRAGMA database_list").get() as { file: string };
      // In memory there is no file.
      if (file !== "") this.#file = new FileIdentity(fs, file);
      this.#setUp();
    } catch (error) {
      // The first operation sets it up.
      if (isLocked(error)) return;
      this.#database.close();
      throw error instanceof ConfigurationError ? error : cannotUse(path, error);
    }
  }

  /**
   * Runs work that is synchronous. It may run again where the file was locked.
   *
   * @throws {Error} where the file stays locked, and where it is no longer at its path.
   */
  async use<T>(work: (statements: Statements) => T): Promise<T> {
    const deadline = performance.now() + MAX_LOCKED_MS;
    const used = this.#last.then(() => this.#useUnlocked(work, deadline));
    this.#last = used.catch(() => {});
    return used;
  }

  close(): void {
    this.#database.close();
  }

  async #useUnlocked<T>(work: (statements: Statements) => T, deadline: number): Promise<T> {
    for (;;) {
      try {
        const result = work(this.#setUp());
        // After the work: what was written to a file that is gone is not to be trusted.
        this.#file?.check();
        this.#log?.check();
        return result;
      } catch (error) {
        if (!isLocked(error)) throw error;
        if (performance.now() >= deadline) {
          throw new Error(
            `The SQLite file ${this.#path} was locked by another process for ${MAX_LOCKED_MS / 1_000} s. Find the process that holds a transaction open.`,
            { cause: error },
          );
        }
      }
      await sleep(RETRY_DELAY_MS * (1 + Math.random()));
    }
  }

  #setUp(): Statements {
    if (this.#statements !== undefined) return this.#statements;
    for (const sql of SETUP) this.#database.exec(sql);
    const { journal_mode: mode } = this.#database.prepare("PRAGMA journal_mode").get() ?? {};
    const { file } = this.#database.prepare("PRAGMA database_list").get() as { file: string };
    // SQLite keeps it at its path while the database is open.
    if (mode === "wal") this.#log = new FileIdentity(this.#fs, `${file}-wal`);
    const statements = this.#prepare();
    // After the statements, which say so where the table is of another version.
    this.#database.exec(INDEXES);
    this.#statements = statements;
    return statements;
  }

  #prepare(): Statements {
    const prepare = (name: keyof typeof STATEMENTS) => this.#database.prepare(STATEMENTS[name]);
    try {
      const names = Object.keys(STATEMENTS) as (keyof Statements)[];
      return Object.fromEntries(names.map((name) => [name, prepare(name)])) as Statements;
    } catch (error) {
      if (isLocked(error)) throw error;
      throw new ConfigurationError(
        `The table malipo_idempotency in ${this.#path} was made by another version of malipo: ${(error as Error).message}. Use another file, or rename the table once no payment in it is in flight.`,
        { cause: error },
      );
    }
  }
}
