import type { DatabaseSync } from "node:sqlite";
import { describeError } from "../../../internal/describe-error.ts";
import { fileOf, logOf, watchFile } from "../../../internal/sqlite/same-file.ts";
import { inTransaction } from "../../../internal/sqlite/transaction.ts";

/**
 * The disk below a database. Waiting for it takes most of the time of a commit, and would block this
 * process. So commits do not synchronise the log; it is synchronised in the background, with the same
 * call that SQLite makes, on the same file, before any receipt is returned.
 */
export interface Disk {
  /** A transaction that is safe from a kill at once, and from a power cut after {@link Disk.sync}. */
  write<T>(work: () => T): T;
  /** Resolves when everything written before is on disk. */
  sync(): Promise<void>;
  /** @throws if nothing may be acknowledged until the file is opened again. */
  check(): void;
  close(): void;
}

export function openDisk(database: DatabaseSync): Disk {
  const [file, logFile] = [fileOf(database), logOf(database)];
  const [fileFailure, logFailure] = [watchFile(file), watchFile(logFile)];
  const fs = process.getBuiltinModule("node:fs");
  // Without a log (in memory, or by the file system), SQLite synchronises in the commit.
  const log = logFile === "" ? undefined : fs.openSync(logFile, "r+");
  let syncFailure: Error | undefined;
  return {
    write: (work) => {
      if (log !== undefined) database.exec("PRAGMA synchronous = NORMAL");
      try {
        return inTransaction(database, work);
      } finally {
        // For the user's own writes to this database.
        database.exec("PRAGMA synchronous = FULL");
      }
    },
    sync: () =>
      new Promise((resolve, reject) => {
        if (log === undefined) return resolve();
        fs.fdatasync(log, (error) => {
          if (error === null) return resolve();
          // The system may have dropped what it could not write, and tells so only once: a later call
          // succeeds, and the data is not on the disk.
          syncFailure ??= new Error(
            `${file} could not be written to the disk: ${describeError(error)}. Nothing is acknowledged until this process is restarted.`,
            { cause: error },
          );
          reject(syncFailure);
        });
      }),
    check: () => {
      const failure = syncFailure ?? fileFailure() ?? logFailure();
      if (failure !== undefined) throw failure;
    },
    close: () => {
      if (log !== undefined) fs.closeSync(log);
    },
  };
}
