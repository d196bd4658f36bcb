import type { DatabaseSync } from "node:sqlite";
import { describeError } from "../../../internal/describe-error.ts";
import { inTransaction } from "./file.ts";

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

type FileSystem = typeof import("node:fs");

/** Tells that a file is no longer the one that was opened: every other process sees another file. */
function watchFile(fs: FileSystem, file: string): () => Error | undefined {
  // Not by a descriptor: closing one would release the locks of SQLite on the same file.
  const idOf = () => {
    const { dev, ino } = fs.statSync(file, { bigint: true });
    return `${dev}/${ino}`;
  };
  const opened = idOf();
  return () => {
    try {
      if (idOf() === opened) return undefined;
    } catch {
      // Deleted, or its folder is.
    }
    return new Error(
      `${file} was deleted or replaced while it was open. Nothing is acknowledged until this process is restarted.`,
    );
  };
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
  const { file } = database.prepare("PRAGMA database_list").get() as { file: string };
  const { journal_mode: mode } = database.prepare("PRAGMA journal_mode").get() ?? {};
  if (file === "") return diskWithoutLog(database, () => undefined);
  const fs = process.getBuiltinModule("node:fs");
  const fileFailure = watchFile(fs, file);
  if (mode !== "wal") return diskWithoutLog(database, fileFailure);
  // The log stays where it is while the database is open.
  const log = fs.openSync(`${file}-wal`, "r+");
  const logFailure = watchFile(fs, `${file}-wal`);
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
