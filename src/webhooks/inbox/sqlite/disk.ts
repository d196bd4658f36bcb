import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./file.ts";

/** The disk below a database. */
export interface Disk {
  /** A transaction that is safe from a kill at once, and from a power cut after {@link Disk.sync}. */
  write<T>(work: () => T): T;
  /** Resolves when everything written before is on disk. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * Waiting for the disk takes most of the time of a commit, and would block this process. So commits do
 * not synchronise the log; it is synchronised in the background, with the same call that SQLite makes,
 * on the same file, before any receipt is given.
 */
export function openDisk(database: DatabaseSync): Disk {
  const { file } = database.prepare("PRAGMA database_list").get() as { file: string };
  const { journal_mode: mode } = database.prepare("PRAGMA journal_mode").get() ?? {};
  // In memory, or on a file system without a write-ahead log: SQLite synchronises by itself.
  if (mode !== "wal") {
    return {
      write: (work) => inTransaction(database, work),
      sync: async () => {},
      close: () => {},
    };
  }
  const fs = process.getBuiltinModule("node:fs");
  // The log stays where it is while the database is open.
  const log = fs.openSync(`${file}-wal`, "r+");
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
        fs.fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      }),
    close: () => fs.closeSync(log),
  };
}
