/**
 * An inbox in a SQLite file: for one machine, with nothing to run beside it.
 *
 * @module malipo/inbox/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { checkOptions } from "../../../internal/check-options.ts";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import { modeWarning, type SqliteSource } from "../../../storage/sqlite/open-file.ts";
import { notFoundIn } from "../errors.ts";
import type { Inbox, InboxStats, Lists, WorkerOptions } from "../inbox-types.ts";
import { includesKind, type Kinds, OTHER_QUEUE } from "../kinds.ts";
import { Workers } from "../lease-workers.ts";
import { type LedgerAccess, listsOf } from "../ledger/lists.ts";
import { LedgerStatements, type Statement } from "../ledger/review-statements.ts";
import { forAPerson, type KindCounts, statsOf } from "../ledger/stats.ts";
import { INBOX_OPTIONS, type Pace } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import { SqliteStore } from "./inbox-store.ts";
import { DIALECT } from "./tables.ts";

// The driver binds values by their position only if the name of a parameter is `?1`.
const prepare = (database: DatabaseSync, { text }: Statement) =>
  database.prepare(text.replaceAll(/\$(\d)/g, "?$1"));

/** The lists of what waits for a person. @param requeued - Has what was requeued processed. */
function fileLists(store: SqliteStore, retentionMs: number, requeued: () => void): Lists {
  const { database } = store;
  const now = () => String(store.open().clock.now());
  const statements = new LedgerStatements(DIALECT, retentionMs, now, () => String(uptimeMs()));
  const run = (statement: Statement) =>
    prepare(database, statement).run(...statement.values).changes > 0;
  const access: LedgerAccess = {
    statements,
    read: (statement) => store.use(() => prepare(database, statement).all(...statement.values)),
    insert: (statement) => store.change(() => run(statement)),
    decide: async (name, how, ids, deliveries) => {
      await store.change(({ events }) => {
        for (const id of ids) {
          if (!run(statements.decide(name, how, id))) throw notFoundIn(name, id);
        }
        for (const delivery of deliveries) events.store(delivery);
      });
      requeued();
    },
  };
  return listsOf(access);
}

const RUNS = "token IS NOT NULL AND due_at > ?1";
const RETRIES = `attempts > 0 AND NOT (${RUNS})`;

const counts = (kind: string, condition: string) => `
  SELECT ${kind} AS kind, COUNT(*) AS count, ?1 - MIN(due_at) AS lag,
    SUM(${RUNS}) AS running,
    SUM(${RETRIES}) AS retrying,
    MIN(received_at) FILTER (WHERE NOT (${RUNS})) AS oldest,
    MIN(received_at) FILTER (WHERE ${RETRIES}) AS oldest_retrying
  FROM ${DIALECT.tables.events} WHERE state = 'pending' AND ${condition} GROUP BY ${kind}
`;

/** A queue has the name of its kind, but for the one of all others. Each part has an index. */
const PENDING = [
  counts("queue", `queue <> '${OTHER_QUEUE}'`),
  counts("kind", `queue = '${OTHER_QUEUE}'`),
].join(" UNION ALL ");

/**
 * Counts what an inbox holds, by indexes that hold only what is not processed.
 *
 * @param kinds - Those that this process works on.
 */
function countEvents(database: DatabaseSync, kinds: Kinds): InboxStats {
  const found = database.prepare(PENDING).all(uptimeMs()) as unknown as KindCounts[];
  const isOwn = (kind: string) => includesKind(kinds, kind);
  return statsOf(found, isOwn, database.prepare(forAPerson(DIALECT)).all());
}

/** An inbox in a SQLite file. */
export interface SqliteInbox extends Inbox {
  /** The database, for your own tables that a handler's `transaction` writes. */
  readonly database: DatabaseSync;
  /** Closes the file. Call it after `receiver.stop()`. */
  close(): void;
}

/**
 * Stores deliveries in a SQLite file: durable before the 200, processed by any process on this machine
 * that shares the file, nothing lost at any `kill -9`. Needs only Node. A new file is readable only by
 * its owner. The body of an event is dropped when the event is processed.
 *
 * Deliveries that arrive together share one commit; each is acknowledged after it. A handler's
 * `transaction` runs its own writes to tables in this file and "processed" in one transaction.
 *
 * @param path - The file; it is created if it is missing. Not on a network file system. Another path is
 * another, empty inbox: first let the old one run empty. An open `DatabaseSync` is used unchanged.
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
  path: SqliteSource,
  options: {
    retentionMs?: number | undefined;
    /** @internal */
    pace?: Pace | undefined;
  } = {},
): SqliteInbox {
  const { retentionMs, pace } = checkOptions(options, INBOX_OPTIONS, "sqliteInbox");
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
    stats: () => store.use(() => countEvents(store.database, workers.kinds)),
    ...fileLists(store, retentionMs, () => workers.pollSoon()),
    close: () => store.close(),
  };
}
