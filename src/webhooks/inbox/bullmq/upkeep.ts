import type { Job, Queue } from "bullmq";
import { MAX_RETRY_WAIT_MS } from "../pace.ts";
import { unreadableEvent } from "./processor.ts";
import type { InboxQueue } from "./queue.ts";
import { failureOf, retryAt, storedEventIn } from "./records.ts";

/** How many jobs are looked at, or removed, each time. */
const PAGE = 1_000;

/**
 * What one process does for a queue from time to time. Resolves with how many events it deleted that no
 * process worked on.
 */
export async function upkeep(inboxQueue: InboxQueue, isWorkedOn: boolean): Promise<number> {
  const queue = await inboxQueue.open();
  await inboxQueue.touch(isWorkedOn);
  await freeLateRetries(queue, inboxQueue.clock.now());
  await buryFailed(queue, inboxQueue);
  if (!(await inboxQueue.isAbandoned())) return 0;
  return forget(queue, inboxQueue);
}

/** Frees the retries that wait too long, because a clock was set back after they were planned. */
async function freeLateRetries(queue: Queue, now: number): Promise<void> {
  const isLate = (job: Job) => retryAt(job) > now + MAX_RETRY_WAIT_MS;
  // The last ones come first.
  const jobs = await queue.getJobs(["delayed"], 0, PAGE - 1, false);
  for (const job of jobs.filter(isLate)) await job.promote().catch(() => {});
}

/** Makes dead letters of jobs that BullMQ, or a person with a dashboard, has failed. */
async function buryFailed(queue: Queue, { ledger }: InboxQueue): Promise<void> {
  for (const job of await queue.getJobs(["failed"], 0, PAGE - 1)) {
    const error = failureOf(job) || "BullMQ has failed the job of this event.";
    const unreadable = unreadableEvent(job, error);
    await ledger.bury(job.id as string, { ...unreadable, ...storedEventIn(job.data) });
    await job.remove();
  }
}

/** Deletes events that waited for the whole retention, while no process worked on their queue. */
async function forget(queue: Queue, { ledger, clock, settings }: InboxQueue): Promise<number> {
  // The method goes by the clock of this process, the jobs by that of Redis.
  const graceMs = Math.max(0, Date.now() - (clock.now() - settings.retentionMs));
  let count = 0;
  for (const state of ["wait", "delayed"] as const) {
    const ids = await queue.clean(graceMs, PAGE, state);
    if (ids.length > 0) await ledger.forget(ids);
    count += ids.length;
  }
  return count;
}
