import type { ConstructorOptions, PgBoss, UpdateQueueOptions } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { EventMissingError } from "../errors.ts";
import { MAX_BACKOFF_MS } from "../pace.ts";
import { MAX_ATTEMPTS } from "../types.ts";

/** Settings that tests make faster. */
export interface Tuning {
  readonly boss?: ConstructorOptions;
  readonly queue?: UpdateQueueOptions;
  readonly engineTimeoutMs?: number;
  /** How long a transaction may wait between the end of its event and its COMMIT. */
  readonly commitTimeoutMs?: number;
  /** Time between two looks for retries that wait too long. */
  readonly clockCheckMs?: number;
}

export const noReply = (): Error => new Error("PostgreSQL does not reply.");

/**
 * For a pg-boss that the inbox creates: a worker that died is noticed within its heartbeat and one such
 * interval, not after minutes, and what is over is deleted every ten minutes, not once a day.
 */
export const BOSS_OPTIONS = {
  application_name: "malipo",
  monitorIntervalSeconds: 10,
  superviseIntervalSeconds: 10,
  maintenanceIntervalSeconds: 600,
  schedule: false,
  connectionTimeoutMillis: 5_000,
} as const satisfies ConstructorOptions;

// An accepted delivery must not be dropped because it waited long. pg-boss has no "for ever".
export const SIXTY_YEARS_S = 60 * 365 * 86_400;

const HEARTBEAT_S = 15;

const QUEUE_OPTIONS = {
  retryLimit: MAX_ATTEMPTS - 1,
  // Exponential from a second, with the jitter that pg-boss has: from half to the whole.
  retryBackoff: true,
  retryDelay: 1,
  retryDelayMax: MAX_BACKOFF_MS / 1_000,
  heartbeatSeconds: HEARTBEAT_S,
  // The receiver limits the time of a handler. This is the longest that pg-boss allows.
  expireInSeconds: 86_400,
  retentionSeconds: SIXTY_YEARS_S,
  // Never: the event of a dead letter is remembered as long as that is there. The statement that
  // completes an event sets when the event is forgotten.
  deleteAfterSeconds: 0,
} as const satisfies UpdateQueueOptions;

export const heartbeatMsOf = ({ queue }: Tuning): number =>
  (queue?.heartbeatSeconds ?? HEARTBEAT_S) * 1_000;

/** No job has this id. */
const NO_JOB = "00000000-0000-0000-0000-000000000000";

/** The table of a queue's jobs, with its schema. Only the statements of pg-boss name it. */
async function jobTable(boss: PgBoss, queue: string): Promise<string> {
  let statement = "";
  const executeSql = async (text: string) => {
    statement = text;
    return { rows: [] };
  };
  await boss.findJobs(queue, { id: NO_JOB, db: { executeSql } });
  const [, table] = /\bFROM\s+(\S+)/.exec(statement) ?? [];
  if (table === undefined) throw new Error("This version of pg-boss is not known. Use version 12.");
  return table;
}

// The codes of PostgreSQL for a table, a schema and a function that are not there.
const MISSING_CODES = new Set(["42P01", "3F000", "42883"]);

/** Whether an error says that the tables or the queues are gone, which were there before. */
export function isSchemaMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (error instanceof EventMissingError || MISSING_CODES.has(String(code))) return true;
  return /^Queue .* does not exist$/.test(String(message));
}

/** A queue of pg-boss, and the table that holds its jobs. */
export interface Queue {
  readonly name: string;
  readonly table: string;
}

/** The queue of deliveries, and the queues of dead letters and of conflicts beside it. */
export interface Queues {
  readonly deliveries: Queue;
  readonly dead: Queue;
  readonly conflicts: Queue;
  /** The table of the settings of queues. */
  readonly settings: string;
}

export interface QueueSettings {
  readonly name: string;
  readonly retentionMs: number;
  readonly overrides: UpdateQueueOptions;
}

export const retentionSecondsOf = (retentionMs: number): number => Math.ceil(retentionMs / 1_000);

/** Creates the queues that are missing, and updates the settings of all. */
export async function createQueues(
  boss: PgBoss,
  { name, retentionMs, overrides }: QueueSettings,
): Promise<Queues> {
  const create = async (queue: string, options: UpdateQueueOptions): Promise<Queue> => {
    await boss.createQueue(queue);
    await boss.updateQueue(queue, options);
    return { name: queue, table: await jobTable(boss, queue) };
  };
  const retention = retentionSecondsOf(retentionMs);
  const forgotten = { deleteAfterSeconds: retention };
  const dead = await create(`${name}-dead`, { ...forgotten, retentionSeconds: SIXTY_YEARS_S });
  const conflicts = await create(`${name}-conflicts`, {
    ...forgotten,
    retentionSeconds: retention,
  });
  const deliveries = await create(name, { ...QUEUE_OPTIONS, deadLetter: dead.name, ...overrides });
  const settings = deliveries.table.replace(/[^.]+$/, "queue");
  return { deliveries, dead, conflicts, settings };
}

/** One error for each setting with which this PostgreSQL can lose acknowledged deliveries. */
export async function checkDurability(boss: PgBoss): Promise<ConfigurationError[]> {
  const { rows } = await boss
    .getDb()
    .executeSql(
      "SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off'",
    );
  return (rows as { name: string }[]).map(
    ({ name }) =>
      new ConfigurationError(
        `This PostgreSQL loses acknowledged webhooks when it crashes: \`${name}\` is off. Set \`${name} = on\`.`,
      ),
  );
}
