/**
 * An inbox in a SQLite file: for one machine, with nothing to run beside it.
 *
 * @module malipo/inbox/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { ownOptions } from "../../../internal/check-options.ts";
import { modeWarning } from "../../../internal/sqlite/open.ts";
import { DEFAULT_PACE, type Pace, retentionFor } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import type { Inbox, WorkerOptions } from "../types.ts";
import { Workers } from "../workers.ts";
import { countEvents, fileLists } from "./lists.ts";
import { SqliteStore } from "./store.ts";

/** An inbox in a SQLite file. */
export interface SqliteInbox extends Inbox {
  /** The database, for your own tables that a handler's `transaction` writes. */
  readonly database: DatabaseSync;
  /** Closes the file. Call it after `receiver.stop()`. */
  close(): void;
}

const OPTIONS = ["retentionMs", "pace"];

/**
 * Stores deliveries in a SQLite file: durable before the 200, processed by any process on this machine
 * that shares the file, nothing lost at any `kill -9`. Needs only Node. A new file is readable only by
 * its owner. The body of an event is dropped when the event is processed.
 *
 * Deliveries that arrive together share one commit; each is acknowledged after it. A handler's
 * `transaction` runs its own writes to tables in this file and "processed" in one transaction.
 *
 * @param path - The file; it is created if it is missing. Not on a network file system. Another path is
 * another, empty inbox: first let the old one run empty.
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
  const store: SqliteStore = new SqliteStore(path, pace, retentionMs, () => workers.pollSoon());
  const workers = new Workers(() => store, pace);
  const reported = (options: WorkerOptions): WorkerOptions => ({
    ...options,
    onError: reportOncePerMinute(options.onError),
  });
  return {
    database: store.database,
    retentionMs,
    accept: (delivery) => store.accept(delivery),
    start: async (workerOptions) => {
      workers.start(reported(workerOptions));
      const warning = modeWarning(path);
      if (warning !== undefined) workerOptions.onError(warning);
    },
    stop: (timeoutMs) => workers.stop(timeoutMs),
    drain: (workerOptions, limits) => workers.drain(reported(workerOptions), limits),
    horizon: () => store.use(({ upkeep }) => upkeep.horizon()),
    stats: () => store.use(() => countEvents(store.database, workers.queues)),
    ...fileLists(store, retentionMs, () => workers.pollSoon()),
    close: () => store.close(),
  };
}
