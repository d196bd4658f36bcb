import type { DatabaseSync, StatementSync } from "node:sqlite";
import { whenUnlocked } from "./locks.ts";

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

/**
 * As {@link inTransaction}, as soon as no other process has the file locked. Only the lock is waited
 * for: the work runs once.
 */
export async function inTransactionWhenUnlocked<T>(
  database: DatabaseSync,
  work: () => T,
): Promise<T> {
  const end = await whenUnlocked(() => {
    database.exec("BEGIN IMMEDIATE");
    // In the same turn: other work of this process uses the same connection.
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
