/**
 * An inbox in a SQLite file: for one machine, with nothing to run beside it.
 *
 * @module malipo/inbox/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { checkOptionNames } from "../../../internal/check-options.ts";
import { asOwnEvent } from "../conflicts.ts";
import { WorkerSlot } from "../lease-worker.ts";
import { checkRetention, DEFAULT_PACE, type Pace } from "../pace.ts";
import type { Inbox } from "../types.ts";
import { openDisk } from "./disk.ts";
import { inTransaction, modeWarning, openFile, whenFree } from "./file.ts";
import { Rows } from "./rows.ts";
import { SqliteStore } from "./store.ts";
import { WaitingRows } from "./waiting-rows.ts";

/** An inbox in a SQLite file. */
export interface SqliteInbox extends Inbox {
  /** The database, for your own tables that a handler's `transaction` writes. */
  readonly database: DatabaseSync;
  /** Closes the file. Call it after `receiver.stop()`. */
  close(): void;
}

const OPTIONS = ["retentionMs", "pace"];

/**
 * Keeps deliveries in a SQLite file: durable before the 200, processed by any process on this machine
 * that shares the file, nothing lost at any `kill -9`. Needs only Node. A new file is readable only by
 * its owner. The body of an event is dropped when the event is processed.
 *
 * Deliveries that arrive together share one commit; each is acknowledged after it. A handler's
 * `transaction` runs its own writes to tables in this file and "processed" in one transaction.
 *
 * @param path - The file; it is created where it is missing. Not on a network file system.
 * @param options - `retentionMs`: how long processed events are remembered, in milliseconds, so that
 * late duplicates are recognised. Set it longer than the service retries a delivery. Default: 14 days.
 * @throws {ConfigurationError} for a file that cannot be opened or written, or is not a database.
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
  checkOptionNames(options, OPTIONS, "sqliteInbox");
  const retentionMs = checkRetention(options.retentionMs);
  const { pace = DEFAULT_PACE } = options;
  const database = openFile(path);
  const disk = openDisk(database);
  const rows = new Rows(database, pace, retentionMs);
  const worker = new WorkerSlot();
  const store = new SqliteStore(database, disk, rows, () => worker.poll());
  const waiting = new WaitingRows(database, retentionMs);
  const inOneTransaction = async (work: () => void) => {
    const failure = disk.failure();
    if (failure !== undefined) throw failure;
    await whenFree(() => inTransaction(database, work));
  };
  /** Does it to all of them or to none, and has the worker take what is due. */
  const requeue = async (work: () => void) => {
    await inOneTransaction(work);
    worker.poll();
  };
  return {
    database,
    retentionMs,
    accept: (delivery) => store.accept(delivery),
    start: async (workerOptions) => {
      await whenFree(() => rows.takeKinds(workerOptions));
      worker.start(store, workerOptions, pace);
      const warning = modeWarning(path);
      if (warning !== undefined) workerOptions.onError(warning);
    },
    stop: (timeoutMs) => worker.stop(timeoutMs),
    stats: () => whenFree(() => rows.stats()),
    deadLetters: {
      list: (filter) => whenFree(() => waiting.deadLetters(filter)),
      requeue: (ids) => requeue(() => waiting.requeueDead(ids)),
      drop: (ids) => inOneTransaction(() => waiting.dropDead(ids)),
    },
    conflicts: {
      list: (filter) => whenFree(() => waiting.conflicts(filter)),
      requeue: (ids) =>
        requeue(() => {
          for (const delivery of waiting.endConflicts(ids)) rows.store(asOwnEvent(delivery));
        }),
      drop: (ids) => inOneTransaction(() => void waiting.endConflicts(ids)),
    },
    close: () => {
      disk.close();
      database.close();
    },
  };
}
