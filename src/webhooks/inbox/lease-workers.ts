import { waitAtMost } from "../../internal/timeout.ts";
import { alreadyStarted } from "./errors.ts";
import type { DrainLimits, DrainResult, WorkerOptions } from "./inbox-types.ts";
import type { Kinds } from "./kinds.ts";
import type { LeaseStore } from "./lease-store.ts";
import { type LeasePace, LeaseWorker } from "./lease-worker.ts";

/** The workers of an inbox: one from its start to its stop, and one for each `drain` under way. */
export class Workers {
  readonly #open: () => LeaseStore;
  readonly #pace: LeasePace;
  #started: LeaseWorker | undefined;
  readonly #all = new Set<LeaseWorker>();
  /** The kinds of events that the inbox works on; all of them before its start. */
  kinds: Kinds;

  /** @param open - Returns the store of a worker. */
  constructor(open: () => LeaseStore, pace: LeasePace) {
    this.#open = open;
    this.#pace = pace;
  }

  /** @throws {ConfigurationError} if it was started already. */
  start(options: WorkerOptions): void {
    if (this.#started !== undefined) throw alreadyStarted();
    this.kinds = options.kinds;
    this.#started = new LeaseWorker(this.#open(), options, this.#pace);
    this.#all.add(this.#started);
  }

  /** See `Inbox.drain`. */
  async drain(options: WorkerOptions, { timeoutMs, limit }: DrainLimits): Promise<DrainResult> {
    const deadline = performance.now() + timeoutMs;
    const store = this.#open();
    const worker = new LeaseWorker(store, options, this.#pace, limit);
    this.#all.add(worker);
    const idle = new Promise<void>((resolve) => {
      worker.onIdle = resolve;
    });
    await waitAtMost(idle, timeoutMs);
    const { processed } = worker;
    this.#all.delete(worker);
    await worker.stop(Math.max(0, deadline - performance.now()));
    return { processed, left: await store.dueCount(options.kinds) };
  }

  /** Something may be due now. */
  arrived(): void {
    for (const worker of this.#all) worker.arrived();
  }

  async stop(timeoutMs: number): Promise<void> {
    const workers = [...this.#all];
    await Promise.all(workers.map((worker) => worker.stop(timeoutMs)));
    for (const worker of workers) this.#all.delete(worker);
    this.#started = undefined;
  }
}
