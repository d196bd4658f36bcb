/**
 * An inbox in a SQLite file: for one machine, with nothing to run beside it.
 *
 * @module malipo/inbox/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { ownOptions } from "../../../internal/check-options.ts";
import { whenUnlocked } from "../../../internal/sqlite/locks.ts";
import { FileClock } from "../../../internal/sqlite/meta.ts";
import { modeWarning } from "../../../internal/sqlite/open.ts";
import { inTransactionWhenUnlocked } from "../../../internal/sqlite/transaction.ts";
import { WorkerSlot } from "../lease-worker.ts";
import { DEFAULT_PACE, type Pace, retentionFor } from "../pace.ts";
import type { Inbox, WorkerOptions } from "../types.ts";
import { type Disk, openDisk } from "./disk.ts";
import { InboxFile } from "./inbox-file.ts";
import { conflictList, deadLetterList, doubleList, type FileAccess, FileLists } from "./lists.ts";
import { Rows } from "./rows.ts";
import { DIALECT } from "./schema.ts";
import { FileStart } from "./start.ts";
import { Stats } from "./stats.ts";
import { SqliteStore } from "./store.ts";
import { Upkeep } from "./upkeep.ts";

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
  readonly upkeep: Upkeep;
  readonly lists: FileLists;
  readonly stats: Stats;
  readonly store: SqliteStore;
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
  const { pace = DEFAULT_PACE } = own;
  const retentionMs = retentionFor(own.retentionMs, pace);
  const worker = new WorkerSlot();
  const file = new InboxFile(path, (database) => open(database, pace, retentionMs, worker));
  const { database } = file;
  const read = async <Result>(work: (opened: Opened) => Result) => {
    const opened = await file.ready();
    return whenUnlocked(() => work(opened));
  };
  const write = async <Result>(work: (opened: Opened) => Result) => {
    const opened = await file.ready();
    const failure = opened.disk.failure();
    if (failure !== undefined) throw failure;
    return inTransactionWhenUnlocked(database, () => work(opened));
  };
  const access: FileAccess = {
    read: (work) => read(({ lists }) => work(lists)),
    write: (work) => write(({ lists }) => work(lists)),
    requeue: async (work) => {
      await write(({ lists, rows }) => work(lists, (delivery) => void rows.store(delivery)));
      worker.poll();
    },
  };
  const start = new FileStart();
  const begin = async (workerOptions: WorkerOptions, signal: AbortSignal) => {
    const { store } = await file.ready();
    if (signal.aborted) return;
    worker.start(store, workerOptions, pace);
    const warning = modeWarning(path);
    if (warning !== undefined) workerOptions.onError(warning);
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
    drain: async (workerOptions, limits) => {
      const { store } = await file.ready();
      return worker.drain(store, workerOptions, pace, limits);
    },
    horizon: () => read(({ upkeep }) => upkeep.horizon()),
    stats: () => read(({ stats }) => stats.count(worker.queues)),
    deadLetters: deadLetterList(access),
    conflicts: conflictList(access),
    doublePayments: doubleList(access),
    close: () => {
      start.stop();
      file.opened?.disk.close();
      database.close();
    },
  };
}

function open(database: DatabaseSync, pace: Pace, retentionMs: number, worker: WorkerSlot): Opened {
  const clock = new FileClock(database, DIALECT.tables.meta);
  const rows = new Rows(database, clock, pace, retentionMs);
  const upkeep = new Upkeep(database, rows, clock, pace, retentionMs);
  const lists = new FileLists(database, clock, retentionMs);
  const stats = new Stats(database);
  // Last, since it opens a file: what comes before may fail and be tried again.
  const disk = openDisk(database);
  const store = new SqliteStore(database, disk, rows, upkeep, () => worker.poll());
  return { disk, rows, upkeep, lists, stats, store };
}
