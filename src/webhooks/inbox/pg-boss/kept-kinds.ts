import type { Job as BossJob, PgBoss } from "pg-boss";
import type { WorkerOptions } from "../types.ts";
import { type JobData, kindFrom, storedKind } from "./job-data.ts";
import { type Queues, retentionSecondsOf, SIXTY_YEARS_S } from "./queues.ts";

export type FetchedJob = BossJob<JobData>;

/** Time between two looks for events that other processes have kept. */
const LOOK_INTERVAL_MS = 500;

/** An event that was kept by mistake waits so long: two kinds may share a priority. */
const SHARED_PRIORITY_DELAY_S = 10;

/**
 * The priority of kept events of a kind, below 0. The index with which pg-boss fetches begins with the
 * priority: fetching from 0 up never comes across a kept event, however many there are.
 */
export function keptPriorityOf(storedKind: string): number {
  let hash = 0;
  for (const character of storedKind) {
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) as number)) | 0;
  }
  return -1 - (hash & 0x7fff_ffff);
}

interface KeptSettings {
  readonly queues: () => Queues;
  readonly retentionMs: number;
}

/** Fetches the jobs of the kinds that this process takes, and keeps the others for other processes. */
export class KeptKinds {
  readonly #boss: PgBoss;
  readonly #settings: KeptSettings;
  readonly #onKept: NonNullable<WorkerOptions["onKept"]>;
  /** As stored; `undefined` for all kinds. */
  readonly #kinds: ReadonlySet<string> | undefined;
  readonly #priorities: readonly number[];
  /** Priorities that had something at the last look, and were not empty since. */
  #waitingPriorities: number[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isTurnOfKept = false;

  constructor(boss: PgBoss, { kinds, onKept }: WorkerOptions, settings: KeptSettings) {
    this.#boss = boss;
    this.#settings = settings;
    this.#onKept = onKept ?? (() => {});
    this.#kinds = kinds && new Set(kinds.map(storedKind));
    this.#priorities = [...(this.#kinds ?? [])].map(keptPriorityOf);
  }

  takes(job: FetchedJob): boolean {
    return this.#kinds === undefined || this.#kinds.has(job.data.event);
  }

  /** Up to `count` jobs that are due: kept ones of this process's kinds, and others of any kind. */
  async fetch(count: number): Promise<FetchedJob[]> {
    await this.#look();
    this.#isTurnOfKept = !this.#isTurnOfKept && this.#waitingPriorities.length > 0;
    if (this.#isTurnOfKept) return this.#fetchKept(count);
    const { name } = this.#settings.queues().deliveries;
    return this.#boss.fetch<JobData>(name, { batchSize: count, minPriority: 0 });
  }

  get hasKept(): boolean {
    return this.#waitingPriorities.length > 0;
  }

  async #look(): Promise<void> {
    if (performance.now() - this.#lookedAt < LOOK_INTERVAL_MS) return;
    this.#lookedAt = performance.now();
    const { name, table } = this.#settings.queues().deliveries;
    const waiting = `name = $1 AND state < 'active' AND NOT blocked AND start_after <= now()`;
    const { rows } = await this.#boss.getDb().executeSql(
      this.#kinds === undefined
        ? `SELECT priority AS kept FROM ${table} WHERE ${waiting} AND priority < 0 ORDER BY priority DESC LIMIT 1`
        : `SELECT kept FROM unnest($2::int[]) AS priorities (kept)
            WHERE EXISTS (SELECT FROM ${table} WHERE ${waiting} AND priority = kept)`,
      this.#kinds === undefined ? [name] : [name, this.#priorities],
    );
    this.#waitingPriorities = (rows as { kept: number }[]).map(({ kept }) => kept);
  }

  async #fetchKept(count: number): Promise<FetchedJob[]> {
    const { name, table } = this.#settings.queues().deliveries;
    const [priority] = this.#waitingPriorities as [number];
    const options = { batchSize: count, minPriority: priority, maxPriority: priority };
    const jobs = await this.#boss.fetch<JobData>(name, options);
    if (jobs.length < count) this.#waitingPriorities.shift();
    const ids = jobs.map(({ id }) => id);
    // Somebody takes it now: it is no longer forgotten when a time has passed.
    await this.#boss.getDb().executeSql(
      `UPDATE ${table} SET keep_until = now() + interval '1 s' * $3::int
        WHERE name = $1 AND id = ANY($2::uuid[]) AND state = 'active'`,
      [name, ids, SIXTY_YEARS_S],
    );
    return jobs;
  }

  /** Puts jobs back, without an attempt used up, where only processes that take their kinds look. */
  async keep(jobs: readonly FetchedJob[]): Promise<void> {
    const { queues, retentionMs } = this.#settings;
    const { name, table } = queues().deliveries;
    await this.#boss.getDb().executeSql(
      `UPDATE ${table} j
          SET state = 'created', started_on = NULL, heartbeat_on = NULL, priority = k.kept,
              start_after = CASE WHEN j.priority < 0 THEN now() + interval '1 s' * $6::int ELSE j.start_after END,
              keep_until = now() + interval '1 s' * $5::int
         FROM unnest($2::uuid[], $3::int[], $4::int[]) AS k (id, retries, kept)
        WHERE j.name = $1 AND j.id = k.id AND j.state = 'active' AND j.retry_count = k.retries`,
      [
        name,
        jobs.map(({ id }) => id),
        jobs.map(({ retryCount }) => retryCount),
        jobs.map(({ data }) => keptPriorityOf(data.event)),
        retentionSecondsOf(retentionMs),
        SHARED_PRIORITY_DELAY_S,
      ],
    );
    for (const { data } of jobs) this.#onKept(kindFrom(data.event));
  }
}
