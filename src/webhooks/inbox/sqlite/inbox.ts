/**
 * An inbox in a SQLite file: for one machine, with nothing to run beside it.
 *
 * @module malipo/inbox/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { ownOptions } from "../../../internal/check-options.ts";
import { asOwnEvent } from "../conflicts.ts";
import { WorkerSlot } from "../lease-worker.ts";
import { checkRetention, DEFAULT_PACE, type Pace } from "../pace.ts";
import type { Inbox, WorkerOptions } from "../types.ts";
import { type Disk, openDisk } from "./disk.ts";
import { cannotUse, inTransaction, isBusy, modeWarning, whenFree } from "./file.ts";
import { InboxFile } from "./inbox-file.ts";
import { Rows } from "./rows.ts";
import { FileStart } from "./start.ts";
import { SqliteStore } from "./store.ts";
import { WaitingRows } from "./waiting-rows.ts";

/** An inbox in a SQLite file. */
export interface SqliteInbox extends Inbox {
  /** The database, for your own tables that a handler's `transaction` writes. */
  readonly database: DatabaseSync;
  /** Closes the file. Call it after `receiver.stop()`. */
  close(): void;
}

/** What works on the file once it has its tables. */
interface Opened {
  readonly disk: Disk;
  readonly rows: Rows;
  readonly store: SqliteStore;
  readonly waiting: WaitingRows;
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
 * @throws {ConfigurationError} for a file that cannot be opened or written, or is not a database. While
 * another process has the file locked, deliveries and `start` wait. After 5 s, deliveries are returned
 * with 503, and `start` calls `onError` and processes events as soon as the file is free.
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
  const own = ownOptions(options, OPTIONS, "sqliteInbox");
  const retentionMs = checkRetention(own.retentionMs);
  const { pace = DEFAULT_PACE } = own;
  const worker = new WorkerSlot();
  const file = new InboxFile(path, (database) => {
    const rows = new Rows(database, pace, retentionMs);
    const waiting = new WaitingRows(database, retentionMs);
    // Last, since it opens a file: what comes before may fail and be tried again.
    const disk = openDisk(database);
    const store = new SqliteStore(database, disk, rows, () => worker.poll());
    return { disk, rows, store, waiting };
  });
  const { database } = file;
  const inOneTransaction = async (work: (opened: Opened) => void) => {
    const opened = await file.ready();
    const failure = opened.disk.failure();
    if (failure !== undefined) throw failure;
    await whenFree(() => inTransaction(database, () => work(opened)));
  };
  /** Does it to all of them or to none, and has the worker take what is due. */
  const requeue = async (work: (opened: Opened) => void) => {
    await inOneTransaction(work);
    worker.poll();
  };
  const start = new FileStart();
  const begin = async (workerOptions: WorkerOptions, signal: AbortSignal) => {
    const { rows, store } = await file.ready();
    await whenFree(() => rows.takeKinds(workerOptions)).catch((error: unknown) => {
      throw isBusy(error) ? cannotUse(path, error) : error;
    });
    if (signal.aborted) return;
    worker.start(store, workerOptions, pace);
    const warning = modeWarning(path);
    if (warning !== undefined) workerOptions.onError(warning);
  };
  const read = async <Result>(work: (opened: Opened) => Result) => {
    const opened = await file.ready();
    return whenFree(() => work(opened));
  };
  return {
    database,
    retentionMs,
    accept: async (delivery) => (file.opened ?? (await file.ready())).store.accept(delivery),
    start: (workerOptions) =>
      start.start((signal) => begin(workerOptions, signal), workerOptions.onError),
    stop: async (timeoutMs) => {
      start.stop();
      await worker.stop(timeoutMs);
    },
    stats: () => read(({ rows }) => rows.stats()),
    deadLetters: {
      list: (filter) => read(({ waiting }) => waiting.deadLetters(filter)),
      requeue: (ids) => requeue(({ waiting }) => waiting.requeueDead(ids)),
      drop: (ids) => inOneTransaction(({ waiting }) => waiting.dropDead(ids)),
    },
    conflicts: {
      list: (filter) => read(({ waiting }) => waiting.conflicts(filter)),
      requeue: (ids) =>
        requeue(({ waiting, rows }) => {
          for (const delivery of waiting.endConflicts(ids)) rows.store(asOwnEvent(delivery));
        }),
      drop: (ids) => inOneTransaction(({ waiting }) => void waiting.endConflicts(ids)),
    },
    close: () => {
      start.stop();
      file.opened?.disk.close();
      database.close();
    },
  };
}
