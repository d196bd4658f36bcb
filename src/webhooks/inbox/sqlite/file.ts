import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { describeError } from "../../../internal/describe-error.ts";
import { sleep } from "../../../internal/timeout.ts";
import { createTables } from "./schema.ts";

export const BUSY_RETRY_MS = 25;

const SETUP = [
  // Do not block the event loop while another process holds the lock: the inbox retries.
  `PRAGMA busy_timeout = ${BUSY_RETRY_MS}`,
  "PRAGMA journal_mode = WAL",
  // A delivery must be on disk before it is acknowledged.
  "PRAGMA synchronous = FULL",
  // A delivery touches the index of keys at random: the later a page is written back, the more changes
  // are written at once. This allows 40 MB of log.
  "PRAGMA wal_autocheckpoint = 10000",
];

// https://www.sqlite.org/rescode.html: the lowest byte of an extended code is the primary one.
const BUSY_CODES = [5, 6];

/** Whether another process has the file locked. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === "ERR_SQLITE_ERROR" && BUSY_CODES.includes(Number(errcode) & 0xff);
}

const isOnDisk = (path: string) => path !== "" && !/^(?::memory:|file:)/.test(path);

/**
 * Creates a missing file for its owner only, since it holds phone numbers and names. SQLite gives its
 * log the mode of the file.
 */
function createPrivately(path: string): void {
  if (!isOnDisk(path)) return;
  const fs = process.getBuiltinModule("node:fs");
  try {
    fs.closeSync(fs.openSync(path, "wx", 0o600));
  } catch {
    // It exists, or SQLite says better why it cannot be created.
  }
}

/** What other users of this machine may do with the file, as a warning; `undefined` for nothing. */
export function modeWarning(path: string): ConfigurationError | undefined {
  // Windows has no such modes.
  if (!isOnDisk(path) || process.platform === "win32") return undefined;
  const mode = process.getBuiltinModule("node:fs").statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  return new ConfigurationError(
    `Other users of this machine may open ${path}, which holds phone numbers and names: its mode is ${mode.toString(8)}. Run chmod 600 on it and on the files -wal and -shm beside it.`,
  );
}

export const cannotUse = (path: string, error: unknown): ConfigurationError =>
  new ConfigurationError(`sqliteInbox cannot use ${path}: ${reasonOf(error)}`, { cause: error });

function reasonOf(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  return isBusy(error)
    ? `another process has had it locked for ${BUSY_DEADLINE_MS / 1_000} s. Find the process that holds a transaction open on the file, and end it.`
    : `${describeError(error)}. Pass the path of a SQLite file that this process may write, or of a new file in an existing folder.`;
}

/** Opens a file, and creates it where it is missing. Nothing is read from it or written to it yet. */
export function openFile(path: string): DatabaseSync {
  // At run time: a bundle for a runtime without it fails here, with a message that says why.
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new ConfigurationError("sqliteInbox needs node:sqlite, which Node has from 22.13 on.");
  }
  createPrivately(path);
  try {
    return new sqlite.DatabaseSync(path);
  } catch (error) {
    throw cannotUse(path, error);
  }
}

/** Makes an open file a durable store with the tables of an inbox. Fails where the file is locked. */
export function setUp(database: DatabaseSync): void {
  for (const sql of SETUP) database.exec(sql);
  // In a transaction, since another process may do the same. A read-only file is found out now, not at
  // the first delivery.
  inTransaction(database, () => createTables(database));
}

/** How long an operation waits for a file that another process has locked. */
export const BUSY_DEADLINE_MS = 5_000;

/** Tries again while another process has the file locked. Other work of this process goes on. */
export async function whenFree<T>(work: () => T): Promise<T> {
  for (const deadline = performance.now() + BUSY_DEADLINE_MS; ; await sleep(BUSY_RETRY_MS)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
  }
}

/** Commits the work, or rolls all of it back if it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  return commit(database, work);
}

function commit<T>(database: DatabaseSync, work: () => T): T {
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** As {@link inTransaction}, when the file is free. Only the lock is waited for: the work runs once. */
export async function whenFreeInTransaction<T>(database: DatabaseSync, work: () => T): Promise<T> {
  const end = await whenFree(() => {
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = commit(database, work);
      return () => result;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  });
  return end();
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
