import type { Queue } from "bullmq";
import { least, statsOf } from "../ledger/stats.ts";
import type { InboxStats } from "../types.ts";
import type { InboxQueue } from "./queue.ts";
import { retryAt, storedEventIn } from "./records.ts";
import { type RedisClient, runAll } from "./redis.ts";

/**
 * How many jobs of a queue could be processed now. Each worker that asked for a job has moved those there
 * whose wait was over.
 */
export const dueJobs = (queue: Queue): Promise<number> =>
  queue.getJobCountByTypes("waiting", "prioritized");

async function queueCounts(redis: RedisClient, inboxQueue: InboxQueue, now: number) {
  const queue = await inboxQueue.open();
  const { retrying, deadLetters, conflicts } = inboxQueue.ledger.keys;
  const own = redis.pipeline().zcard(retrying).zcard(deadLetters).zcard(conflicts);
  own.zrange(retrying, "0", "0", "WITHSCORES");
  const [counts, [head], [retries, dead, open, first]] = await Promise.all([
    queue.getJobCounts("waiting", "prioritized", "delayed", "active"),
    queue.getJobs(["waiting"], 0, 0, true),
    runAll(own),
  ]);
  const oldestRetrying = (first as string[])[1] ?? null;
  return {
    queue: inboxQueue.kind,
    count: Object.values(counts).reduce((sum, count) => sum + count, 0),
    running: counts.active,
    retrying: retries,
    oldest: least([oldestRetrying, storedEventIn(head?.data)?.receivedAt ?? null]),
    oldest_retrying: oldestRetrying,
    lag: head === undefined ? 0 : Math.floor(now - Math.max(head.timestamp, retryAt(head))),
    dead,
    conflicts: open,
  };
}

/** What the queues hold together. @param own - Those that this process works on. */
export async function inboxStats(
  redis: RedisClient,
  queues: readonly InboxQueue[],
  now: number,
  own: readonly string[],
): Promise<InboxStats> {
  const all = await Promise.all(queues.map((queue) => queueCounts(redis, queue, now)));
  return statsOf(all, own, all);
}
