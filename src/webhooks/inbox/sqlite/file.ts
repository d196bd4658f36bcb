import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { describeError } from "../../../internal/describe-error.ts";
import { SCHEMA } from "./statements.ts";

const SETUP = [
  // First, so that everything below waits for other processes on this file.
  "PRAGMA busy_timeout = 5000",
  "PRAGMA journal_mode = WAL",
  // A delivery must be on disk before it is acknowledged.
  "PRAGMA synchronous = FULL",
  // A delivery touches the index of keys at random: the later a page is written back, the more changes
  // are written at once. This allows 40 MB of log.
  "PRAGMA wal_autocheckpoint = 10000",
  SCHEMA,
  // A read-only file is found out now, not at the first delivery.
  "BEGIN IMMEDIATE",
  "ROLLBACK",
];

// Several processes that create one file at once can fail with "locked" in spite of `busy_timeout`.
const BUSY_MS = 10_000;
const isBusy = (error: unknown) => /locked|busy/.test(describeError(error));
const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Opens a file as a durable store, and creates it where it is missing. */
export function openFile(path: string): DatabaseSync {
  // At run time: a bundle for a runtime without it fails here, with a message that says why.
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new ConfigurationError("sqliteInbox needs node:sqlite, which Node has from 22.13 on.");
  }
  for (const deadline = performance.now() + BUSY_MS; ; ) {
    let database: DatabaseSync | undefined;
    try {
      database = new sqlite.DatabaseSync(path);
      for (const sql of SETUP) database.exec(sql);
      return database;
    } catch (error) {
      database?.close();
      if (isBusy(error) && performance.now() < deadline) {
        sleep(20);
        continue;
      }
      throw new ConfigurationError(
        `sqliteInbox cannot use ${path}: ${describeError(error)}. Pass the path of a SQLite file that this process may write, or of a new file in an existing folder.`,
        { cause: error },
      );
    }
  }
}

/** Commits the work, or rolls all of it back where it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

export function prepareAll<Name extends string>(
  database: DatabaseSync,
  statements: Readonly<Record<Name, string>>,
): Record<Name, StatementSync> {
  const prepared = Object.entries<string>(statements).map(([name, sql]) => [
    name,
    database.prepare(sql),
  ]);
  return Object.fromEntries(prepared) as Record<Name, StatementSync>;
}
