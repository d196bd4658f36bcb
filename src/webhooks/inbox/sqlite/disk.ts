import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./file.ts";

/** The disk below a database. */
export interface Disk {
  /** A transaction that is safe from a kill at once, and from a power cut after {@link Disk.sync}. */
  write<T>(work: () => T): T;
  /** Resolves when all that was written before is on disk. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * Waiting for the disk takes most of a commit's time, and would hold up everything that this process
 * does. So commits leave the log unsynchronised, and it is synchronised in the background: the same
 * call that SQLite would make, on the same file, before anybody is told that something is stored.
 */
export function diskOf(database: DatabaseSync): Disk {
  const { file } = database.prepare("PRAGMA database_list").get() as { file: string };
  const { journal_mode: mode } = database.prepare("PRAGMA journal_mode").get() ?? {};
  // In memory, or on a file system without a log: SQLite does it all, in its own way.
  if (mode !== "wal") {
    return {
      write: (work) => inTransaction(database, work),
      sync: async () => {},
      close: () => {},
    };
  }
  const fs = process.getBuiltinModule("node:fs");
  // It stays where it is while the database is open.
  const log = fs.openSync(`${file}-wal`, "r+");
  return {
    write: (work) => {
      database.exec("PRAGMA synchronous = NORMAL");
      try {
        return inTransaction(database, work);
      } finally {
        // For whatever else is done with this database.
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
