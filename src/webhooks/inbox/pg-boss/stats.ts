import type { PgBoss } from "pg-boss";
import type { InboxStats } from "../types.ts";
import { storedKind } from "./job-data.ts";
import type { Queues } from "./queues.ts";

interface Counts {
  readonly waiting: number;
  readonly unhandled: number;
  readonly oldest: string | null;
  readonly lag: number | null;
  readonly stored: number;
  readonly running: number;
  readonly dead: number;
  readonly conflicts: number;
}

/** What the queues hold. @param kinds - Those that this process takes; all of them where it is missing. */
export async function countJobs(
  boss: PgBoss,
  { deliveries, dead, conflicts }: Queues,
  kinds: readonly string[] | undefined,
): Promise<InboxStats> {
  const waitingIn = (queue: string) => `name = ${queue} AND state < 'active' AND NOT blocked`;
  // The waiting ones by their index. The others have none.
  const { rows } = await boss.getDb().executeSql(
    `SELECT w.*, a.*,
       (SELECT count(*) FROM ${dead.table} WHERE ${waitingIn("$2")})::float8 AS dead,
       (SELECT count(*) FROM ${conflicts.table} WHERE ${waitingIn("$3")})::float8 AS conflicts
     FROM (
       SELECT count(*)::float8 AS waiting,
              count(*) FILTER (WHERE NOT is_taken)::float8 AS unhandled,
              min((data->>'receivedAt')::float8) AS oldest,
              extract(epoch FROM now() - min(start_after) FILTER (WHERE is_taken))::float8 * 1000 AS lag
         FROM ${deliveries.table},
              LATERAL (SELECT $4::text[] IS NULL OR data->>'event' = ANY($4::text[]) AS is_taken) AS t
        WHERE ${waitingIn("$1")}
     ) w, (
       SELECT count(*)::float8 AS stored, count(*) FILTER (WHERE state = 'active')::float8 AS running
         FROM ${deliveries.table} WHERE name = $1
     ) a`,
    [deliveries.name, dead.name, conflicts.name, kinds?.map(storedKind) ?? null],
  );
  const { oldest, lag, ...counts } = (rows as [Counts])[0];
  return {
    ...counts,
    oldestWaiting: oldest === null ? null : Number(oldest),
    lagMs: Math.max(0, Math.round(lag ?? 0)),
  };
}
