import type { Db, Job as EngineJob, FetchOptions } from "pg-boss";
import { sha256Hex } from "#hmac";
import { bytesOf } from "../delivery.ts";
import { PROCESS_DIED, unreadable } from "../errors.ts";
import { type LedgerRow, requestIn } from "../ledger/rows.ts";
import { MAX_ATTEMPTS, queueOf } from "../types.ts";
import type { HeldJob } from "./ends.ts";
import { engineQueue, type JobData } from "./queues.ts";
import type { Store } from "./store.ts";

function isJobData(data: unknown): data is JobData {
  const { format, key, attempts } = (data ?? {}) as Partial<Record<keyof JobData, unknown>>;
  return format === 1 && /^[\da-f]{64}$/.test(String(key)) && Number.isInteger(attempts);
}

/**
 * Fetches jobs of a queue with their events, in a transaction of the caller. Those that no handler can
 * run are ended at once: dead letters, unless the event was processed before.
 */
export async function claimJobs(
  store: Store,
  db: Db,
  queue: string,
  options: FetchOptions,
): Promise<HeldJob[]> {
  const name = engineQueue(store.settings.inbox, queue);
  const jobs = await store.boss.fetch<object>(name, { ...options, db });
  const keys = jobs.flatMap(({ data }) => (isJobData(data) ? [data.key] : []));
  const rows = await store.ledger.read(db, keys);
  const fetched: HeldJob[] = [];
  const ended: string[] = [];
  for (const job of jobs) {
    const row = isJobData(job.data) ? rows.get(job.data.key) : undefined;
    const held = await claim(store, db, queue, job, row);
    if (held === undefined) ended.push(job.id);
    else fetched.push(held);
  }
  if (ended.length > 0) await store.boss.deleteJob(name, ended, { db });
  return fetched;
}

/** Resolves with `undefined` if no handler can run it. */
async function claim(
  { ledger }: Store,
  db: Db,
  queue: string,
  { id, name, retryCount, data }: EngineJob,
  row: LedgerRow | undefined,
): Promise<HeldJob | undefined> {
  if (row === undefined) {
    const key = isJobData(data) ? data.key : sha256Hex(id);
    const raw = bytesOf(JSON.stringify(data) ?? "");
    const error = unreadable("it is not in the ledger");
    const lost = { key, digest: key, event: queue, raw, secretIndex: 0, receivedAt: Date.now() };
    await ledger.insert(db, [{ ...lost, deadLetterReason: error }]);
    return undefined;
  }
  const { key, attempts } = data as JobData;
  const attempt = attempts + retryCount + 1;
  if (row.state !== "pending") return undefined;
  if (attempt > MAX_ATTEMPTS) {
    await ledger.failed(db, [{ key, attempts: MAX_ATTEMPTS, error: PROCESS_DIED }]);
    return undefined;
  }
  try {
    const { raw, kind } = row as { readonly raw: Uint8Array; readonly kind: string };
    const request = requestIn(row);
    const token = `${id}/${retryCount}`;
    const event = queueOf(kind);
    return { token, id, retryCount, queue: name, key, event, attempt, raw, ...request };
  } catch (error) {
    await ledger.failed(db, [{ key, attempts: attempt - 1, error: unreadable(error) }]);
    return undefined;
  }
}
