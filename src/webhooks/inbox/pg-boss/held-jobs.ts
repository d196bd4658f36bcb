import type { Db } from "pg-boss";
import { withTimeout } from "../../../internal/timeout.ts";
import { errorText, isLastAttempt, leaseLost, notProcessedHere } from "../errors.ts";
import type { NewDelivery } from "../types.ts";
import { MAX_ATTEMPTS } from "../types.ts";
import { noReply } from "./database.ts";
import { storable } from "./ledger.ts";
import { heartbeatMsOf, longestRetryMs } from "./queues.ts";
import type { Store } from "./store.ts";

/** A job that this process has fetched, until its end is written. */
export interface HeldJob {
  readonly id: string;
  /** Which attempt at the job this is: pg-boss ignores what is said about another one. */
  readonly retryCount: number;
  /** Its queue in pg-boss. */
  readonly queue: string;
  readonly key: string;
  readonly event: string;
  /** From 1, attempts at earlier jobs of the event included. */
  readonly attempt: number;
  readonly controller: AbortController;
  /** Its transaction is at its end, and has locked the job. */
  isCommitting: boolean;
  /** Its end is written, or another process may have it. */
  isOver: boolean;
}

/** Another attempt has one of the jobs, or its event is processed. */
class NotHeldError extends Error {
  constructor() {
    super(notProcessedHere().message);
  }
}

const MAX_COMPLETED = 100;

const attemptsOf = (jobs: readonly HeldJob[]) =>
  jobs.map(({ id, retryCount }) => ({ id, retryCount }));

/** How many jobs a method of pg-boss found in the attempt that it was given. */
const affected = (response: { affected?: unknown }): number => Number(response.affected);

/** The jobs that this process has fetched: it keeps them alive, and writes how they end. */
export class HeldJobs {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #held = new Set<HeldJob>();
  readonly #onChange: () => void;
  #completed: { held: HeldJob; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #isCompleting = false;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #isTouching = false;

  /** @param onChange - Is called when other jobs are held, and with each heartbeat. */
  constructor(store: Store, onError: (error: unknown) => void, onChange: () => void) {
    this.#store = store;
    this.#onError = onError;
    this.#onChange = onChange;
  }

