import type { Db } from "pg-boss";
import { queueOf } from "../types.ts";
import { engineQueue, type JobData } from "./queues.ts";
import type { Store } from "./store.ts";

/**
 * Deletes events that no process worked on for the whole retention, with their jobs. Resolves with how
 * many there were.
 */
export async function deleteUnprocessed(store: Store, db: Db): Promise<number> {
  const { boss, ledger, settings } = store;
  const expired = await ledger.unprocessed(db);
  let count = 0;
  for (const queue of new Set(expired.map(({ event }) => queueOf(event)))) {
    const keys = new Set(
      expired.filter(({ event }) => queueOf(event) === queue).map(({ key }) => key),
    );
    const name = engineQueue(settings.inbox, queue);
    const jobs = await boss.fetch<JobData>(name, { db, batchSize: keys.size });
    if (jobs.length === 0) continue;
    await boss.deleteJob(name, jobs, { db });
    const deleted = jobs.filter(({ data }) => keys.has(data.key)).map(({ data }) => data.key);
    count += await ledger.delete(db, deleted);
    // pg-boss has no way to hand back a job: others get a new one.
    const others = jobs.filter(({ data }) => !keys.has(data.key));
    await store.addJobs(
      db,
      others.map(({ data: { key, attempts }, retryCount }) => ({
        key,
        event: queue,
        attempts: attempts + retryCount,
      })),
    );
  }
  return count;
}
