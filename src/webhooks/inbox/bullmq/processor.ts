import { type Job, WaitingError } from "bullmq";
import { Semaphore } from "../../../internal/semaphore.ts";
import { sleep } from "../../../internal/timeout.ts";
import {
  errorText,
  isLastAttempt,
  leaseLost,
  PROCESS_DIED,
  receiverStopped,
  unreadable,
} from "../errors.ts";
import { bytesOf } from "../text.ts";
import { MAX_ATTEMPTS, type WorkerOptions } from "../types.ts";
import type { QueueLedger } from "./ledger.ts";
import { type StoredDeadLetter, type StoredEvent, storedEventIn } from "./stored-event.ts";

/** How long to wait until Redis is tried again. */
const RETRY_MS = 500;

/** Attempts that ended: failed ones, and those during which a process died. */
export const attemptsOf = ({ attemptsMade, stalledCounter }: Job): number =>
  attemptsMade + stalledCounter;

/** A job that something else has added to a queue of the inbox, or changed, as a dead letter. */
export const unreadableEvent = (job: Job, error: string): StoredDeadLetter => ({
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

/** Runs the attempts of one process, for all queues. */
export class Processor {
  readonly #options: WorkerOptions;
  readonly #limit: Semaphore;
  /** By the ids of the jobs. */
  readonly #held = new Map<string, { hasBegun: boolean; readonly controller: AbortController }>();
  #isStopping = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#limit = new Semaphore(options.concurrency);
  }

  /** How many handlers run. */
  get running(): number {
    return [...this.#held.values()].filter(({ hasBegun }) => hasBegun).length;
  }

  /**
   * Makes one attempt. If it resolves, the job may end; if it rejects, the attempt has failed.
   *
   * @throws {WaitingError} if the job was handed back.
   */
  async process(ledger: QueueLedger, job: Job, token: string): Promise<void> {
    const id = job.id as string;
    const held = { hasBegun: false, controller: new AbortController() };
    const { signal } = held.controller;
    if (this.#isStopping) held.controller.abort(receiverStopped());
    this.#held.set(id, held);
    try {
      const begin = () => {
        held.hasBegun = true;
      };
      await this.#attempt(ledger, job, signal, begin);
    } catch (error) {
      if (!this.#isStopping || !signal.aborted) throw error;
      await job.moveToWait(token);
      throw new WaitingError();
    } finally {
      this.#held.delete(id);
    }
  }

  async #attempt(ledger: QueueLedger, job: Job, signal: AbortSignal, begin: () => void) {
    const key = job.id as string;
    const attempt = attemptsOf(job) + 1;
    const stored = storedEventIn(job.data);
    if (stored === undefined) {
      const content = unreadableEvent(job, unreadable("it is not an event of this inbox"));
      return this.#write(signal, () => ledger.bury(key, content));
    }
    signal.throwIfAborted();
    const record = await this.#write(signal, () => ledger.begin(key, attempt));
    if (record?.state === "done") return;
    const bury = (error: string, attempts: number) =>
      this.#write(signal, () => ledger.bury(key, { ...stored, attempts, error }));
    if (record?.state === "dead") {
      // The process died between the dead letter and the end of its job.
      const { error = "", attempts = 0 } = record.content ?? {};
      return bury(error, attempts);
    }
    if (attempt > MAX_ATTEMPTS) return bury(PROCESS_DIED, MAX_ATTEMPTS);
    try {
      await this.#limit.use(signal, () => {
        begin();
        return this.#run(key, stored, attempt, signal);
      });
    } catch (error) {
      if (signal.aborted) throw error;
      if (isLastAttempt(attempt, error)) return bury(errorText(error), attempt);
      await this.#write(signal, () => ledger.noteRetry(key, stored.receivedAt));
      // A new error: BullMQ treats some classes of errors, and some messages, in its own way.
      throw new Error(errorText(error));
    }
    const { digest, signedAt } = stored;
    await this.#write(signal, () => ledger.end({ key, digest, signedAt }));
  }

  async #run(key: string, stored: StoredEvent, attempt: number, signal: AbortSignal) {
    const { body, receivedAt, traceContext, source } = stored;
    const raw = bytesOf(body);
    const job = { key, raw, attempt, signal, receivedAt, traceContext, source };
    await Promise.race([this.#options.run(job), rejectionOf(signal)]);
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
