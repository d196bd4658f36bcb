import type { PgBoss } from "pg-boss";
import { sleep, waitAtMost, withTimeout } from "../../../internal/timeout.ts";
import { receiverStopped } from "../errors.ts";
import { bytesOf } from "../text.ts";
import type { Job, WorkerOptions } from "../types.ts";
import { type HeldJob, HeldJobs } from "./held-jobs.ts";
import { traceContextOf } from "./job-data.ts";
import { type FetchedJob, KeptKinds } from "./kept-kinds.ts";
import { heartbeatMsOf, noReply, type Queues, type Tuning } from "./queues.ts";
import { jobTransaction } from "./transaction.ts";

/** Another process may store an event, or a retry fall due, without a word to this one. */
const POLL_INTERVAL_MS = 500;

/** How long after a failure of the engine the next try begins. */
const RETRY_DELAY_MS = 2_000;

export interface WorkerSettings {
  readonly queues: () => Queues;
  /** Runs something once the queues are there. */
  readonly whenOpen: <T>(run: () => Promise<T>) => Promise<T>;
  readonly tuning: Tuning;
  readonly retentionMs: number;
  readonly engineTimeoutMs: number;
}

/** Fetches jobs as long as it has room for them, and runs them. */
export class PgBossWorker {
  readonly #boss: PgBoss;
  readonly #options: WorkerOptions;
  readonly #settings: WorkerSettings;
  readonly #jobs: HeldJobs;
  readonly #kinds: KeptKinds;
  /** The handlers that run. */
  readonly #running = new Map<HeldJob, Promise<void>>();
  /** What is being written: ends of jobs, and jobs that are kept for other processes. */
  readonly #writing = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  #loop: Promise<void> | undefined;
  /** There may be a job that is due. */
  #mayFetch = true;
  #fetchedAt = 0;
  #wake: () => void = () => {};

  constructor(boss: PgBoss, options: WorkerOptions, settings: WorkerSettings) {
    this.#boss = boss;
    this.#options = options;
    this.#settings = settings;
    const { queues, retentionMs, engineTimeoutMs, tuning } = settings;
    const heartbeatMs = heartbeatMsOf(tuning);
    const { onError } = options;
    const held = { queues, retentionMs, engineTimeoutMs, heartbeatMs, onError };
    this.#jobs = new HeldJobs(boss, held);
    this.#kinds = new KeptKinds(boss, options, settings);
  }

  start(): void {
    this.#loop ??= this.#fetchUntilStopped();
  }

  /** There is a new job: it is fetched at once. */
  notify(): void {
    this.#mayFetch = true;
    this.#wake();
  }

  async #fetchUntilStopped(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const room = this.#room();
      if (room > 0 && this.#mayFetch) {
        this.#mayFetch = false;
        try {
          const jobs = await this.#fetch(room);
          this.#begin(jobs);
          if (jobs.length === room || this.#kinds.hasKept) this.#mayFetch = true;
        } catch (error) {
          this.#options.onError(error);
          await sleep(RETRY_DELAY_MS, signal);
          this.#mayFetch = true;
        }
      } else {
        await this.#untilWoken();
      }
      // What ends in the same turn of the event loop makes room for one fetch.
      await new Promise(setImmediate);
    }
  }

  async #fetch(count: number): Promise<FetchedJob[]> {
    this.#fetchedAt = performance.now();
    const { whenOpen, engineTimeoutMs } = this.#settings;
    const fetched = whenOpen(() => this.#kinds.fetch(count));
    try {
      return await withTimeout(fetched, engineTimeoutMs, noReply);
    } catch (error) {
      fetched.then(
        (late) => this.#write(this.#jobs.handBack(late)),
        () => {},
      );
      throw error;
    }
  }

  /** No more ends wait to be written than jobs run: PostgreSQL may be slow. */
  #room(): number {
    const { concurrency } = this.#options;
    return Math.min(concurrency - this.#running.size, 2 * concurrency - this.#jobs.size);
  }

  async #untilWoken(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(
        () => {
          this.#mayFetch = true;
          resolve();
        },
        this.#fetchedAt + POLL_INTERVAL_MS - performance.now(),
      );
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stopped.signal.aborted) this.#wake();
    });
  }

  #begin(jobs: readonly FetchedJob[]): void {
    if (this.#stopped.signal.aborted) {
      this.#write(this.#jobs.handBack(jobs));
      return;
    }
    const others = jobs.filter((job) => !this.#kinds.takes(job));
    if (others.length > 0) this.#write(this.#kinds.keep(others));
    for (const job of jobs) {
      if (!others.includes(job)) this.#run(this.#jobs.hold(job));
    }
  }

  #write(write: Promise<void>): void {
    const ended = write.catch(this.#options.onError).finally(() => this.#writing.delete(ended));
    this.#writing.add(ended);
  }

  #run(held: HeldJob): void {
    const end = this.#options.run(this.#jobOf(held)).then(
      () => this.#end(held, () => this.#jobs.complete(held)),
      (error: unknown) => this.#end(held, () => this.#jobs.fail(held, error)),
    );
    this.#running.set(held, end);
  }

  #jobOf(held: HeldJob): Job {
    const { data, retryCount } = held.job;
    const { commitTimeoutMs } = this.#settings.tuning;
    const transaction = jobTransaction(this.#boss, this.#jobs, held, commitTimeoutMs);
    return {
      key: data.key,
      raw: bytesOf(data.body),
      attempt: retryCount + 1,
      receivedAt: data.receivedAt,
      traceContext: traceContextOf(data),
      signal: held.controller.signal,
      ...(transaction && { transaction }),
    };
  }

  #end(held: HeldJob, write: () => Promise<void>): void {
    this.#running.delete(held);
    if (held.isOver) this.#jobs.release(held);
    else this.#write(this.#writeEnd(held, write));
    this.#wake();
  }

  /** Until it is written, or another process has the job. The heart goes on beating for it. */
  async #writeEnd(held: HeldJob, write: () => Promise<void>): Promise<void> {
    while (!held.isOver) {
      try {
        await write();
        break;
      } catch (error) {
        this.#options.onError(error);
        if (!(await sleep(RETRY_DELAY_MS, this.#stopped.signal))) break;
      }
    }
    this.#jobs.release(held);
    this.#wake();
  }

  /** Waits for running handlers, hands back the others, and writes what has ended. */
  async stop(timeoutMs: number, writeTimeoutMs: number): Promise<void> {
    this.#stopped.abort();
    this.#wake();
    await waitAtMost(Promise.all(this.#running.values()), timeoutMs);
    this.#handBackRunning();
    const committing = [...this.#running].filter(([{ isOver }]) => !isOver);
    const rest = Promise.all([this.#loop, ...committing.map(([, end]) => end)]);
    await waitAtMost(
      rest.then(() => Promise.all(this.#writing)),
      writeTimeoutMs,
    );
    this.#jobs.stop();
  }

  #handBackRunning(): void {
    const running = [...this.#running.keys()];
    // One whose transaction is about to commit is not handed back: another process could repeat it.
    const jobs = running.filter(({ isOver, isCommitting }) => !isOver && !isCommitting);
    for (const held of jobs) this.#jobs.release(held);
    for (const { controller } of running) controller.abort(receiverStopped());
    this.#write(this.#jobs.handBack(jobs.map(({ job }) => job)));
  }
}
