/**
 * An inbox in a SQLite file: for one machine, with nothing to run beside it.
 *
 * @module malipo/inbox/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import {
  type Ended,
  type Lease,
  type LeaseStore,
  type LeaseWorker,
  startLeaseWorker,
} from "../lease-worker.ts";
import { retentionOf } from "../options.ts";
import {
  atWork,
  type Inbox,
  type NewDelivery,
  type Pace,
  type Receipt,
  STANDARD_PACE,
  type Transaction,
} from "../types.ts";
import { diskOf } from "./disk.ts";
import { inTransaction, openFile } from "./file.ts";
import { rowsOf } from "./rows.ts";

/** An inbox on a file. */
export interface SqliteInbox extends Inbox {
  /** The database: for tables of your own that are to be written in one transaction with "done". */
  readonly database: DatabaseSync;
  /** Closes the file. After `receiver.stop()`. */
  close(): void;
}

/** An accept that waits for the disk. */
interface Pending {
  readonly delivery: NewDelivery;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/**
 * Keeps deliveries in a SQLite file: durable before the 200, worked off by any process on this
 * machine that shares the file, nothing lost at any `kill -9`. Needs no server, and nothing but Node.
 *
 * Deliveries that come at once share one commit; each is acknowledged after it. A handler's
 * `transaction` runs its own writes to tables in this file and "done" in one transaction.
 *
 * @param path - The file; it is made where it is missing. Not on a network file system.
 * @param options - `retentionMs`: how long what was worked off is remembered, so that a late repeat
 * is known. Default: 14 days.
 * @throws {ConfigurationError} where the file cannot be opened or written, or is no database.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { sqliteInbox } from "malipo/inbox/sqlite";
 *
 * const receiver = createWebhookReceiver({ secret, inbox: sqliteInbox("/var/lib/shop/inbox.db") });
 * ```
 */
export function sqliteInbox(
  path: string,
  options: {
    retentionMs?: number | undefined;
    /** @internal */
    pace?: Pace | undefined;
  } = {},
): SqliteInbox {
  const retentionMs = retentionOf("sqliteInbox", options, ["retentionMs", "pace"]);
  const { pace = STANDARD_PACE } = options;
  const database = openFile(path);
  const disk = diskOf(database);
  const rows = rowsOf(database, pace, retentionMs);
  let pending: Pending[] = [];
  /** Written, and not yet on disk. */
  let written: (readonly [Pending, Receipt])[] = [];
  let syncing = false;
  let scheduled = false;
  let worker: LeaseWorker | undefined;

  /**
   * Everything that has come meanwhile, in one commit. How work ended does not wait for the disk: what
   * is done, and lost with the machine, is worked again, as if the machine had failed a moment before.
   */
  function turn(ended: readonly Ended[], count: number): Lease[] {
    const batch = pending;
    pending = [];
    if (batch.length + ended.length === 0 && !(count > 0 && rows.isDue())) return [];
    try {
      const [stored, leases] = disk.write(() => {
        const stored = batch.map((one) => [one, rows.store(one.delivery)] as const);
        for (const one of ended) rows.end(one);
        return [stored, rows.take(count)];
      });
      written = written.concat(stored);
      void sync();
      return leases;
    } catch (error) {
      for (const { reject } of batch) reject(error);
      throw error;
    }
  }

  async function sync(): Promise<void> {
    if (syncing) return;
    syncing = true;
    while (written.length > 0) {
      const batch = written;
      written = [];
      try {
        await disk.sync();
        for (const [{ resolve }, receipt] of batch) resolve(receipt);
      } catch (error) {
        for (const [{ reject }] of batch) reject(error);
      }
    }
    syncing = false;
    flushSoon();
  }
  /** Lets this turn of the event loop bring more. */
  function flushSoon(): void {
    if (scheduled || syncing) return;
    scheduled = true;
    setImmediate(flush);
  }

  function flush(): void {
    scheduled = false;
    worker?.look();
    try {
      // What still waits: nobody works, or no longer.
      turn([], 0);
    } catch {
      // They were told.
    }
  }

  const leases: LeaseStore = {
    turn,
    renew: (tokens) => disk.write(() => tokens.filter((token) => !rows.renew(token))),
    nextDueInMs: rows.nextDueInMs,
    isBusy: () => syncing || scheduled,
    transaction:
      (lease): Transaction =>
      async <Result, Connection>(write: (connection: Connection) => Result | Promise<Result>) =>
        inTransaction(database, () => {
          const result = write(database as Connection);
          if (isThenable(result)) {
            throw new ConfigurationError(
              "With SQLite, `transaction` takes a function that is not async: the commit comes when it returns.",
            );
          }
          if (!rows.done(lease)) {
            throw new Error("The event is done already, or its lease was lost to another process.");
          }
          return result;
        }),
  };

  return {
    database,
    accept: (delivery) =>
      new Promise((resolve, reject) => {
        pending.push({ delivery, resolve, reject });
        flushSoon();
      }),
    start: async (work) => {
      if (worker !== undefined) throw atWork();
      worker = startLeaseWorker(leases, work, pace);
    },
    stop: async (timeoutMs) => {
      await worker?.stop(timeoutMs);
      worker = undefined;
    },
    deadLetters: async () => rows.deadLetters(),
    requeue: async (id) => {
      rows.requeue(id);
      worker?.look();
    },
    close: () => {
      disk.close();
      database.close();
    },
  };
}
