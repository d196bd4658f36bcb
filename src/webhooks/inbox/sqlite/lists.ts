import type { DatabaseSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import { notFoundIn } from "../errors.ts";
import { type LedgerAccess, listsOf } from "../ledger/lists.ts";
import { LedgerStatements, type Statement } from "../ledger/statements.ts";
import { forAPerson, type QueueCounts, statsOf } from "../ledger/stats.ts";
import type { InboxStats, Lists } from "../types.ts";
import { DIALECT } from "./schema.ts";
import type { SqliteStore } from "./store.ts";

// The driver binds values by their position only if the name of a parameter is `?1`.
const prepare = (database: DatabaseSync, { text }: Statement) =>
  database.prepare(text.replaceAll(/\$(\d)/g, "?$1"));

/** The lists of what waits for a person. @param requeued - Has what was requeued processed. */
export function fileLists(store: SqliteStore, retentionMs: number, requeued: () => void): Lists {
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

const PENDING = `
  SELECT queue, COUNT(*) AS count, ?1 - MIN(due_at) AS lag,
    SUM(${RUNS}) AS running,
    SUM(${RETRIES}) AS retrying,
    MIN(received_at) FILTER (WHERE NOT (${RUNS})) AS oldest,
    MIN(received_at) FILTER (WHERE ${RETRIES}) AS oldest_retrying
  FROM ${DIALECT.tables.events} WHERE state = 'pending' GROUP BY queue
`;

/**
 * Counts what an inbox holds, by indexes that hold only what is not processed.
 *
 * @param queues - Those that this process works on.
 */
export function countEvents(database: DatabaseSync, queues: readonly string[]): InboxStats {
  const counts = database.prepare(PENDING).all(uptimeMs()) as unknown as QueueCounts[];
  return statsOf(counts, queues, database.prepare(forAPerson(DIALECT)).all());
}
