import type { Db, Job as EngineJob, FetchOptions } from "pg-boss";
import { sha256Hex } from "#hmac";
import { bytesOf } from "../delivery.ts";
import { PROCESS_DIED, unreadable } from "../errors.ts";
import { MAX_ATTEMPTS } from "../inbox-types.ts";
import { includesKind, type Kinds, queueOf } from "../kinds.ts";
import { type LedgerRow, requestIn, traceContextIn } from "../ledger/rows.ts";
import { handBackMs } from "../pace.ts";
import type { HeldJob } from "./ends.ts";
import type { Store } from "./inbox-store.ts";
import { engineQueue, type JobData, type QueuedEvent } from "./queues.ts";

function isJobData(data: unknown): data is JobData {
  const { format, key, attempts } = (data ?? {}) as Partial<Record<keyof JobData, unknown>>;
  return format === 1 && /^[\da-f]{64}$/.test(String(key)) && Number.isInteger(attempts);
}

/** Jobs that were fetched. */
interface FetchedJobs {
  readonly held: HeldJob[];
  /** The queue may have more of them. */
  readonly hasMore: boolean;
}

/**
 * Fetches jobs of a queue with their events, in a transaction of the caller. Those that no handler can
 * run are ended at once: dead letters, unless the event was processed before. Those of other kinds get a
 * new job, which is due later: pg-boss has no way to hand back a job.
 */
export async function claimJobs(
  store: Store,
  db: Db,
  queue: string,
  kinds: Kinds,
  options: FetchOptions & { readonly batchSize: number },
): Promise<FetchedJobs> {
  const name = engineQueue(store.settings.inbox, queue);
  const jobs = await store.boss.fetch<object>(name, { ...options, db });
  const keys = jobs.flatMap(({ data }) => (isJobData(data) ? [data.key] : []));
  const rows = await store.ledger.read(db, keys);
  const held: HeldJob[] = [];
  const ended: string[] = [];
  const others: QueuedEvent[] = [];
  for (const job of jobs) {
    const row = isJobData(job.data) ? rows.get(job.data.key) : undefined;
    const isOther = row?.state === "pending" && !includesKind(kinds, String(row.kind));
    const one = isOther ? undefined : await claim(store, db, queue, job, row);
    if (one === undefined) ended.push(job.id);
    else held.push(one);
    if (isOther) others.push(againLater(job, row));
  }
  if (ended.length > 0) await store.boss.deleteJob(name, ended, { db });
  await store.addJobs(db, others);
  return { held, hasMore: jobs.length === options.batchSize };
}

/** The job of an event, for another process. */
function againLater({ data, retryCount }: EngineJob, row: LedgerRow): QueuedEvent {
  const { key, attempts } = data as JobData;
  const delayMs = handBackMs(Number(row.received_at), Date.now());
  const traceContext = traceContextIn(row);
  return { key, event: String(row.kind), attempts: attempts + retryCount, delayMs, traceContext };
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
