import { asOwnEvent, partsOfConflictId } from "../../conflicts.ts";
import { conflictNotFound } from "../../errors.ts";
import type { Conflict, EventList } from "../../event-list.ts";
import { addJob } from "../shards/accept.ts";
import { JOB_OPTIONS, type JobData, newJob } from "../shards/job-data.ts";
import { runScript, scriptArguments } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";
import { inTransaction } from "../shards/transaction.ts";
import { type JobSource, listJobs } from "./job-pages.ts";

const waitingConflicts = (shard: Shard): JobSource => ({
  redis: shard.redis,
  key: (id) => shard.conflictKey(id),
  ids: (from, to) => shard.redis.lrange(shard.conflictKey("wait"), from, to),
});

/** A conflict that waits for a person. */
interface Found {
  readonly id: string;
  readonly event: string;
  readonly data: JobData;
}

async function findIn(shard: Shard, id: string): Promise<Found | undefined> {
  const [event, data] = await shard.redis.hmget(shard.conflictKey(id), "name", "data");
  // Only its digest is left of one that a person has decided on.
  if (event == null || data == null) return undefined;
  return { id, event, data: JSON.parse(data) as JobData };
}

/** The conflicts by their shards. Rejects where one of the ids is not a conflict that waits. */
async function placesOf(
  shards: readonly Shard[],
  ids: readonly string[],
): Promise<Map<Shard, Found[]>> {
  const places = new Map<Shard, Found[]>();
  const known = new Set<string>();
  for (const shard of shards) {
    const all = await Promise.all(ids.map((id) => findIn(shard, id)));
    const here = all.filter((one) => one !== undefined);
    for (const { id } of here) known.add(id);
    if (here.length > 0) places.set(shard, here);
  }
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw conflictNotFound(unknown);
  return places;
}

/** The arguments of the script that ends conflicts. */
function endOf(shard: Shard, found: readonly Found[], retentionMs: number) {
  const ids = found.map(({ id }) => id);
  const keys = [shard.conflictKey("wait"), ...ids.map((id) => shard.conflictKey(id))];
  return { keys, args: [retentionMs, ...ids] };
}

/** The job of a conflict that is processed. */
function ownJob({ id, event, data }: Found) {
  const { key } = asOwnEvent({ ...partsOfConflictId(id), event, raw: EMPTY, ...data });
  return newJob(key, event, data, JOB_OPTIONS);
}

const EMPTY = new Uint8Array(0);

/** The conflicts: jobs of a queue of their own that no worker takes. */
export function conflictList(
  shards: () => Promise<Shard[]>,
  retentionMs: number,
  replicas: number,
): EventList<Conflict> {
  return {
    list: async (filter) => {
      const jobs = await listJobs((await shards()).map(waitingConflicts), filter);
      return jobs.map(({ id, event, receivedAt, data: { body, signature } }) => ({
        id,
        event,
        body,
        receivedAt,
        signature,
      }));
    },
    requeue: async (ids) => {
      for (const [shard, found] of await placesOf(await shards(), ids)) {
        const { keys, args } = endOf(shard, found, retentionMs);
        await shard.unprepared;
        const replies = await inTransaction(shard.redis, replicas, async (runner) => {
          await Promise.all(found.map((one) => addJob(runner, shard.backend, ownJob(one))));
          runner.runCommand("malipoEndConflicts", scriptArguments(keys, args));
        });
        for (const reply of replies) if (reply instanceof Error) throw reply;
      }
    },
    drop: async (ids) => {
      for (const [shard, found] of await placesOf(await shards(), ids)) {
        const { keys, args } = endOf(shard, found, retentionMs);
        await runScript(shard.redis, "malipoEndConflicts", keys, args);
      }
    },
  };
}
