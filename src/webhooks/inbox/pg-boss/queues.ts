import type { ConstructorOptions, PgBoss, UpdateQueueOptions } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { deadLetterNotFound, EventMissingError, PROCESS_DIED } from "../errors.ts";
import { MAX_BACKOFF_MS, MAX_RETRY_WAIT_MS } from "../pace.ts";
import { exactText } from "../text.ts";
import {
  type DeadLetter,
  MAX_ATTEMPTS,
  type NewDelivery,
  type Receipt,
  receiptFor,
} from "../types.ts";

/** What a job holds. */
export interface JobData {
  readonly key: string;
  readonly digest: string;
  readonly body: string;
  readonly secretIndex: number;
  readonly receivedAt: number;
}

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
 * interval, not after minutes.
 */
export const BOSS_OPTIONS = {
  application_name: "malipo",
  monitorIntervalSeconds: 10,
  superviseIntervalSeconds: 10,
  schedule: false,
  connectionTimeoutMillis: 5_000,
} as const satisfies ConstructorOptions;

// An accepted delivery must not be dropped because it waited long. pg-boss has no "for ever".
const SIXTY_YEARS_S = 60 * 365 * 86_400;

const QUEUE_OPTIONS = {
  retryLimit: MAX_ATTEMPTS - 1,
  // Exponential from a second, with the jitter that pg-boss has: from half to the whole.
  retryBackoff: true,
  retryDelay: 1,
  retryDelayMax: MAX_BACKOFF_MS / 1_000,
  heartbeatSeconds: 15,
  // The receiver limits the time of a handler. This is the longest that pg-boss allows.
  expireInSeconds: 86_400,
  retentionSeconds: SIXTY_YEARS_S,
} as const satisfies UpdateQueueOptions;

/** A job's id is a UUID: the first 128 bits of a key. The whole key is in the data. */
const jobIdOf = (hex: string): string =>
  hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

const isJobId = (id: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id);

/** Why the attempts of a dead letter failed, as pg-boss stores it. */
function reasonIn(output: object | null): string {
  const { message, value } = (output ?? {}) as { message?: unknown; value?: { message?: unknown } };
  // The message of pg-boss for a process that stopped sending heartbeats.
  if (value?.message === "job heartbeat timeout") return PROCESS_DIED;
  return String(message ?? value?.message ?? "");
}

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

/** The queue of deliveries, and the queues of dead letters and of conflicts beside it. */
export class DeliveryQueues {
  readonly #boss: PgBoss;
  readonly #deliveries: string;
  readonly #dead: string;
  readonly #conflicts: string;

  constructor(boss: PgBoss, name: string) {
    this.#boss = boss;
    this.#deliveries = name;
    this.#dead = `${name}-dead`;
    this.#conflicts = `${name}-conflicts`;
  }

  /** Creates the queues that are missing, and updates the settings of all. */
  async create(retentionMs: number, overrides: UpdateQueueOptions): Promise<void> {
    const retention = Math.ceil(retentionMs / 1_000);
    const remembered = { deleteAfterSeconds: retention };
    await this.#create(this.#dead, { ...remembered, retentionSeconds: SIXTY_YEARS_S });
    await this.#create(this.#conflicts, { ...remembered, retentionSeconds: retention });
    const deadLetter = this.#dead;
    await this.#create(this.#deliveries, {
      ...QUEUE_OPTIONS,
      ...remembered,
      deadLetter,
      ...overrides,
    });
  }

  async #create(queue: string, options: UpdateQueueOptions): Promise<void> {
    await this.#boss.createQueue(queue);
    await this.#boss.updateQueue(queue, options);
  }

  async accept(delivery: NewDelivery): Promise<Receipt> {
    const { key, digest, raw, secretIndex, receivedAt } = delivery;
    const data: JobData = { key, digest, body: exactText(raw), secretIndex, receivedAt };
    const id = jobIdOf(key);
    if ((await this.#boss.send(this.#deliveries, data, { id })) !== null) {
      return receiptFor("accepted");
    }
    const [stored] = await this.#boss.findJobs<JobData>(this.#deliveries, { id });
    if (stored === undefined) throw new EventMissingError("PostgreSQL");
    if (stored.data.digest === digest) return receiptFor("duplicate");
    await this.#boss.send(this.#conflicts, data, { id: jobIdOf(key.slice(0, 16) + digest) });
    return receiptFor("conflict");
  }

  /** Frees the retries that wait too long, because the clock was set back after they were planned. */
  async freeLateRetries(): Promise<void> {
    const table = await jobTable(this.#boss, this.#deliveries);
    await this.#boss.getDb().executeSql(
      `UPDATE ${table} SET start_after = now()
        WHERE name = $1 AND state = 'retry' AND start_after > now() + interval '1 ms' * $2`,
      [this.#deliveries, MAX_RETRY_WAIT_MS],
    );
  }

  async deadLetters(): Promise<DeadLetter[]> {
    const jobs = await this.#boss.findJobs<JobData>(this.#dead, { queued: true });
    return jobs.map(({ id, data, sourceRetryCount, sourceOutput }) => ({
      id,
      event: JSON.parse(data.body.replace(/^\uFEFF/, "")).event,
      body: data.body,
      attempts: (sourceRetryCount ?? 0) + 1,
      error: reasonIn(sourceOutput),
    }));
  }

  async requeue(id: string): Promise<void> {
    const moved = isJobId(id) ? await this.#boss.redrive(this.#dead, { ids: [id] }) : 0;
    if (moved === 0) throw deadLetterNotFound(id);
  }
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
