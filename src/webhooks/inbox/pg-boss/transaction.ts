import { notProcessedHere } from "../errors.ts";
import type { Transaction } from "../types.ts";
import type { HeldJob, HeldJobs } from "./held-jobs.ts";
import type { Store } from "./store.ts";

/** How long a handler may do something else in the middle of its transaction. */
const MAX_IDLE_MS = 300_000;

/** How long the wait between the end of an event and its COMMIT may be, by default. */
const COMMIT_TIMEOUT_MS = 20_000;

/**
 * PostgreSQL ends a transaction that waits longer. Without it, a process that is stopped would keep its
 * locks, and no other process could take its event.
 */
const limitIdle = (ms: number) => `SET LOCAL idle_in_transaction_session_timeout = ${ms}`;

/** A transaction that ends the event, too. */
export function jobTransaction(store: Store, jobs: HeldJobs, held: HeldJob): Transaction {
  const { commitTimeoutMs = COMMIT_TIMEOUT_MS } = store.settings.tuning;
  return async <Result, Connection>(
    write: (connection: Connection) => Result | Promise<Result>,
  ) => {
    try {
      const result = await store.userTransaction(async (client, db) => {
        await db.executeSql(limitIdle(MAX_IDLE_MS));
        const written = await write(client as Connection);
        if (held.isOver) throw notProcessedHere();
        // From here on, the event itself is locked.
        held.isCommitting = true;
        await db.executeSql(limitIdle(commitTimeoutMs));
        await jobs.done(db, [held]);
        return written;
      });
      jobs.release(held);
      return result;
    } finally {
      held.isCommitting = false;
    }
  };
}
