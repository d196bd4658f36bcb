import { Job, type Queue } from "bullmq";
import { deadLetterNotFound } from "../../errors.ts";
import type { DeadLetter, EventList } from "../../event-list.ts";
import { MAX_ATTEMPTS } from "../../types.ts";
import { runScript } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";
import { type JobSource, listJobs } from "./job-pages.ts";

const failedJobs = (shard: Shard): JobSource => ({
  redis: shard.redis,
  key: (id) => shard.key(id),
  ids: (from, to) => shard.redis.zrange(shard.key("failed"), `${from}`, `${to}`),
});

/** The ids by their shards. Rejects where one of them is not a dead letter. */
async function placesOf(
  shards: readonly Shard[],
  ids: readonly string[],
): Promise<Map<Shard, string[]>> {
  const places = new Map<Shard, string[]>();
  if (ids.length === 0) return places;
  const found = new Set<string>();
  for (const shard of shards) {
    const scores = await shard.redis.zmscore(shard.key("failed"), ...ids);
    const here = ids.filter((_, at) => scores[at] != null);
    for (const id of here) found.add(id);
    if (here.length > 0) places.set(shard, here);
  }
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw deadLetterNotFound(unknown);
  return places;
}

/** Where BullMQ says so: another process has requeued or dropped it in the meantime. */
const isDoneAlready = (error: unknown): boolean =>
  [-1, -3].includes((error as { code?: unknown }).code as number);

async function requeueJob(queue: Queue, shard: Shard, id: string): Promise<void> {
  const job = new Job(queue, "", undefined, {}, id);
  // In one round trip with the requeue of all others: nothing waits for a reply.
  const [reset, requeued] = await Promise.allSettled([
    // Attempts during which a process died do not count any more.
    shard.redis.hdel(shard.key(id), "stc"),
    job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true }),
  ]);
  if (reset.status === "rejected") throw reset.reason;
  if (requeued.status === "rejected" && !isDoneAlready(requeued.reason)) throw requeued.reason;
}

/** The dead letters: BullMQ's failed jobs. */
export function deadLetterList(
  shards: () => Promise<Shard[]>,
  retentionMs: number,
): EventList<DeadLetter> {
  return {
    list: async (filter) => {
      const jobs = await listJobs((await shards()).map(failedJobs), filter);
      return jobs.map(({ id, event, receivedAt, data, failedReason, attempts }) => ({
        id,
        event,
        body: data.body,
        attempts: Math.min(attempts, MAX_ATTEMPTS),
        error: failedReason,
        receivedAt,
        signature: data.signature,
      }));
    },
    requeue: async (ids) => {
      for (const [shard, here] of await placesOf(await shards(), ids)) {
        await Promise.all(here.map((id) => requeueJob(shard.queue, shard, id)));
      }
    },
    drop: async (ids) => {
      for (const [shard, here] of await placesOf(await shards(), ids)) {
        const jobs = here.map((id) => shard.key(id));
        const keys = [shard.countsKey, shard.key("failed"), ...jobs];
        await runScript(shard.redis, "malipoDropDeadLetters", keys, [retentionMs, ...here]);
      }
    },
  };
}
