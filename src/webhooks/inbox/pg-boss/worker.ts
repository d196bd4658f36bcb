import { sleep, waitAtMost } from "../../../internal/timeout.ts";
import { errorText, isLastAttempt, receiverStopped } from "../errors.ts";
import { DEFAULT_PACE, type Pace } from "../pace.ts";
import { type DrainLimits, MAX_ATTEMPTS, queuesOf, type WorkerOptions } from "../types.ts";
import { claimJobs } from "./claim.ts";
import { type HeldJob, jobTransaction } from "./ends.ts";
import { HeldJobs, RETRY_DELAY_MS } from "./held-jobs.ts";
import type { Store } from "./store.ts";

/** Another process may store an event, or a retry fall due, without telling this one. */
const POLL_INTERVAL_MS = 500;

/** Jobs are fetched this long before a handler is free for them, by the pace of those before. */
const AHEAD_MS = 100;
const MAX_AHEAD = 100;

/** How many jobs a process has at most whose ends are not written. */
const MAX_HELD = 500;

/** Fetches jobs as long as it has room for them, and runs them. */
export class PgBossWorker {
  readonly #store: Store;
  readonly #options: WorkerOptions;
  readonly #queues: readonly string[];
  readonly #jobs: HeldJobs;
  readonly #backoffMs: Pace["backoffMs"];
  /** The handlers that run. */
  readonly #running = new Map<HeldJob, Promise<void>>();
  /** Fetched, and not running yet. */
  #ready: HeldJob[] = [];
  /** How many may be fetched beyond those that run. */
  #ahead = 0;
  #fetchedAt = performance.now();
  #endedAtFetch = 0;
  readonly #stopped = new AbortController();
  /** The queues that may have a job that is due. Those that came first are asked first. */
  readonly #due: Set<string>;
  /** The queues whose jobs are fetched before their time. */
  readonly #late = new Set<string>();
  #loop: Promise<void> | undefined;
  #polledAt = 0;
  #wake: () => void = () => {};
  #limit = Number.POSITIVE_INFINITY;
  #begun = 0;
  #ended = 0;

  constructor(store: Store, options: WorkerOptions) {
    this.#store = store;
    this.#options = options;
    this.#queues = queuesOf(options);
    this.#due = new Set(this.#queues);
    this.#backoffMs = store.settings.tuning.pace?.backoffMs ?? DEFAULT_PACE.backoffMs;
    // A retry may be due at once.
    const onWritten = (held: HeldJob) => this.notify(held.event);
    this.#jobs = new HeldJobs(store, options.onError, onWritten, this.#stopped.signal);
  }

  start(): void {
    this.#loop ??= this.#workUntil(() => this.#stopped.signal.aborted);
  }

