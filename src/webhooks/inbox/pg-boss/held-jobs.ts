import type { PgBoss } from "pg-boss";
import { withTimeout } from "../../../internal/timeout.ts";
import { errorText, isLastAttempt, leaseLost } from "../errors.ts";
import { Groups } from "./groups.ts";
import { storable } from "./job-data.ts";
import type { FetchedJob } from "./kept-kinds.ts";
import { forgetBody } from "./list-statements.ts";
import { noReply, type Queues, retentionSecondsOf } from "./queues.ts";

/** A job that this process has fetched, until its end is written. */
export interface HeldJob {
  readonly job: FetchedJob;
  readonly controller: AbortController;
  /** Its transaction is at its end, and has locked the job. */
  isCommitting: boolean;
  /** Its end is written, or another process may have it. */
  isOver: boolean;
}

type Attempt = Pick<FetchedJob, "id" | "retryCount">;

/** The jobs, and which attempt at each of them this process has: what pg-boss compares. */
const attemptsOf = (jobs: readonly Attempt[]) => [
  jobs.map(({ id }) => id),
  jobs.map(({ id, retryCount }) => `${id}:${retryCount}`),
];

const IS_HELD =
  "name = $1 AND id = ANY($2::uuid[]) AND state = 'active' AND id::text || ':' || retry_count::text = ANY($3::text[])";

export interface HeldSettings {
  readonly queues: () => Queues;
  readonly retentionMs: number;
  readonly heartbeatMs: number;
  readonly engineTimeoutMs: number;
  readonly onError: (error: unknown) => void;
}

const MAX_COMPLETED = 100;

/** The jobs that this process has fetched: it keeps them, and writes how they ended. */
export class HeldJobs {
  readonly #boss: PgBoss;
  readonly #settings: HeldSettings;
  readonly #held = new Set<HeldJob>();
  readonly #completions: Groups<Attempt, boolean>;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #isTouching = false;

  constructor(boss: PgBoss, settings: HeldSettings) {
    this.#boss = boss;
    this.#settings = settings;
    this.#completions = new Groups<Attempt, boolean>({
      run: (attempts) => this.#completeAll(attempts),
      idOf: ({ id }) => id,
      maxItems: MAX_COMPLETED,
      timeoutMs: settings.engineTimeoutMs,
      timeoutError: noReply,
    });
  }

  get all(): readonly HeldJob[] {
    return [...this.#held];
  }

  get size(): number {
    return this.#held.size;
  }

  hold(job: FetchedJob): HeldJob {
    const held = { job, controller: new AbortController(), isCommitting: false, isOver: false };
    this.#held.add(held);
    this.#heartbeat ??= setInterval(
      () => void this.#touch().catch(this.#settings.onError),
      this.#settings.heartbeatMs / 3,
    );
    return held;
  }

  release(held: HeldJob): void {
    held.isOver = true;
    this.#held.delete(held);
  }

  /** The statement that completes jobs. Only what recognises a duplicate is left of them. */
  completion(attempts: readonly Attempt[]): { text: string; values: unknown[] } {
    const { queues, retentionMs } = this.#settings;
    const { name, table } = queues().deliveries;
    return {
      text: `UPDATE ${table} SET state = 'completed', output = NULL, ${forgetBody("$4::int")} WHERE ${IS_HELD} RETURNING id`,
      values: [name, ...attemptsOf(attempts), retentionSecondsOf(retentionMs)],
    };
  }

  async complete({ job }: HeldJob): Promise<void> {
    await this.#completions.run(job);
  }

  async #completeAll(attempts: readonly Attempt[]): Promise<boolean[]> {
    const { text, values } = this.completion(attempts);
    const { rows } = await this.#boss.getDb().executeSql(text, values);
    const done = new Set((rows as { id: string }[]).map(({ id }) => id));
    return attempts.map(({ id }) => done.has(id));
  }

  /** A failed attempt: pg-boss retries the job later, or makes it a dead letter. */
  async fail({ job }: HeldJob, error: unknown): Promise<void> {
    const { name, table } = this.#settings.queues().deliveries;
    const { id, retryCount } = job;
    if (isLastAttempt(retryCount + 1, error)) {
      const text = `UPDATE ${table} SET retry_limit = retry_count WHERE ${IS_HELD}`;
      await this.#boss.getDb().executeSql(text, [name, ...attemptsOf([job])]);
    }
    const failed = this.#boss.fail(name, [{ id, retryCount }], {
      message: storable(errorText(error)),
    });
    await withTimeout(failed, this.#settings.engineTimeoutMs, noReply);
  }

  /** Hands jobs back, as if they had not been fetched. */
  async handBack(jobs: readonly FetchedJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const { name, table } = this.#settings.queues().deliveries;
    await this.#boss
      .getDb()
      .executeSql(
        `UPDATE ${table} SET state = 'created', started_on = NULL, heartbeat_on = NULL WHERE ${IS_HELD}`,
        [name, ...attemptsOf(jobs)],
      );
  }

  /** Tells PostgreSQL that this process is alive, and learns which jobs others have. */
  async #touch(): Promise<void> {
    const held = this.all.filter(({ isOver, isCommitting }) => !isOver && !isCommitting);
    if (held.length === 0 || this.#isTouching) return;
    this.#isTouching = true;
    try {
      const { name, table } = this.#settings.queues().deliveries;
      const touched = this.#boss
        .getDb()
        .executeSql(`UPDATE ${table} SET heartbeat_on = now() WHERE ${IS_HELD} RETURNING id`, [
          name,
          ...attemptsOf(held.map(({ job }) => job)),
        ]);
      const { rows } = await withTimeout(touched, this.#settings.engineTimeoutMs, noReply);
      const kept = new Set((rows as { id: string }[]).map(({ id }) => id));
      for (const one of held) {
        if (!kept.has(one.job.id) && !one.isCommitting) this.#lose(one);
      }
    } finally {
      this.#isTouching = false;
    }
  }

  #lose(held: HeldJob): void {
    if (held.isOver) return;
    held.isOver = true;
    held.controller.abort(leaseLost());
  }

  stop(): void {
    clearInterval(this.#heartbeat);
  }
}
