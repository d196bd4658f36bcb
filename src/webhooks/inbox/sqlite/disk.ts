import type { DatabaseSync } from "node:sqlite";
import { describeError } from "../../../internal/describe-error.ts";
import { fileOf, logOf, watchFile } from "../../../internal/sqlite/same-file.ts";
import { inTransaction } from "../../../internal/sqlite/transaction.ts";

/** The disk below a database. */
export interface Disk {
  /** A transaction that is safe from a kill at once, and from a power cut after {@link Disk.sync}. */
  write<T>(work: () => T): T;
  /** Resolves when everything written before is on disk. */
  sync(): Promise<void>;
  /** Why nothing may be acknowledged until the file is opened again; `undefined` where all is well. */
  failure(): Error | undefined;
  close(): void;
}

/** A database in memory, or on a file system without a write-ahead log: SQLite synchronises by itself. */
function diskWithoutLog(database: DatabaseSync, failure: Disk["failure"]): Disk {
  return {
    write: (work) => inTransaction(database, work),
    sync: async () => {},
    failure,
    close: () => {},
  };
}

/**
 * Waiting for the disk takes most of the time of a commit, and would block this process. So commits do
 * not synchronise the log; it is synchronised in the background, with the same call that SQLite makes,
 * on the same file, before any receipt is given.
 */
export function openDisk(database: DatabaseSync): Disk {
  const [file, logFile] = [fileOf(database), logOf(database)];
  const [fileFailure, logFailure] = [watchFile(file), watchFile(logFile)];
  if (logFile === "") return diskWithoutLog(database, fileFailure);
  const fs = process.getBuiltinModule("node:fs");
  const log = fs.openSync(logFile, "r+");
  let syncFailure: Error | undefined;
  return {
    write: (work) => {
      database.exec("PRAGMA synchronous = NORMAL");
      try {
        return inTransaction(database, work);
      } finally {
        // For the user's own writes to this database.
        database.exec("PRAGMA synchronous = FULL");
      }
    },
    sync: () =>
      new Promise((resolve, reject) => {
        fs.fdatasync(log, (error) => {
          if (error === null) {
            resolve();
            return;
          }
          // The system may have dropped what it could not write, and says so only once: a later call
          // succeeds, and the data is not on the disk.
          syncFailure ??= new Error(
            `${file} could not be written to the disk: ${describeError(error)}. Nothing is acknowledged until this process is restarted.`,
            { cause: error },
          );
          reject(syncFailure);
        });
      }),
    failure: () => syncFailure ?? fileFailure() ?? logFailure(),
    close: () => fs.closeSync(log),
  };
}
