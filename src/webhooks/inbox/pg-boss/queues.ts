import type { ConstructorOptions, PgBoss, UpdateQueueOptions } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { LONGEST_BACKOFF_MS, MOST_ATTEMPTS } from "../types.ts";

/** What a job holds. */
export interface Data {
  readonly key: string;
  readonly digest: string;
  readonly body: string;
  readonly secretIndex: number;
  readonly receivedAt: number;
}

/** What tests turn up. */
export interface Tuning {
  readonly boss?: ConstructorOptions;
  readonly queue?: UpdateQueueOptions;
  readonly answerMs?: number;
}

/** The queue, and those beside it. */
export const besides = (queue: string) => ({
  dead: `${queue}-dead`,
  conflicts: `${queue}-conflicts`,
});

/**
 * For a pg-boss of our own: a worker that has died is noticed within its heartbeat and one such
 * interval, not after minutes.
 */
export const BOSS_OPTIONS = {
  application_name: "malipo",
  monitorIntervalSeconds: 10,
  superviseIntervalSeconds: 10,
  schedule: false,
  connectionTimeoutMillis: 5_000,
} as const satisfies ConstructorOptions;

// What is accepted must not be dropped for having waited long: pg-boss knows no "for ever".
const SIXTY_YEARS_S = 60 * 365 * 86_400;

const QUEUE_OPTIONS = {
  retryLimit: MOST_ATTEMPTS - 1,
  // Doubling from a second, with the jitter that pg-boss has: from half to the whole.
  retryBackoff: true,
  retryDelay: 1,
  retryDelayMax: LONGEST_BACKOFF_MS / 1_000,
  heartbeatSeconds: 15,
  // The handler's own time limit is the receiver's: this is the longest that pg-boss takes.
  expireInSeconds: 86_400,
  retentionSeconds: SIXTY_YEARS_S,
} as const satisfies UpdateQueueOptions;

/** A job's id is a UUID: the first 128 bits of a key. The whole key is in the data. */
export const jobIdOf = (hex: string): string =>
  hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

export const isJobId = (id: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id);

/** Makes the queues where they are missing, and gives them their settings. */
export async function openQueues(
  boss: PgBoss,
  queue: string,
  retentionMs: number,
  tuned: UpdateQueueOptions,
): Promise<void> {
  const { dead, conflicts } = besides(queue);
  const retention = Math.ceil(retentionMs / 1_000);
  const remembered = { deleteAfterSeconds: retention };
  await boss.createQueue(dead);
  await boss.updateQueue(dead, { ...remembered, retentionSeconds: SIXTY_YEARS_S });
  await boss.createQueue(conflicts);
  await boss.updateQueue(conflicts, { ...remembered, retentionSeconds: retention });
  await boss.createQueue(queue);
  await boss.updateQueue(queue, { ...QUEUE_OPTIONS, ...remembered, deadLetter: dead, ...tuned });
}

/** What would make this database lose what it acknowledged, each with the way out. */
export async function distrust(boss: PgBoss): Promise<ConfigurationError[]> {
  const { rows } = await boss
    .getDb()
    .executeSql(
      "SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off'",
    );
  return (rows as { name: string }[]).map(
    ({ name }) =>
      new ConfigurationError(
        `This PostgreSQL cannot be trusted with webhooks: \`${name}\` is off: it loses acknowledged webhooks when it crashes. Set \`${name} = on\`.`,
      ),
  );
}
