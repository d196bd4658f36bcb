import type { Db, Job as EngineJob } from "pg-boss";
import { sha256Hex } from "#hmac";
import { sleep, waitAtMost } from "../../../internal/timeout.ts";
import { leaseLost, PROCESS_DIED, receiverStopped, unreadable } from "../errors.ts";
import { requestIn } from "../ledger/rows.ts";
import { bytesOf } from "../text.ts";
import {
  type DrainLimits,
  type Job,
  MAX_ATTEMPTS,
  type NewDelivery,
  queueOf,
  queuesOf,
  type WorkerOptions,
} from "../types.ts";
import { type HeldJob, HeldJobs } from "./held-jobs.ts";
import { engineQueue, type JobData } from "./queues.ts";
import { RunningEvents } from "./running-events.ts";
import type { Store } from "./store.ts";
import { jobTransaction } from "./transaction.ts";

/** Another process may store an event, or a retry fall due, without telling this one. */
const POLL_INTERVAL_MS = 500;

/** How long after a failure of the engine the next try begins. */
const RETRY_DELAY_MS = 2_000;

/** Jobs are fetched this long before a handler is free for them, by the pace of those before. */
const AHEAD_MS = 100;
const MAX_AHEAD = 100;

/** How many ends of jobs wait at most until they are written, beside the running ones. */
const MAX_WRITING = 400;

/** A job as it was fetched, with the row of its event. */
interface Fetched {
  readonly held: HeldJob;
  readonly row: Readonly<Record<string, unknown>> | undefined;
  /** The data of the job as text. */
  readonly text: string;
}

const isJobData = (data: unknown): data is JobData => {
  const { format, key, attempts } = (data ?? {}) as Partial<Record<keyof JobData, unknown>>;
  return format === 1 && /^[\da-f]{64}$/.test(String(key)) && Number.isInteger(attempts);
};

