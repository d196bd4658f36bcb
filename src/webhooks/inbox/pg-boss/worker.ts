import type { Job as BossJob, PgBoss } from "pg-boss";
import { withTimeout } from "../../../internal/timeout.ts";
import { errorText, receiverStopped } from "../errors.ts";
import { bytesOf } from "../text.ts";
import type { WorkerOptions } from "../types.ts";
import { type JobData, noReply, type Tuning } from "./queues.ts";
import { jobTransaction } from "./transaction.ts";

// jsonb stores neither a NUL nor half a surrogate pair.
const storable = (text: string) =>
  new TextDecoder().decode(bytesOf(text)).replaceAll("\0", "\uFFFD");

/** Processes the jobs of a queue: pg-boss has one worker for each job that runs at the same time. */
export class PgBossWorkers {
  readonly #boss: PgBoss;
  readonly #queue: string;
  readonly #options: WorkerOptions;
  readonly #tuning: Tuning;
  readonly #ids: string[] = [];
  /** One for each running job. */
  readonly #running = new Set<AbortController>();
  #nextToNotify = 0;

  constructor(boss: PgBoss, queue: string, options: WorkerOptions, tuning: Tuning) {
    this.#boss = boss;
    this.#queue = queue;
    this.#options = options;
    this.#tuning = tuning;
  }

  /** Starts the workers that are missing. May be called again after it failed. */
  async start(isStopped: () => boolean): Promise<void> {
    while (this.#ids.length < this.#options.concurrency && !isStopped()) await this.#startOne();
  }

  async #startOne(): Promise<void> {
    let id = "";
    const handler = async ([job]: BossJob<JobData>[]) => {
      // There may be more jobs: the worker fetches the next one at once.
      this.#boss.notifyWorker(id);
      await this.#process(job as BossJob<JobData>);
    };
    id = await this.#boss.work<JobData>(this.#queue, { batchSize: 1 }, handler);
    this.#ids.push(id);
  }

  /** Has one worker fetch at once, each in turn. */
  notify(): void {
    const id = this.#ids[this.#nextToNotify++ % this.#ids.length];
    if (id !== undefined) this.#boss.notifyWorker(id);
  }

  async #process(job: BossJob<JobData>): Promise<void> {
    const { key, body } = job.data;
    const controller = new AbortController();
    const { signal } = controller;
    let isDone = false;
    this.#running.add(controller);
    job.signal.addEventListener("abort", () => isDone || controller.abort(job.signal.reason));
    const onDone = () => {
      isDone = true;
    };
    const { commitTimeoutMs } = this.#tuning;
    const transaction = jobTransaction(this.#boss, this.#queue, job, onDone, commitTimeoutMs);
    const attempt = job.retryCount + 1;
    try {
      const raw = bytesOf(body);
      await this.#options.run({ key, raw, attempt, signal, ...(transaction && { transaction }) });
    } catch (error) {
      throw new Error(storable(errorText(error)));
    } finally {
      this.#running.delete(controller);
    }
  }

  async stop(timeoutMs: number, abortTimeoutMs: number): Promise<void> {
    const ended = this.#boss.offWork(this.#queue, { wait: true });
    try {
      await withTimeout(ended, timeoutMs, noReply);
    } catch {
      for (const controller of this.#running) controller.abort(receiverStopped());
      await withTimeout(ended, abortTimeoutMs, noReply).catch(this.#options.onError);
    }
  }
}