  get all(): readonly HeldJob[] {
    return [...this.#held];
  }

  get size(): number {
    return this.#held.size;
  }

  hold(held: HeldJob): void {
    this.#held.add(held);
    this.#onChange();
    this.#heartbeat ??= setInterval(
      () => void this.#touchAll().catch(this.#onError),
      heartbeatMsOf(this.#store.settings.tuning) / 3,
    );
  }

  release(held: HeldJob): void {
    held.isOver = true;
    if (this.#held.delete(held)) this.#onChange();
  }

  /** Ends events and their jobs. @throws {NotHeldError} if one of them is not held any more. */
  async done(db: Db, jobs: readonly HeldJob[]): Promise<void> {
    const keys = jobs.map(({ key }) => key).sort();
    if ((await this.#store.ledger.done(db, keys)) !== jobs.length) throw new NotHeldError();
    await this.#endJobs(db, jobs);
  }

  async #endJobs(db: Db, jobs: readonly HeldJob[]): Promise<void> {
    for (const queue of new Set(jobs.map((job) => job.queue))) {
      const ofQueue = attemptsOf(jobs.filter((job) => job.queue === queue));
      const ended = await this.#store.boss.deleteJob(queue, ofQueue, { db });
      if (affected(ended) !== ofQueue.length) throw new NotHeldError();
    }
  }

  /** For an attempt that succeeded. What succeeds meanwhile is written together. */
  complete(held: HeldJob): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#completed.push({ held, resolve, reject });
      if (!this.#isCompleting) void this.#completeAll();
    });
  }

  async #completeAll(): Promise<void> {
    this.#isCompleting = true;
    await new Promise(setImmediate);
    while (this.#completed.length > 0) {
      const batch = this.#completed.splice(0, MAX_COMPLETED);
      try {
        await this.#each(
          batch.map(({ held }) => held),
          (jobs) => this.#store.transaction((db) => this.done(db, jobs)),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isCompleting = false;
  }

  /** All at once; if one of them is not held any more, one at a time. */
  async #each(
    jobs: readonly HeldJob[],
    write: (jobs: readonly HeldJob[]) => Promise<void>,
  ): Promise<void> {
    try {
      await write(jobs);
    } catch (error) {
      if (!(error instanceof NotHeldError)) throw error;
      const [only, ...others] = jobs as [HeldJob, ...HeldJob[]];
      if (others.length === 0) this.#lose(only);
      else for (const job of jobs) await this.#each([job], write);
    }
  }

  /** For a failed attempt: pg-boss retries the job later. The last one makes it a dead letter. */
  async fail(held: HeldJob, error: unknown): Promise<void> {
    const { key, attempt, queue } = held;
    const { ledger, boss, settings } = this.#store;
    const message = storable(errorText(error));
    const isLast = isLastAttempt(attempt, error);
    const retryMs = isLast ? undefined : longestRetryMs(settings.tuning, held.retryCount + 1);
    await this.#each([held], (jobs) =>
      this.#store.transaction(async (db) => {
        const attempts = Math.min(attempt, MAX_ATTEMPTS);
        if (!(await ledger.failed(db, { key, attempts, error: message, retryMs }))) {
          throw new NotHeldError();
        }
        if (isLast) return this.#endJobs(db, jobs);
        const failed = await boss.fail(queue, attemptsOf(jobs), { message }, { db });
        if (affected(failed) !== 1) throw new NotHeldError();
      }),
    );
  }

  /** For a job whose event cannot be read: it becomes a dead letter at once. */
  async bury(held: HeldJob, reason: string, lost?: NewDelivery): Promise<void> {
    const { ledger } = this.#store;
    await this.#each([held], (jobs) =>
      this.#store.transaction(async (db) => {
        const { key, attempt } = held;
        if (lost === undefined) {
          await ledger.failed(db, { key, attempts: attempt - 1, error: reason });
        } else await ledger.insert(db, [{ ...lost, deadLetterReason: reason }]);
        await this.#endJobs(db, jobs);
      }),
    );
  }

  /** Ends jobs whose events are processed already. */
  async discard(jobs: readonly HeldJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.#each(jobs, (some) => this.#store.transaction((db) => this.#endJobs(db, some)));
  }

  /** Hands jobs back, as if they had not been fetched. */
  async handBack(jobs: readonly HeldJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.#each(jobs, (some) =>
      this.#store.transaction(async (db) => {
        await this.#endJobs(db, some);
        // New jobs: pg-boss would count an attempt at the old ones.
        const events = some.map(({ key, event, attempt }) => ({
          key,
          event,
          attempts: attempt - 1,
        }));
        await this.#store.addJobs(db, events);
      }),
    );
  }

  /** Tells pg-boss that this process is alive, and learns which jobs others have. */
  async #touchAll(): Promise<void> {
    if (this.#isTouching || this.#held.size === 0) return;
    this.#isTouching = true;
    this.#onChange();
    try {
      const held = this.all.filter(({ isOver, isCommitting }) => !isOver && !isCommitting);
      for (const queue of new Set(held.map((job) => job.queue))) {
        await this.#each(
          held.filter((job) => job.queue === queue),
          (jobs) => this.#touch(queue, jobs),
        );
      }
    } finally {
      this.#isTouching = false;
    }
  }

  async #touch(queue: string, jobs: readonly HeldJob[]): Promise<void> {
    const touched = this.#store.boss.touch(queue, attemptsOf(jobs));
    const response = await withTimeout(touched, this.#store.timeoutMs, noReply);
    if (affected(response) !== jobs.length) throw new NotHeldError();
  }

  #lose(held: HeldJob): void {
    if (held.isOver || held.isCommitting) return;
    held.isOver = true;
    held.controller.abort(leaseLost());
  }

  stop(): void {
    clearInterval(this.#heartbeat);
  }
}