/** Fetches jobs as long as it has room for them, and runs them. */
export class PgBossWorker {
  readonly #store: Store;
  readonly #options: WorkerOptions;
  readonly #queues: readonly string[];
  readonly #jobs: HeldJobs;
  readonly #presence: RunningEvents;
  /** The handlers that run. */
  readonly #running = new Map<HeldJob, Promise<void>>();
  /** Fetched, and not running yet. */
  #ready: Fetched[] = [];
  /** How many may be fetched beyond those that run. */
  #ahead = 0;
  #fetchedAt = performance.now();
  #endedAtFetch = 0;
  /** What is being written about jobs. */
  readonly #writing = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  /** The queues that may have a job that is due. */
  readonly #due: Set<string>;
  /** The queues whose jobs are fetched before their time. */
  readonly #late = new Set<string>();
  #loop: Promise<void> | undefined;
  #turns = 0;
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
    this.#presence = new RunningEvents(store, options.onError, () => ({
      queues: this.#queues,
      keys: this.#jobs.all.filter(({ isOver }) => !isOver).map(({ key }) => key),
    }));
    this.#jobs = new HeldJobs(store, options.onError, () => this.#presence.changed());
  }

  /** Tells the other processes that this one is there. */
  isAlive(): void {
    this.#presence.changed();
  }

  start(): void {
    this.isAlive();
    this.#loop ??= this.#workUntil(() => this.#stopped.signal.aborted);
  }

  /** There is a new event of this kind: it is fetched at once. */
  notify(kind: string): void {
    const queue = queueOf(kind);
    if (!this.#queues.includes(queue)) return;
    this.#due.add(queue);
    this.#wake();
  }

  /** Fetches the jobs of such events even if they are not due. */
  fetchLate(kinds: readonly string[]): void {
    for (const kind of kinds) {
      this.#late.add(queueOf(kind));
      this.notify(kind);
    }
  }

  /** Processes what is due. Resolves with how many attempts ended. */
  async drain({ timeoutMs, limit }: DrainLimits): Promise<number> {
    this.#limit = limit;
    const deadline = performance.now() + timeoutMs;
    const timer = setTimeout(() => this.#wake(), timeoutMs);
    const isIdle = () => this.#running.size + this.#ready.length + this.#writing.size === 0;
    const isOver = () =>
      this.#stopped.signal.aborted ||
      performance.now() >= deadline ||
      (isIdle() && (this.#begun >= limit || (this.#turns > 0 && this.#due.size === 0)));
    this.#loop = this.#workUntil(isOver);
    await this.#loop;
    clearTimeout(timer);
    await this.stop(Math.max(0, deadline - performance.now()));
    return this.#ended;
  }

  async #workUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (this.#room() > 0 && this.#due.size > 0) {
        try {
          await this.#fetchDue();
        } catch (error) {
          this.#options.onError(error);
          await sleep(RETRY_DELAY_MS, this.#stopped.signal);
          this.#pollAll();
        }
        this.#turns++;
      } else {
        await this.#untilWoken();
      }
      // What ends in the same turn of the event loop makes room for one fetch.
      await new Promise(setImmediate);
    }
  }

  #pollAll(): void {
    this.#polledAt = performance.now();
    for (const queue of this.#queues) this.#due.add(queue);
  }

  /** How many jobs to fetch now: none, or enough to be worth a fetch. */
  #room(): number {
    const { concurrency } = this.#options;
    const taken = this.#running.size + this.#ready.length;
    const room = Math.min(
      concurrency + this.#ahead - taken,
      MAX_WRITING - this.#writing.size,
      this.#limit - this.#begun - this.#ready.length,
    );
    return this.#ready.length === 0 || room > this.#ahead / 2 ? room : 0;
  }

  #notePace(): void {
    const now = performance.now();
    const paceMs = (now - this.#fetchedAt) / Math.max(1, this.#ended - this.#endedAtFetch);
    this.#ahead = Math.min(MAX_AHEAD, Math.floor(AHEAD_MS / paceMs));
    this.#fetchedAt = now;
    this.#endedAtFetch = this.#ended;
  }

  async #untilWoken(): Promise<void> {
    const pollInMs = this.#polledAt + POLL_INTERVAL_MS - performance.now();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(
        () => {
          this.#pollAll();
          resolve();
        },
        Math.max(1, pollInMs),
      );
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stopped.signal.aborted) this.#wake();
    });
  }

  /** Fetches from the queues in turn. A fetch that fails is rolled back, and has taken nothing. */
  async #fetchDue(): Promise<void> {
    this.#notePace();
    const due = this.#queues.filter((queue) => this.#due.has(queue));
    const first = this.#turns % due.length;
    const queues = [...due.slice(first), ...due.slice(0, first)];
    for (const queue of queues) this.#due.delete(queue);
    const room = this.#room();
    const fetched = await this.#store.transaction(async (db) => {
      const jobs: [queue: string, job: EngineJob][] = [];
      for (const queue of queues) {
        if (room - jobs.length > 0) {
          const some = await this.#fetch(db, queue, room - jobs.length);
          jobs.push(...some.map((job): [string, EngineJob] => [queue, job]));
        }
        if (jobs.length === room) this.#due.add(queue);
      }
      return this.#withRows(db, jobs);
    });
    await this.#begin(fetched);
  }

  #fetch(db: Db, queue: string, batchSize: number): Promise<EngineJob[]> {
    const name = engineQueue(this.#store.settings.inbox, queue);
    const ignoreStartAfter = this.#late.delete(queue);
    return this.#store.boss.fetch<object>(name, { db, batchSize, ignoreStartAfter });
  }

  async #withRows(
    db: Db,
    jobs: readonly (readonly [string, EngineJob])[],
  ): Promise<readonly Fetched[]> {
    const keys = jobs
      .map(([, { data }]) => data)
      .filter(isJobData)
      .map(({ key }) => key);
    const rows = keys.length === 0 ? new Map() : await this.#store.ledger.read(db, keys);
    return jobs.map(([queue, { id, name, retryCount, data }]) => {
      const text = JSON.stringify(data) ?? "";
      const { key, attempts } = isJobData(data) ? data : { key: sha256Hex(id), attempts: 0 };
      const held = {
        id,
        retryCount,
        queue: name,
        key,
        event: queue,
        attempt: attempts + retryCount + 1,
        controller: new AbortController(),
        isCommitting: false,
        isOver: false,
      };
      return { held, row: rows.get(key), text };
    });
  }

  async #begin(fetched: readonly Fetched[]): Promise<void> {
    for (const { held } of fetched) this.#jobs.hold(held);
    if (this.#stopped.signal.aborted) {
      this.#write(fetched, (jobs) => this.#jobs.handBack(jobs));
      return;
    }
    const isEnded = ({ row }: Fetched) => row !== undefined && row.state !== "pending";
    this.#write(fetched.filter(isEnded), (jobs) => this.#jobs.discard(jobs));
    this.#ready.push(...fetched.filter((one) => !isEnded(one)));
    this.#runReady();
  }

  #runReady(): void {
    while (this.#running.size < this.#options.concurrency && !this.#stopped.signal.aborted) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      if (next.held.isOver) this.#jobs.release(next.held);
      else this.#run(next);
    }
  }

  #run({ held, row, text }: Fetched): void {
    const bury = (reason: string, lost?: NewDelivery) =>
      this.#end(held, () => this.#jobs.bury(held, reason, lost));
    if (row === undefined) {
      bury(unreadable("it is not in the ledger"), lostEvent(held, text));
      return;
    }
    if (held.attempt > MAX_ATTEMPTS) {
      this.#end(held, () => this.#jobs.fail(held, PROCESS_DIED));
      return;
    }
    let job: Job;
    try {
      job = this.#jobOf(held, row);
    } catch (error) {
      bury(unreadable(error));
      return;
    }
    this.#begun++;
    const end = this.#options.run(job).then(
      () => this.#end(held, () => this.#jobs.complete(held)),
      (error: unknown) => this.#end(held, () => this.#jobs.fail(held, error)),
    );
    this.#running.set(held, end);
  }

  #jobOf(held: HeldJob, row: Readonly<Record<string, unknown>>): Job {
    return {
      key: held.key,
      raw: row.raw as Uint8Array,
      attempt: held.attempt,
      ...requestIn(row),
      signal: held.controller.signal,
      transaction: jobTransaction(this.#store, this.#jobs, held),
    };
  }

  #end(held: HeldJob, write: () => Promise<void>): void {
    if (this.#running.delete(held)) this.#ended++;
    if (held.isOver) this.#jobs.release(held);
    else this.#track(this.#writeEnd(held, write));
    this.#runReady();
    this.#wake();
  }

  #write(fetched: readonly Fetched[], write: (jobs: readonly HeldJob[]) => Promise<void>): void {
    const jobs = fetched.map(({ held }) => held);
    const written = write(jobs).finally(() => {
      for (const held of jobs) this.#jobs.release(held);
    });
    this.#track(written);
  }

  #track(write: Promise<void>): void {
    const ended = write.catch(this.#options.onError).finally(() => {
      this.#writing.delete(ended);
      this.#wake();
    });
    this.#writing.add(ended);
  }

  /** Retries until the end is written, or another process has the job. Heartbeats continue meanwhile. */
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
    // A retry may be due at once.
    this.#due.add(queueOf(held.event));
  }

  /** Waits for running handlers, hands back the others, and writes what has ended. */
  async stop(timeoutMs: number): Promise<void> {
    const writeMs = Math.max(500, Math.min(1_000, timeoutMs / 5));
    const deadline = performance.now() + Math.max(timeoutMs, writeMs);
    this.#stopped.abort(receiverStopped());
    this.#wake();
    await waitAtMost(Promise.all(this.#running.values()), Math.max(timeoutMs, writeMs) - writeMs);
    this.#handBackRunning();
    const committing = [...this.#running].filter(([{ isOver }]) => !isOver);
    const rest = Promise.all([this.#loop, ...committing.map(([, end]) => end)]);
    await waitAtMost(
      rest.then(() => Promise.all([...this.#writing, this.#presence.stop()])),
      Math.max(1, deadline - performance.now()),
    );
    this.#jobs.stop();
  }

  #handBackRunning(): void {
    const running = [...this.#running.keys(), ...this.#ready.map(({ held }) => held)];
    this.#ready = [];
    // One whose transaction is about to commit is not handed back: another process could repeat it.
    const jobs = running.filter(({ isOver, isCommitting }) => !isOver && !isCommitting);
    for (const { controller, isOver } of running) {
      controller.abort(isOver ? leaseLost() : receiverStopped());
    }
    for (const held of jobs) this.#jobs.release(held);
    this.#track(this.#jobs.handBack(jobs));
  }
}

/** What is known of an event whose job cannot be read, or whose row is gone. */
const lostEvent = ({ key, event }: HeldJob, text: string): NewDelivery => ({
  key,
  digest: key,
  event,
  raw: bytesOf(text),
  secretIndex: 0,
  receivedAt: Date.now(),
});
