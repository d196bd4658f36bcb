import type { DatabaseSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import { forAPerson, type QueueCounts, statsOf } from "../ledger/stats.ts";
import type { InboxStats } from "../types.ts";
import { DIALECT } from "./schema.ts";

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
  return statsOf(counts, queues, database.prepare(forAPerson(DIALECT)).get());
}
