import type { Db } from "pg-boss";
import { isSavepointGone } from "../../../storage/postgres/aborted-transaction.ts";
import { endedByHandler, notProcessedHere, SAVEPOINT } from "../errors.ts";
import type { Transaction } from "../inbox-types.ts";
import type { FailedLease, Lease } from "../lease-store.ts";
import type { Store } from "./inbox-store.ts";

/** A job that this process has fetched, until its end is written. */
export interface HeldJob extends Lease {
  readonly id: string;
  /** Which attempt at the job this is: pg-boss ignores what is said about another one. */
  readonly retryCount: number;
  /** Its queue in pg-boss. */
  readonly queue: string;
  /** Its queue in the inbox. */
  readonly event: string;
  /** Its transaction, while that is at its end, and has locked the job. */
  commit?: Promise<unknown> | undefined;
}

/** A job whose end is to be written. `forgotten`: its event is deleted. */
export interface EndedJob extends Partial<Omit<FailedLease, "lease">> {
  readonly lease: HeldJob;
  readonly as: "done" | "failed" | "released" | "forgotten";
}

/** Another attempt has one of the jobs, or its event is processed. */
export class NotHeldError extends Error {
  constructor() {
    super(notProcessedHere().message);
  }
}

export const attemptsOf = (jobs: readonly HeldJob[]) =>
  jobs.map(({ id, retryCount }) => ({ id, retryCount }));

/** @throws {NotHeldError} if not all of the jobs were found as they were. */
export function expectAll(jobs: readonly unknown[], found: number | { affected?: unknown }): void {
  if (Number(typeof found === "number" ? found : found.affected) !== jobs.length) {
    throw new NotHeldError();
  }
}

/** Writes how jobs ended. @throws {NotHeldError} if one of them is not held any more. */
export async function writeEnds(store: Store, db: Db, ended: readonly EndedJob[]): Promise<void> {
  const endedAs = (how: EndedJob["as"]) => ended.filter(({ as }) => as === how);
  const keysOf = (how: EndedJob["as"]) => endedAs(how).map(({ lease }) => lease.key);
  const done = keysOf("done").sort();
  if (done.length > 0) expectAll(done, await store.ledger.done(db, done));
  const forgotten = keysOf("forgotten");
  if (forgotten.length > 0) await store.ledger.delete(db, forgotten);
  const failed = endedAs("failed").map(({ lease, error = "", retryInMs }) => {
    return { key: lease.key, attempts: lease.attempt, error, retryInMs };
  });
  if (failed.length > 0) expectAll(failed, await store.ledger.failed(db, failed));
  const jobs = ended.map(({ lease }) => lease);
  for (const queue of new Set(jobs.map((job) => job.queue))) {
    const ofQueue = attemptsOf(jobs.filter((job) => job.queue === queue));
    expectAll(ofQueue, await store.boss.deleteJob(queue, ofQueue, { db }));
  }
  // New jobs: pg-boss would count an attempt at the old ones.
  const again = ended.flatMap(({ lease: { key, event, attempt, traceContext }, as, retryInMs }) => {
    const job = { key, event, traceContext };
    if (as === "released") return [{ ...job, attempts: attempt - 1 }];
    return retryInMs === undefined ? [] : [{ ...job, attempts: attempt, delayMs: retryInMs }];
  });
  await store.addJobs(db, again);
}

/** How long a handler may do something else in the middle of its transaction. */
const MAX_IDLE_MS = 300_000;

/** How long the wait between the end of an event and its COMMIT may be, by default. */
const COMMIT_TIMEOUT_MS = 20_000;

/**
 * PostgreSQL ends a transaction that waits longer. Without it, a process that is stopped would keep its
 * locks, and no other process could take its event.
 */
const limitIdle = (db: Db, ms: number) =>
  db.executeSql(`SET LOCAL idle_in_transaction_session_timeout = ${ms}`);

/** The transaction of a handler: it ends the event, too. @param isHeld - Whether it still may. */
export function jobTransaction(store: Store, job: HeldJob, isHeld: () => boolean): Transaction {
  const { commitTimeoutMs = COMMIT_TIMEOUT_MS } = store.settings.tuning;
  return async <Result, Connection>(
    write: (connection: Connection) => Result | Promise<Result>,
  ) => {
    const commit: Promise<Result> = store.userTransaction(async (client, db) => {
      await limitIdle(db, MAX_IDLE_MS);
      await db.executeSql(`SAVEPOINT ${SAVEPOINT}`);
      const written = await write(client as Connection);
      await db.executeSql(`RELEASE SAVEPOINT ${SAVEPOINT}`).catch((error: unknown) => {
        // A lost connection is no fault of the handler: PostgreSQL rolls back.
        throw isSavepointGone(error) ? endedByHandler(error) : error;
      });
      if (!isHeld()) throw notProcessedHere();
      // From here on, the event itself is locked.
      job.commit = commit;
      await limitIdle(db, commitTimeoutMs);
      await writeEnds(store, db, [{ lease: job, as: "done" }]);
      return written;
    });
    return commit.finally(() => {
      job.commit = undefined;
    });
  };
}
