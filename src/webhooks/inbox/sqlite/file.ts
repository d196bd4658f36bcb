import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { SCHEMA } from "./statements.ts";

const SETUP = [
  // First of all, so that whatever follows waits for the other processes on this file.
  "PRAGMA busy_timeout = 5000",
  "PRAGMA journal_mode = WAL",
  // A delivery must be on disk before it is acknowledged.
  "PRAGMA synchronous = FULL",
  // A delivery touches the index of keys at random: the later a page is written back, the more of
  // its changes are written at once. 40 MB of log.
  "PRAGMA wal_autocheckpoint = 10000",
  SCHEMA,
  // What can be read alone is found out now, not at the first delivery.
  "BEGIN IMMEDIATE",
  "ROLLBACK",
];

// Several processes that make one new file at once get in each other's way, whatever `busy_timeout`.
const BUSY_MS = 10_000;
const isBusy = (error: unknown) => /locked|busy/.test((error as Error).message);
const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Opens a file as a durable store, and makes it where it is missing. */
export function openFile(path: string): DatabaseSync {
  // Asked for at run time: a bundle for a runtime without it should fail here, and say why.
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new ConfigurationError("The SQLite inbox needs node:sqlite: Node 22.13 or later.");
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
        `The SQLite inbox cannot use ${path}: ${(error as Error).message}. It takes a SQLite file that this process may write, or a new one in a folder that is there.`,
        { cause: error },
      );
    }
  }
}

/** All of it happens, or nothing. */
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
