import type { DatabaseSync } from "node:sqlite";
import { describeError } from "../../internal/describe-error.ts";
import { type FileCheck, fileOf, logOf, watchFile } from "./same-file.ts";

/**
 * The disk below a database. Waiting for it takes most of the time of a commit, and would block this process. So a commit
 * may leave the log as it is; it is then synchronised in the background, with the same call that SQLite makes, on the
 * same file, before anything is acknowledged.
 */
export class Disk {
  readonly #file: string;
  readonly #log: number | undefined;
  readonly #checks: readonly FileCheck[];
  #syncFailure: Error | undefined;

  constructor(database: DatabaseSync, checkFile: FileCheck) {
    this.#file = fileOf(database);
    const log = logOf(database);
    this.#checks = [() => this.#syncFailure, checkFile, watchFile(log)];
    // Without a log (in memory, or by the file system), SQLite synchronises in the commit.
    this.#log = log === "" ? undefined : process.getBuiltinModule("node:fs").openSync(log, "r+");
  }

  /** Whether a commit may leave the log to {@link sync}. */
  get canWait(): boolean {
    return this.#log !== undefined;
  }

  /** @throws if the file is not at its path any more, or could not be written: nothing may be acknowledged. */
  check(): void {
    for (const check of this.#checks) {
      const failure = check();
      if (failure !== undefined) throw failure;
    }
  }

  /** Resolves when everything that was written before is on the disk. */
  async sync(): Promise<void> {
    const log = this.#log;
    if (log !== undefined) {
      await new Promise<void>((resolve, reject) => {
        process.getBuiltinModule("node:fs").fdatasync(log, (error) => {
          if (error === null) return resolve();
          // The system may have dropped what it could not write, and says so only once: a later call succeeds, and the
          // data is not on the disk.
          this.#syncFailure ??= new Error(
            `${this.#file} could not be written to the disk: ${describeError(error)}. Nothing is acknowledged until this process is restarted.`,
            { cause: error },
          );
          reject(this.#syncFailure);
        });
      });
    }
    this.check();
  }

  close(): void {
    if (this.#log !== undefined) process.getBuiltinModule("node:fs").closeSync(this.#log);
  }
}
