import { sleep, withTimeout } from "../../../internal/timeout.ts";
import { leaseLost } from "../errors.ts";
import { noReply } from "./database.ts";
import { attemptsOf, type End, expectAll, type HeldJob, NotHeldError, writeEnds } from "./ends.ts";
import { heartbeatMsOf } from "./queues.ts";
import type { Store } from "./store.ts";

/** How many ends are written at once. */
const MAX_WRITTEN = 100;

/** How long after a failure of the engine the next try begins. */
export const RETRY_DELAY_MS = 2_000;

/** Time until the other processes learn on which events this one works, for `stats()`. */
const REPORT_DELAY_MS = 250;

/** The jobs that this process has fetched: it keeps them alive, and writes how they end. */
export class HeldJobs {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  /** Called when the end of a job is written. */
  readonly #onWritten: (held: HeldJob) => void;
  readonly #stopped: AbortSignal;
  readonly #worker = crypto.randomUUID();
  readonly #held = new Set<HeldJob>();
  #ended: HeldJob[] = [];
  #writing: Promise<void> | undefined;
  #reporting: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #isTouching = false;

  constructor(
    store: Store,
    onError: (error: unknown) => void,
    onWritten: (held: HeldJob) => void,
    stopped: AbortSignal,
  ) {
    this.#store = store;
    this.#onError = onError;
    this.#onWritten = onWritten;
    this.#stopped = stopped;
  }

  get size(): number {
    return this.#held.size;
  }

  hold(held: HeldJob): void {
    this.#held.add(held);
    this.#reportSoon();
    this.#heartbeat ??= setInterval(
      () => void this.#touchAll().catch(this.#onError),
      heartbeatMsOf(this.#store.settings.tuning) / 3,
    );
  }

  /** Nothing is to be written about a job any more. */
  release(held: HeldJob): void {
    held.isOver = true;
    if (this.#held.delete(held)) this.#reportSoon();
  }

  /** Ends a job, unless it has ended. What ends meanwhile is written together. */
  end(held: HeldJob, end: End): void {
    if (held.end !== undefined) return;
    held.end = end;
    this.#ended.push(held);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Retries until each end is written, or another process has the job. Heartbeats continue meanwhile. */
  async #writeAll(): Promise<void> {
    await new Promise(setImmediate);
    while (this.#ended.length > 0) {
      const jobs = this.#ended.splice(0, MAX_WRITTEN);
      const isLastTry = this.#stopped.aborted;
      try {
        await this.#each(
          jobs.filter(({ isOver }) => !isOver),
          (some) => this.#store.transaction((db) => writeEnds(this.#store, db, some)),
        );
      } catch (error) {
        this.#onError(error);
        if (!isLastTry) {
          await sleep(RETRY_DELAY_MS, this.#stopped);
          this.#ended.unshift(...jobs);
          continue;
        }
      }
      for (const held of jobs) {
        this.release(held);
        this.#onWritten(held);
      }
    }
  }

  /** All at once; if one of them is not held any more, one at a time. */
  async #each(
    jobs: readonly HeldJob[],
    write: (jobs: readonly HeldJob[]) => Promise<void>,
  ): Promise<void> {
    try {
      if (jobs.length > 0) await write(jobs);
    } catch (error) {
      if (!(error instanceof NotHeldError)) throw error;
      if (jobs.length > 1) for (const job of jobs) await this.#each([job], write);
      else for (const held of jobs) this.#lose(held);
    }
  }

  /** Another process has the job. */
  #lose(held: HeldJob): void {
    if (held.isOver || held.isCommitting) return;
    held.isOver = true;
    held.controller.abort(leaseLost());
  }

  #reportSoon(): void {
    this.#reporting ??= setTimeout(() => {
      this.#reporting = undefined;
      this.#report().catch(this.#onError);
    }, REPORT_DELAY_MS);
  }

  #report(): Promise<void> {
    const keys = [...this.#held].map(({ key }) => key);
    return this.#store.transaction((db) => this.#store.ledger.setRunning(db, this.#worker, keys));
  }

  /** Shows pg-boss that this process is alive, and learns which jobs others have. */
  async #touchAll(): Promise<void> {
    if (this.#isTouching || this.#held.size === 0) return;
    this.#isTouching = true;
    this.#reportSoon();
    try {
      const held = [...this.#held].filter(({ isOver, isCommitting }) => !isOver && !isCommitting);
      for (const queue of new Set(held.map((job) => job.queue))) {
        const ofQueue = held.filter((job) => job.queue === queue);
        await this.#each(ofQueue, async (jobs) => {
          const touched = this.#store.boss.touch(queue, attemptsOf(jobs));
          expectAll(jobs, await withTimeout(touched, this.#store.timeoutMs, noReply));
        });
      }
    } finally {
      this.#isTouching = false;
    }
  }

  /** Resolves when all ends are written. */
  async allWritten(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#reporting);
    await this.#report().catch(() => {});
  }

  stop(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#reporting);
  }
}
