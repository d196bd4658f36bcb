import { DelayedError, type Job, WaitingError } from "bullmq";
import { errorText } from "../../../internal/error-text.ts";
import { sleep } from "../../../internal/timeout.ts";
import { bytesOf, merchantOf } from "../delivery.ts";
import {
  DeletedError,
  isLastAttempt,
  leaseLost,
  PROCESS_DIED,
  receiverStopped,
  unreadable,
} from "../errors.ts";
import { MAX_ATTEMPTS, type WorkerOptions } from "../inbox-types.ts";
import { includesKind } from "../kinds.ts";
import { handBackMs } from "../pace.ts";
import { Places } from "../places.ts";
import type { QueueLedger } from "./ledger.ts";
import { type StoredEvent, storedEventIn } from "./redis-layout.ts";
import { Shares } from "./shares.ts";

/**
 * How many jobs a worker has for each one that may run. An attempt takes three round trips beside its
 * handler: it asks the ledger, writes the end there, and ends the job, which fetches the next one.
 */
export const JOBS_PER_PLACE = 3;

/** How long to wait until Redis is tried again. */
const RETRY_MS = 500;

/** Attempts that ended: failed ones, and those during which a process died. */
export const attemptsOf = ({ attemptsMade, stalledCounter }: Job): number =>
  attemptsMade + stalledCounter;

/** A job that something else has added to a queue of the inbox, or changed, as a dead letter. */
export const unreadableEvent = (job: Job, error: string): StoredEvent => ({
  digest: "0",
  event: job.name,
  body: JSON.stringify(job.data) ?? "",
  secretIndex: 0,
  receivedAt: job.timestamp,
  attempts: attemptsOf(job),
  error,
});

/** Rejects when the signal aborts: what ignores it is not waited for. */
const rejectionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** A job that this process has. */
interface Held {
  hasBegun: boolean;
  readonly controller: AbortController;
  /** Resolves with 0 if another process may have the job. */
  readonly extendLock: (ms: number) => Promise<number>;
}

/** Runs the attempts of one process, for all queues. */
export class Processor {
  readonly #options: WorkerOptions;
  readonly #limit: number;
  readonly #shares: Shares;
  /** The jobs that each queue has here. */
  readonly #jobs = new Map<QueueLedger, Places>();
  /** By the ids of the jobs. */
  readonly #held = new Map<string, Held>();
  #begun = 0;
  #ended = 0;
  #isStopping = false;
  #onLimit = () => {};
  /** Resolves when as many handlers have begun as the limit says. Then no other begins. */
  readonly limitReached = new Promise<void>((resolve) => {
    this.#onLimit = resolve;
  });

  constructor(options: WorkerOptions, limit: number) {
    this.#options = options;
    this.#limit = limit;
    this.#shares = new Shares(options.concurrency);
  }

