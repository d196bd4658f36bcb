import type { Job } from "bullmq";
import { MAX_RETRY_WAIT_MS } from "../../pace.ts";
import type { JobData } from "../shards/job-data.ts";
import { type RedisClient, runScript } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";
import type { KeptEvent } from "./backend.ts";

/** So many of a kind are taken from one look to the next. */
const MAX_KEPT = 500;

/** So many jobs are read at a time. */
const PAGE = 1_000;

/** BullMQ's sorted set of delayed jobs: the time in milliseconds, and 12 bits that keep the order. */
const SCORE_PER_MS = 0x1000;

/** What a survey of a shard found. */
export interface Survey {
  /** How many retries wait longer than any retry is to wait. */
  readonly late: number;
  /** How many events are kept that this process does not take. */
  readonly unhandled: number;
  /** Kept events that this process takes. */
  readonly kept: KeptEvent[];
}

/** Looks for events that were kept, and for retries that wait too long. */
export async function surveyShard(
  redis: RedisClient,
  shard: Shard,
  kinds: readonly string[] | undefined,
): Promise<Survey> {
  const now = Date.now();
  const keys = [shard.keptKindsKey, shard.key("delayed")];
  const args = [shard.keptKey(""), now, now + MAX_RETRY_WAIT_MS, MAX_KEPT];
  const taken = kinds === undefined ? ["all"] : ["some", ...kinds];
  const reply = await runScript(redis, "malipoSurvey", keys, [...args, ...taken]);
  const [late, unhandled, pairs] = reply as [number, number, string[]];
  const kept: KeptEvent[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    kept.push({ kind: pairs[at] as string, id: pairs[at + 1] as string });
  }
  return { late, unhandled, kept };
}

/** Frees the retries that wait too long, because the clock was set back after they were planned. */
export async function freeLateRetries(shard: Shard): Promise<void> {
  const { queue, redis } = shard;
  const from = (Date.now() + MAX_RETRY_WAIT_MS) * SCORE_PER_MS;
  for (let at = 0; ; at += PAGE) {
    const ids = await redis.zrangebyscore(shard.key("delayed"), from, "+inf", "LIMIT", at, PAGE);
    const jobs = await Promise.all(ids.map((id) => queue.getJob(id)));
    const isLate = (job: Job<JobData> | undefined) => job?.data.keptUntil === undefined;
    for (const job of jobs.filter(isLate)) await job?.promote();
    if (ids.length < PAGE) return;
  }
}
