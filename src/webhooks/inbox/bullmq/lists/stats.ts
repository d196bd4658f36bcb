import type { InboxStats } from "../../types.ts";
import { type RedisClient, runScript } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";
import { surveyShard } from "../work/survey.ts";

/** So many waiting events are looked at for the oldest one. */
const MAX_LOOKS = 2_000;

/** BullMQ's sorted set of delayed jobs: the time in milliseconds, and 12 bits that keep the order. */
const SCORE_PER_MS = 0x1000;

/** How many jobs are in the parts of a queue. */
async function countJobs(redis: RedisClient, shard: Shard): Promise<number[]> {
  const replies = await redis
    .pipeline()
    .llen(shard.key("wait"))
    .llen(shard.key("paused"))
    .zcard(shard.key("prioritized"))
    .zcard(shard.key("delayed"))
    .llen(shard.key("active"))
    .zcard(shard.key("failed"))
    .llen(shard.conflictKey("wait"))
    .exec();
  return (replies ?? []).map(([error, count]) => {
    if (error !== null) throw error;
    return Number(count);
  });
}

/** How many processed events are remembered. Forgets the counts of those that are forgotten. */
async function countRemembered(redis: RedisClient, shard: Shard): Promise<number> {
  const now = Date.now();
  const counts = Object.entries(await redis.hgetall(shard.countsKey));
  const ended = counts.filter(([end]) => Number(end) < now).map(([end]) => end);
  if (ended.length > 0) await redis.hdel(shard.countsKey, ...ended);
  const alive = counts.filter(([end]) => Number(end) >= now);
  return alive.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** When the oldest waiting event was received, and since when the first due one is due. */
async function firstWaiting(redis: RedisClient, shard: Shard) {
  const [wait, delayed] = [shard.key("wait"), shard.key("delayed")];
  const [[oldest, due], [, score]] = (await Promise.all([
    runScript(redis, "malipoOldest", [wait, delayed], [shard.key(""), MAX_LOOKS]),
    redis.zrange(delayed, "0", "0", "WITHSCORES"),
  ])) as [(string | null)[], string[]];
  const planned = score === undefined ? Number.POSITIVE_INFINITY : Number(score) / SCORE_PER_MS;
  return {
    oldest: oldest == null ? Number.POSITIVE_INFINITY : Number(oldest),
    due: Math.min(planned, due == null ? Number.POSITIVE_INFINITY : Number(due)),
  };
}

async function shardStats(shard: Shard, kinds: readonly string[] | undefined) {
  const { redis } = shard;
  const [counts, remembered, { oldest, due }, { unhandled }] = await Promise.all([
    countJobs(redis, shard),
    countRemembered(redis, shard),
    firstWaiting(redis, shard),
    surveyShard(redis, shard, kinds),
  ]);
  const [wait = 0, paused = 0, prioritized = 0, delayed = 0, running = 0, dead = 0, conflicts = 0] =
    counts;
  const waiting = wait + paused + prioritized + delayed;
  const stored = waiting + running + dead + remembered;
  return { stored, waiting, unhandled, running, dead, conflicts, oldest, due };
}

/** What the shards hold together. */
export async function inboxStats(
  shards: readonly Shard[],
  kinds: readonly string[] | undefined,
): Promise<InboxStats> {
  const all = await Promise.all(shards.map((shard) => shardStats(shard, kinds)));
  const sum = (count: (stats: (typeof all)[number]) => number) =>
    all.reduce((total, stats) => total + count(stats), 0);
  const oldest = Math.min(...all.map((stats) => stats.oldest));
  const late = Date.now() - Math.min(...all.map(({ due }) => due));
  return {
    stored: sum(({ stored }) => stored),
    waiting: sum(({ waiting }) => waiting),
    unhandled: sum(({ unhandled }) => unhandled),
    running: sum(({ running }) => running),
    dead: sum(({ dead }) => dead),
    conflicts: sum(({ conflicts }) => conflicts),
    oldestWaiting: Number.isFinite(oldest) ? oldest : null,
    lagMs: Number.isFinite(late) ? Math.max(0, Math.floor(late)) : 0,
  };
}
