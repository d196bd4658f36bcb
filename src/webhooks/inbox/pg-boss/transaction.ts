import type { PgBoss } from "pg-boss";
import { notProcessedHere } from "../errors.ts";
import type { Transaction } from "../types.ts";
import { listenForErrors } from "./connections.ts";
import type { HeldJob, HeldJobs } from "./held-jobs.ts";

/** The connection that a handler's `transaction` gives with `pgBossInbox`. */
export interface PgBossTransaction {
  /** Runs a statement, as `pg` does. */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[] }>;
  /** The same, as pg-boss calls it: this may be the `db` option of its methods. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** How long a handler may do something else in the middle of its transaction. */
const MAX_IDLE_MS = 300_000;

/** How long the wait between the end of an event and its COMMIT may be, by default. */
const COMMIT_TIMEOUT_MS = 20_000;

/**
 * PostgreSQL ends a transaction that waits longer. Without it, a process that is stopped would keep its
 * locks, and no other process could take its event.
 */
const limitIdle = (ms: number) => `SET LOCAL idle_in_transaction_session_timeout = ${ms}`;

/** A transaction that completes the job, where the database connection supports transactions. */
export function jobTransaction(
  boss: PgBoss,
  jobs: HeldJobs,
  held: HeldJob,
  commitTimeoutMs: number = COMMIT_TIMEOUT_MS,
): Transaction | undefined {
  const db = boss.getDb();
  if (db.beginTransaction === undefined) return undefined;
  return async <Result, Connection>(
    write: (connection: Connection) => Result | Promise<Result>,
  ) => {
    // The user may have stopped and started a pg-boss of their own: then it has another pool.
    listenForErrors(boss);
    const transaction = await (db.beginTransaction as NonNullable<typeof db.beginTransaction>)();
    try {
      const { db: inside } = transaction;
      const executeSql: PgBossTransaction["executeSql"] = (text, values) =>
        inside.executeSql(text, values);
      const connection = { executeSql, query: executeSql } as PgBossTransaction;
      await executeSql(limitIdle(MAX_IDLE_MS));
      const result = await write(connection as Connection);
      if (held.isOver) throw notProcessedHere();
      // From here on, the event itself is locked.
      held.isCommitting = true;
      await executeSql(limitIdle(commitTimeoutMs));
      // With the attempt: if it was retried meanwhile, another process has it.
      const { text, values } = jobs.completion([held.job]);
      const { rows } = await executeSql(text, values);
      if (rows.length !== 1) throw notProcessedHere();
      await transaction.commit();
      jobs.release(held);
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    } finally {
      held.isCommitting = false;
    }
  };
}