  /** How many handlers run. */
  get running(): number {
    return [...this.#held.values()].filter(({ hasBegun }) => hasBegun).length;
  }

  /** How many handlers have run. */
  get ended(): number {
    return this.#ended;
  }

  /**
   * Makes one attempt. If it resolves, the job may end; if it rejects, the attempt has failed. Resolves with
   * whether the event is a dead letter now.
   *
   * @throws {WaitingError} if the job was handed back.
   * @throws {DelayedError} if it is for another process, or enough events of its merchant are here.
   */
  async process(ledger: QueueLedger, job: Job, token: string): Promise<boolean> {
    const given = storedEventIn(job.data);
    if (given !== undefined && !includesKind(this.#options.kinds, given.event)) {
      return this.#passOn(ledger, job, token);
    }
    const merchant = merchantOf(given?.traceContext);
    const places = this.#jobsOf(ledger);
    if (merchant !== undefined && !this.#isStopping && !places.hasOneFor(merchant)) {
      await job.moveToDelayed(Date.now() + this.#shares.deferMs(merchant), token);
      throw new DelayedError();
    }
    places.take(merchant);
    return this.#hold(ledger, job, token).finally(() => places.giveBack(merchant));
  }

  #jobsOf(ledger: QueueLedger): Places {
    const known = this.#jobs.get(ledger);
    const places = known ?? new Places(this.#options.concurrency * JOBS_PER_PLACE);
    if (known === undefined) this.#jobs.set(ledger, places);
    return places;
  }

  async #hold(ledger: QueueLedger, job: Job, token: string): Promise<boolean> {
    const id = job.id as string;
    const extendLock = (ms: number) => job.extendLock(token, ms);
    const held = { hasBegun: false, controller: new AbortController(), extendLock };
    const { signal } = held.controller;
    if (this.#isStopping) held.controller.abort(receiverStopped());
    this.#held.set(id, held);
    try {
      return await this.#attempt(ledger, job, held);
    } catch (error) {
      if (!this.#isStopping || !signal.aborted) throw error;
      const stored = storedEventIn(job.data);
      // Its last attempt failed, so that it counts as retrying again.
      if (job.attemptsMade > 0 && stored) await ledger.noteRetry(id, stored.receivedAt);
      await job.moveToWait(token);
      throw new WaitingError();
    } finally {
      this.#held.delete(id);
    }
  }

  /**
   * Leaves an event to another process, since this one does not work on its kind. If none took it for the
   * whole retention, it is deleted.
   */
  async #passOn(ledger: QueueLedger, job: Job, token: string): Promise<boolean> {
    const { id = "", timestamp } = job;
    if (attemptsOf(job) === 0 && ledger.isOver(timestamp)) {
      await ledger.forget([id]);
      this.#options.onError(new DeletedError(1));
      return false;
    }
    // BullMQ goes by the clock of this process.
    await job.moveToDelayed(Date.now() + handBackMs(timestamp, ledger.now()), token);
    throw new DelayedError();
  }

  async #attempt(ledger: QueueLedger, job: Job, held: Held): Promise<boolean> {
    const { signal } = held.controller;
    const key = job.id as string;
    const attempt = attemptsOf(job) + 1;
    const stored = storedEventIn(job.data);
    const bury = async (content: StoredEvent) => {
      await this.#write(signal, () => ledger.bury(key, content));
      return true;
    };
    if (stored === undefined) {
      return bury(unreadableEvent(job, unreadable("it is not an event of this inbox")));
    }
    signal.throwIfAborted();
    const record = await this.#write(signal, () => ledger.begin(key, attempt));
    // The process died between this record and the end of the job, or the job was added once more.
    if (record?.state === "done" || record?.state === "dead") return record.state === "dead";
    if (attempt > MAX_ATTEMPTS) {
      return bury({ ...stored, attempts: MAX_ATTEMPTS, error: PROCESS_DIED });
    }
    try {
      const merchant = merchantOf(stored.traceContext);
      await this.#shares.use(merchant, signal, () => this.#run(key, stored, attempt, held));
    } catch (error) {
      if (signal.aborted) throw error;
      const text = errorText(error);
      if (isLastAttempt(attempt, error)) return bury({ ...stored, attempts: attempt, error: text });
      await this.#write(signal, () => ledger.noteRetry(key, stored.receivedAt));
      // A new error: BullMQ treats some classes of errors, and some messages, in its own way.
      throw new Error(text);
    }
    const { digest, signedAt } = stored;
    await this.#write(signal, () => ledger.end({ key, digest, signedAt }));
    return false;
  }

  async #run(key: string, stored: StoredEvent, attempt: number, held: Held): Promise<void> {
    const { signal } = held.controller;
    const { body, receivedAt, traceContext, source } = stored;
    held.hasBegun = true;
    this.#begun++;
    if (this.#begun === this.#limit) {
      this.stop(false);
      this.#onLimit();
    }
    const job = { key, raw: bytesOf(body), attempt, signal, receivedAt, traceContext, source };
    try {
      await Promise.race([this.#options.run(job), rejectionOf(signal)]);
    } finally {
      if (!signal.aborted) this.#ended++;
    }
  }

  /** Retries until it is written, or another process may have the event. */
  async #write<Result>(signal: AbortSignal, write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (signal.aborted) throw error;
        this.#options.onError(error);
        if (!(await sleep(RETRY_MS, signal))) throw error;
      }
    }
  }

  /** Keeps what this process has for some more time. What another process may have is aborted. */
  async renew(leaseMs: number): Promise<void> {
    const renewOne = async ({ extendLock, controller }: Held) => {
      if ((await extendLock(leaseMs)) === 0) controller.abort(leaseLost());
    };
    await Promise.all([...this.#held.values()].map(renewOne));
  }

  /** Hands back what has not begun, and with `isOver` the rest. */
  stop(isOver: boolean): void {
    this.#isStopping = true;
    for (const { hasBegun, controller } of this.#held.values()) {
      if (isOver || !hasBegun) controller.abort(receiverStopped());
    }
  }
}
