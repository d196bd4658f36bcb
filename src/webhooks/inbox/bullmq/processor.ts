import { type Job, WaitingError } from "bullmq";
import { Semaphore } from "../../../internal/semaphore.ts";
import { sleep } from "../../../internal/timeout.ts";
import { bytesOf } from "../delivery.ts";
import {
  errorText,
  isLastAttempt,
  leaseLost,
  PROCESS_DIED,
  receiverStopped,
  unreadable,
} from "../errors.ts";
import { MAX_ATTEMPTS, type WorkerOptions } from "../types.ts";
import type { QueueLedger } from "./ledger.ts";
import { type StoredEvent, storedEventIn } from "./records.ts";

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
}

/** Runs the attempts of one process, for all queues. */
export class Processor {
  readonly #options: WorkerOptions;
  readonly #limit: number;
  readonly #places: Semaphore;
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
    this.#places = new Semaphore(options.concurrency);
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
   */
  async process(ledger: QueueLedger, job: Job, token: string): Promise<boolean> {
    const id = job.id as string;
    const held = { hasBegun: false, controller: new AbortController() };
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
      await this.#places.use(signal, () => this.#run(key, stored, attempt, held));
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

  /** Another process may have this event now. */
  loseLease(id: string): void {
    this.#held.get(id)?.controller.abort(leaseLost());
  }

  /** Hands back what has not begun, and with `isOver` the rest. */
  stop(isOver: boolean): void {
    this.#isStopping = true;
    for (const { hasBegun, controller } of this.#held.values()) {
      if (isOver || !hasBegun) controller.abort(receiverStopped());
    }
  }
}
