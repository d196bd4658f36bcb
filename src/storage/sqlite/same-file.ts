import type { DatabaseSync } from "node:sqlite";

/** Why a path leads to another file than before; `undefined` if it does not. */
export type FileCheck = () => Error | undefined;

/** The file of an open database; `""` for one in memory. */
export const fileOf = (database: DatabaseSync): string =>
  (database.prepare("PRAGMA database_list").get() as { file: string }).file;

/**
 * The write-ahead log of an open database, which stays at its path while the database is open; `""` if
 * it has none.
 */
export function logOf(database: DatabaseSync): string {
  const file = fileOf(database);
  const { journal_mode: mode } = database.prepare("PRAGMA journal_mode").get() ?? {};
  return file !== "" && mode === "wal" ? `${file}-wal` : "";
}

/** Notices that a file was deleted or replaced: other processes see another file then. */
export function watchFile(file: string): FileCheck {
  if (file === "") return () => undefined;
  const fs = process.getBuiltinModule("node:fs");
  // Not by a descriptor: closing one would end the locks of SQLite on the same file.
  const identity = () => {
    const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && `${stat.dev}/${stat.ino}`;
  };
  const opened = identity();
  return () =>
    identity() === opened
      ? undefined
      : new Error(
          `${file} was deleted or replaced while it was open, so what this process writes is lost. Put the file back, or find out what is in the new one and start this process again.`,
        );
}
