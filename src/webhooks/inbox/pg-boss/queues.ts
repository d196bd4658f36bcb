import type { ConstructorOptions, Db, PgBoss, UpdateQueueOptions } from "pg-boss";
import { merchantOf } from "../delivery.ts";
import { EventMissingError } from "../errors.ts";
import type { TraceContext } from "../inbox-types.ts";
import { QUEUES, queueOf } from "../kinds.ts";
import { MAX_BACKOFF_MS, type Pace } from "../pace.ts";

/** Settings that tests make faster. */
export interface Tuning {
  readonly boss?: ConstructorOptions;
  readonly queue?: UpdateQueueOptions;
  readonly engineTimeoutMs?: number;
  /** How long a transaction may wait between the end of its event and its COMMIT. */
  readonly commitTimeoutMs?: number;
  /** Time between two runs of the maintenance. */
  readonly maintenanceMs?: number;
  readonly pace?: Partial<Pace>;
}

/**
 * For a pg-boss that the inbox creates: a worker that died is noticed within its heartbeat and one such
 * interval, not after minutes.
 */
export const BOSS_OPTIONS = {
  monitorIntervalSeconds: 10,
  superviseIntervalSeconds: 10,
  maintenanceIntervalSeconds: 600,
  schedule: false,
} as const satisfies ConstructorOptions;

const HEARTBEAT_S = 15;

export const heartbeatMsOf = ({ queue }: Tuning): number =>
  (queue?.heartbeatSeconds ?? HEARTBEAT_S) * 1_000;

const QUEUE_OPTIONS = {
  // The ledger ends an event after its last attempt. pg-boss would end it without a dead letter.
  retryLimit: 1_000_000,
  // For the events of a process that died.
  retryBackoff: true,
  retryDelay: 1,
  retryDelayMax: MAX_BACKOFF_MS / 1_000,
  heartbeatSeconds: HEARTBEAT_S,
  // The receiver limits the time of a handler. This is the longest that pg-boss allows.
  expireInSeconds: 86_400,
  // An accepted delivery must not be dropped because it waited long. pg-boss has no "for ever".
  retentionSeconds: 60 * 365 * 86_400,
} as const satisfies UpdateQueueOptions;

/** The name that a queue of the inbox has in pg-boss. */
export const engineQueue = (inbox: string, queue: string): string => `${inbox}/${queue}`;

/**
 * Creates the queues that are missing, and updates the settings of the others. Resolves with when each
 * was created: a later time than before means that it has lost its jobs.
 */
export async function createQueues(
  boss: PgBoss,
  inbox: string,
  tuning: Tuning,
): Promise<Record<string, string>> {
  const options: UpdateQueueOptions = { ...QUEUE_OPTIONS, ...tuning.queue };
  const names = QUEUES.map((queue) => engineQueue(inbox, queue));
  const found = new Map((await boss.getQueues(names)).map((one) => [one.name, one]));
  for (const name of names) {
    const queue = found.get(name);
    if (queue === undefined) await boss.createQueue(name);
    const isSame = Object.entries(options).every(
      ([option, value]) => (queue?.[option as keyof typeof options] ?? null) === value,
    );
    if (!isSame) await boss.updateQueue(name, options);
  }
  const created = await boss.getQueues(names);
  return Object.fromEntries(created.map(({ name, createdOn }) => [name, createdOn.toISOString()]));
}

/** An event for which pg-boss is to have a job. */
export interface QueuedEvent {
  readonly key: string;
  readonly event: string;
  /** Attempts before this job. */
  readonly attempts?: number;
  /** How long to wait before it is due. */
  readonly delayMs?: number;
  /** Its merchant is the group of the job. */
  readonly traceContext?: TraceContext | undefined;
}

/** What a job holds: the ledger has the event. */
export interface JobData {
  readonly format: 1;
  readonly key: string;
  /** Attempts before this job. */
  readonly attempts: number;
}

/** Adds jobs. @throws {EventMissingError} if pg-boss has not stored all of them. */
export async function addJobs(
  boss: PgBoss,
  inbox: string,
  events: readonly QueuedEvent[],
  db: Db,
): Promise<void> {
  for (const queue of new Set(events.map(({ event }) => queueOf(event)))) {
    const jobs = events
      .filter(({ event }) => queueOf(event) === queue)
      .map(({ key, attempts = 0, delayMs = 0, traceContext }) => {
        const data: JobData = { format: 1, key, attempts };
        const id = merchantOf(traceContext);
        // Seconds, by the clock of the server.
        return { data, startAfter: delayMs / 1_000, ...(id !== undefined && { group: { id } }) };
      });
    const added = await boss.insert(engineQueue(inbox, queue), jobs, { db, returnId: true });
    if (added?.length !== jobs.length) throw new EventMissingError();
  }
}
