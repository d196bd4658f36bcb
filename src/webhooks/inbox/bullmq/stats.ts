import type { Job, Queue } from "bullmq";
import { type InboxStats, queuesOf, type WorkerOptions } from "../types.ts";
import type { InboxQueue } from "./queue.ts";
import { storedEventIn } from "./records.ts";
import { type RedisClient, type RedisClock, runAll } from "./redis.ts";

/**
 * How many jobs of a queue could be processed now. Each worker that asked for a job has moved those there
 * whose wait was over.
 */
export const dueJobs = (queue: Queue): Promise<number> =>
  queue.getJobCountByTypes("waiting", "prioritized");

/** When a waiting job became due: after it was added, or after its last attempt and the wait. */
const dueAt = ({ timestamp, processedOn = 0, delay = 0 }: Job): number =>
  Math.max(timestamp, processedOn + delay);

async function queueStats(redis: RedisClient, inboxQueue: InboxQueue) {
  const queue = await inboxQueue.open();
  const { ledger } = inboxQueue;
  const { retrying: retries, deadLetters, conflicts: conflictIds } = ledger.keys;
  const own = redis.pipeline().zcard(retries).zcard(deadLetters).zcard(conflictIds);
  own.zrange(retries, "0", "0", "WITHSCORES");
  const [counts, [head], [retrying, dead, conflicts, first]] = await Promise.all([
    queue.getJobCounts("waiting", "prioritized", "delayed", "active"),
    queue.getJobs(["waiting"], 0, 0, true),
    runAll(own),
  ]);
  const { active = 0, ...others } = counts;
  return {
    waiting: Object.values(others).reduce((sum, count) => sum + count, 0),
    running: active,
    retrying: Number(retrying),
    dead: Number(dead),
    conflicts: Number(conflicts),
    oldestRetrying: oldestOf((first as string[])[1]),
    oldest: oldestOf(head && storedEventIn(head.data)?.receivedAt),
    due: head === undefined ? Number.POSITIVE_INFINITY : dueAt(head),
  };
}

const oldestOf = (time: number | string | undefined): number =>
  time === undefined ? Number.POSITIVE_INFINITY : Number(time);

const orNull = (time: number): number | null => (Number.isFinite(time) ? time : null);

/** What the queues hold together. */
export async function inboxStats(
  redis: RedisClient,
  queues: readonly InboxQueue[],
  clock: RedisClock,
  options: WorkerOptions | undefined,
): Promise<InboxStats> {
  const all = await Promise.all(queues.map((queue) => queueStats(redis, queue)));
  const sum = (count: (stats: (typeof all)[number]) => number) =>
    all.reduce((total, stats) => total + count(stats), 0);
  const worksOn = options && queuesOf(options);
  const unhandled = all.filter((_, at) => worksOn?.includes(queues[at]?.kind as string) === false);
  const oldestRetrying = Math.min(...all.map((stats) => stats.oldestRetrying));
  const oldest = Math.min(oldestRetrying, ...all.map((stats) => stats.oldest));
  const handled = all.filter((stats) => !unhandled.includes(stats));
  const lateMs = clock.now() - Math.min(...handled.map(({ due }) => due));
  return {
    waiting: sum(({ waiting }) => waiting),
    unhandled: unhandled.reduce((total, { waiting }) => total + waiting, 0),
    running: sum(({ running }) => running),
    dead: sum(({ dead }) => dead),
    conflicts: sum(({ conflicts }) => conflicts),
    retrying: sum(({ retrying }) => retrying),
    oldestRetrying: orNull(oldestRetrying),
    oldestWaiting: orNull(oldest),
    lagMs: Number.isFinite(lateMs) ? Math.max(0, Math.floor(lateMs)) : 0,
  };
}