  /** The queue may have a job that is due. @param isLate - Whether to fetch jobs before their time. */
  notify(queue: string, isLate = false): void {
    if (!this.#queues.includes(queue)) return;
    if (isLate) this.#late.add(queue);
    this.#due.add(queue);
    this.#wake();
  }

  /** Processes what is due. Resolves with how many attempts ended. */
  async drain({ timeoutMs, limit }: DrainLimits): Promise<number> {
    this.#limit = limit;
    const deadline = performance.now() + timeoutMs;
    const timer = setTimeout(() => this.#wake(), timeoutMs);
    const isOver = () =>
      this.#stopped.signal.aborted ||
      performance.now() >= deadline ||
      (this.#jobs.size === 0 && (this.#begun >= limit || this.#due.size === 0));
    this.#loop = this.#workUntil(isOver);
    await this.#loop;
    clearTimeout(timer);
    await this.stop(Math.max(0, deadline - performance.now()));
    return this.#ended;
  }

  async #workUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (this.#room() === 0 || this.#due.size === 0) await this.#untilWoken();
      else {
        try {
          await this.#fetchDue();
        } catch (error) {
          this.#options.onError(error);
          await sleep(RETRY_DELAY_MS, this.#stopped.signal);
          this.#pollAll();
        }
      }
      // What ends in the same turn of the event loop makes room for one fetch.
      await new Promise(setImmediate);
    }
  }

  #pollAll(): void {
    this.#polledAt = performance.now();
    for (const queue of this.#queues) this.#due.add(queue);
    this.#wake();
  }

  /** How many jobs to fetch now: none, or enough to be worth a fetch. */
  #room(): number {
    const room = Math.min(
      this.#options.concurrency + this.#ahead - this.#running.size - this.#ready.length,
      MAX_HELD - this.#jobs.size,
      this.#limit - this.#begun - this.#ready.length,
    );
    return this.#ready.length === 0 || room > this.#ahead / 2 ? Math.max(0, room) : 0;
  }

  #notePace(): void {
    const now = performance.now();
    const perMs = (this.#ended - this.#endedAtFetch) / (now - this.#fetchedAt);
    this.#ahead = Math.min(MAX_AHEAD, Math.floor(AHEAD_MS * perMs));
    this.#fetchedAt = now;
    this.#endedAtFetch = this.#ended;
  }

  async #untilWoken(): Promise<void> {
    const pollInMs = this.#polledAt + POLL_INTERVAL_MS - performance.now();
    const timer = setTimeout(() => this.#pollAll(), Math.max(1, pollInMs));
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#stopped.signal.aborted) resolve();
    });
    clearTimeout(timer);
  }

  /** A fetch that fails is rolled back, and has taken nothing. */
  async #fetchDue(): Promise<void> {
    this.#notePace();
    const room = this.#room();
    const fetched = await this.#store.transaction(async (db) => {
      const jobs: HeldJob[] = [];
      for (const queue of [...this.#due]) {
        const batchSize = room - jobs.length;
        if (batchSize === 0) break;
        this.#due.delete(queue);
        const ignoreStartAfter = this.#late.delete(queue);
        jobs.push(...(await claimJobs(this.#store, db, queue, { batchSize, ignoreStartAfter })));
        if (jobs.length === room) this.#due.add(queue);
      }
      return jobs;
    });
    for (const held of fetched) this.#jobs.hold(held);
    if (this.#stopped.signal.aborted) for (const held of fetched) this.#jobs.end(held, "released");
    else this.#ready.push(...fetched);
    this.#runReady();
  }

  #runReady(): void {
    while (this.#running.size < this.#options.concurrency && !this.#stopped.signal.aborted) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      if (next.isOver) this.#jobs.release(next);
      else this.#run(next);
    }
  }

  #run(held: HeldJob): void {
    const { key, raw, attempt, request, controller } = held;
    const transaction = jobTransaction(this.#store, held, () => this.#jobs.release(held));
    this.#begun++;
    const run = this.#options.run({
      ...{ key, raw, attempt, ...request, transaction },
      signal: controller.signal,
    });
    const end = run.then(
      () => this.#jobs.end(held, "done"),
      (error: unknown) => this.#fail(held, error),
    );
    const ended = end.then(() => {
      this.#running.delete(held);
      this.#ended++;
      this.#runReady();
      this.#wake();
    });
    this.#running.set(held, ended);
  }

  #fail(held: HeldJob, error: unknown): void {
    const { attempt } = held;
    const retryMs = isLastAttempt(attempt, error) ? undefined : this.#backoffMs(attempt);
    const attempts = Math.min(attempt, MAX_ATTEMPTS);
    this.#jobs.end(held, { attempts, error: errorText(error), retryMs });
  }

  /** Waits for running handlers, hands back the others, and writes what has ended. */
  async stop(timeoutMs: number): Promise<void> {
    const writeMs = Math.max(500, Math.min(1_000, timeoutMs / 5));
    const deadline = performance.now() + Math.max(timeoutMs, writeMs);
    this.#stopped.abort(receiverStopped());
    this.#wake();
    await waitAtMost(Promise.all(this.#running.values()), Math.max(timeoutMs, writeMs) - writeMs);
    const running = [...this.#running].filter(([{ isOver }]) => !isOver);
    for (const held of [...this.#running.keys(), ...this.#ready]) {
      held.controller.abort(receiverStopped());
      // One whose transaction is about to commit is not handed back: another process could repeat it.
      if (!held.isCommitting) this.#jobs.end(held, "released");
    }
    const committing = running.filter(([{ isCommitting }]) => isCommitting).map(([, end]) => end);
    await waitAtMost(
      Promise.all([this.#loop, ...committing]).then(() => this.#jobs.allWritten()),
      Math.max(1, deadline - performance.now()),
    );
    this.#jobs.stop();
  }
}
