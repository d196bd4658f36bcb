import type { Job, Queue } from "bullmq";
import { MAX_RETRY_WAIT_MS } from "../pace.ts";
import type { InboxQueue } from "./inbox-queue.ts";
import type { RedisClock } from "./meta.ts";
import { unreadableEvent } from "./processor.ts";
import { storedEventIn } from "./stored-event.ts";

/** How many jobs are looked at, or removed, at a time. */
const PAGE = 500;

/**
 * What one process does for a queue from time to time. Resolves with how many events it deleted that no
 * process worked on.
 */
export async function upkeep(
  inboxQueue: InboxQueue,
  isWorkedOn: boolean,
  { clock, retentionMs }: { readonly clock: RedisClock; readonly retentionMs: number },
): Promise<number> {
  const queue = await inboxQueue.open();
  await inboxQueue.meta.touch(isWorkedOn);
  await freeLateRetries(queue, clock.now());
  await buryFailed(queue, inboxQueue);
  if (!(await inboxQueue.meta.isAbandoned())) return 0;
  return forget(queue, inboxQueue, clock, retentionMs);
}

/** Frees the retries that wait too long, because a clock was set back after they were planned. */
async function freeLateRetries(queue: Queue, now: number): Promise<void> {
  const isLate = ({ processedOn = 0, delay = 0 }: Job) =>
    processedOn + delay > now + MAX_RETRY_WAIT_MS;
  // The last ones first: they free their places in the list.
  for (let late = PAGE; late >= PAGE; ) {
    const jobs = (await queue.getJobs(["delayed"], 0, PAGE - 1, false)).filter(isLate);
    for (const job of jobs) await job.promote().catch(() => {});
    late = jobs.length;
  }
}

/** Makes dead letters of jobs that BullMQ, or a person with a dashboard, has failed. */
async function buryFailed(queue: Queue, { ledger }: InboxQueue): Promise<void> {
  for (const job of await queue.getJobs(["failed"], 0, PAGE - 1)) {
    const error = job.failedReason || "BullMQ has failed the job of this event.";
    const unreadable = unreadableEvent(job, error);
    await ledger.bury(job.id as string, { ...unreadable, ...storedEventIn(job.data) });
    await job.remove();
  }
}

/** Deletes events that waited for the whole retention, while no process worked on their queue. */
async function forget(
  queue: Queue,
  { ledger }: InboxQueue,
  clock: RedisClock,
  retentionMs: number,
): Promise<number> {
  // The method goes by the clock of this process, the jobs by that of Redis.
  const graceMs = Math.max(0, Date.now() - (clock.now() - retentionMs));
  let count = 0;
  for (const state of ["wait", "delayed"] as const) {
    for (let ids = await queue.clean(graceMs, PAGE, state); ids.length > 0; ) {
      await ledger.forget(ids);
      count += ids.length;
      ids = ids.length < PAGE ? [] : await queue.clean(graceMs, PAGE, state);
    }
  }
  return count;
}
