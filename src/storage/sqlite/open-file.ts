import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeError } from "../../internal/describe-error.ts";
import { isLocked, LOCK_RETRY_MS, lockedReason } from "./locks.ts";

/** A path, or a database that is open already. */
export type SqliteSource = string | DatabaseSync;

const nameOf = (source: SqliteSource) =>
  typeof source === "string" ? source : "the open database";

const isOnDisk = (path: string) => path !== "" && !/^(?::memory:|file:)/.test(path);

/**
 * Creates a missing file for its owner only, since it holds phone numbers and names. SQLite creates the
 * files beside it with the same mode.
 */
function createPrivately(path: string): void {
  if (!isOnDisk(path)) return;
  const fs = process.getBuiltinModule("node:fs");
  try {
    // Only a new file is opened and closed here: closing a file that SQLite has open in this process
    // would end its locks.
    fs.closeSync(fs.openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** What other users of this machine may do with the file, as a warning; `undefined` for nothing. */
export function modeWarning(path: SqliteSource): ConfigurationError | undefined {
  // Windows has no such modes.
  if (typeof path !== "string" || !isOnDisk(path) || process.platform === "win32") return undefined;
  const mode = process.getBuiltinModule("node:fs").statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  return new ConfigurationError(
    `Other users of this machine may open ${path}, which holds phone numbers and names: its mode is ${mode.toString(8)}. Run chmod 600 on it and on the files -wal and -shm beside it.`,
  );
}

/** @param owner - The function of malipo that the user called: `sqlite`. */
export function cannotUse(owner: string, source: SqliteSource, error: unknown): ConfigurationError {
  const message = `${owner} cannot use ${nameOf(source)}: ${reasonOf(error)}`;
  const found = new ConfigurationError(message, { cause: error });
  // A start goes on: the lock may end.
  return isLocked(error) ? Object.assign(found, { isEngineAway: true }) : found;
}

/** The primary code of an error of SQLite by its name: https://www.sqlite.org/rescode.html */
const CODES = { SQLITE_READONLY: 8, SQLITE_CORRUPT: 11, SQLITE_NOTADB: 26 } as const;

/** Whether an error of Node or of better-sqlite3 has a code. */
function isSqlite(error: unknown, name: keyof typeof CODES): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return String(code).startsWith(name) || (Number(errcode) & 0xff) === CODES[name];
}

/** Whether this process can do nothing with the file until a person has changed something. */
export const isUnusable = (error: unknown): boolean =>
  (Object.keys(CODES) as (keyof typeof CODES)[]).some((name) => isSqlite(error, name));

function reasonOf(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  if (isLocked(error)) return lockedReason(error);
  const advice = isSqlite(error, "SQLITE_CORRUPT")
    ? "The file is damaged: restore it from a backup."
    : "Pass the path of a SQLite file that this process may write, or of a new file in an existing folder.";
  return `${describeError(error)}. ${advice}`;
}

/** https://www.sqlite.org/stricttables.html: the first version with STRICT tables. */
const OLDEST = [3, 37];

/** What is wrong with a version, such as "3.34.1"; `undefined` if nothing is. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `This is SQLite ${version}. Use ${OLDEST.join(".")} or later: a newer Node, or a newer better-sqlite3.`;
}

/**
 * SQLite of Node. At run time: a bundle for a runtime without it fails here.
 *
 * @throws {ConfigurationError} in a runtime without `node:sqlite`.
 */
export function sqliteModule(owner: string, path: string): typeof import("node:sqlite") {
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (sqlite !== undefined) return sqlite;
  // Who writes memory() never wrote sqlite().
  const what = path === ":memory:" ? `A checkout of memory(), or ${owner}(":memory:"),` : owner;
  throw new ConfigurationError(
    `${what} requires node:sqlite, which this runtime does not have. Use Node 22.13 or later.`,
  );
}

/**
 * Opens a file, and creates a missing one. Nothing is read from it or written to it yet. A database that
 * is open already stays unchanged.
 *
 * @throws {ConfigurationError} for a file that cannot be opened, and in a runtime without
 * `node:sqlite`.
 */
export function openFile(owner: string, path: SqliteSource): DatabaseSync {
  if (typeof path !== "string") return path;
  const sqlite = sqliteModule(owner, path);
  try {
    createPrivately(path);
    const database = new sqlite.DatabaseSync(path);
    // Commits of other processes take milliseconds: SQLite waits for these, and no longer, since it
    // would block the event loop.
    database.exec(`PRAGMA busy_timeout = ${LOCK_RETRY_MS}`);
    return database;
  } catch (error) {
    throw cannotUse(owner, path, error);
  }
}

/** Makes a commit wait for the disk. */
export function makeDurable(database: DatabaseSync): void {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
}
