import { sleep, waitAtMost } from "../../internal/timeout.ts";
import { alreadyStarted, leaseLost, receiverStopped } from "./errors.ts";
import { DEFAULT_PACE, type Pace } from "./pace.ts";
import type { Job, TraceContext, Transaction, WorkerOptions } from "./types.ts";

/** A delivery that only this process may process, for a limited time. */
export interface Lease {
  readonly key: string;
  readonly raw: Uint8Array;
  readonly attempt: number;
  /** Identifies the lease: a store ignores the end of a lease that it gave to another since. */
  readonly token: string;
  readonly receivedAt?: number | undefined;
  readonly traceContext?: TraceContext | undefined;
}

/** How a lease ended. `released`: handed back, as if it had not been taken. */
export type EndedLease =
  | { readonly lease: Lease; readonly as: "done" }
  | { readonly lease: Lease; readonly as: "released" }
  | { readonly lease: Lease; readonly as: "failed"; readonly error: unknown };

/** A store that leases its deliveries. Each method is atomic. */
export interface LeaseStore {
  /** Writes how leases ended, and leases up to `count` due deliveries. */
  turn(ended: readonly EndedLease[], count: number): Lease[];
  /** Extends leases. Gives the tokens of the lost ones. */
  renew(tokens: readonly string[]): string[];
  /** Milliseconds until the next delivery falls due; infinite where none does. */
  nextDueInMs(): number;
  /** Whether it is storing deliveries, which comes first. It calls `poll` when it is ready. */
  isBusy?(): boolean;
  /** For an error that passes soon: when to try again, without telling anybody; else `undefined`. */
  retryDelayMs?(error: unknown): number | undefined;
  /** A transaction that includes the end of the lease, where the store supports it. */
  transaction?(lease: Lease): Transaction;
}

/** Another process may store a delivery, or die, without notifying this one. */
const POLL_INTERVAL_MS = 500;

/** A store that fails now may work later. Until then, leases are renewed and nothing is lost. */
const RETRY_DELAY_MS = 2_000;

/** How long a stop tries to write which leases ended. */
const MAX_LAST_WRITE_MS = 2_000;
const LAST_WRITE_INTERVAL_MS = 25;

// Cloudflare Workers have no `setImmediate`.
function afterThisTurn(callback: () => void): void {
  if (typeof setImmediate === "function") setImmediate(callback);
  else setTimeout(callback);
}

/** A lease whose job is running. */
interface Running {
  readonly lease: Lease;
  readonly controller: AbortController;
  /** Its own transaction has ended it, or another process has it: there is nothing to write. */
  isOver: boolean;
  end: Promise<void>;
}

/** Processes the deliveries of a store, some at a time. */
export class LeaseWorker {
  readonly #store: LeaseStore;
  readonly #options: WorkerOptions;
  /** By token. */
  readonly #running = new Map<string, Running>();
  /** Ended, and not written yet. */
  #ended: EndedLease[] = [];
  #state: "running" | "stopping" | "stopped" = "running";
  #pollTimer: ReturnType<typeof setTimeout> | undefined;
  #isPollScheduled = false;
  /** The last poll failed, and the store expects the next one to work. */
  #isLocked = false;
  readonly #renewalTimer: ReturnType<typeof setInterval>;

  constructor(store: LeaseStore, options: WorkerOptions, { leaseMs }: Pace = DEFAULT_PACE) {
    this.#store = store;
    this.#options = options;
    this.#renewalTimer = setInterval(() => this.#renew(), leaseMs / 3);
    this.poll();
  }

  /** Writes which leases ended, and leases what is due. */
  poll(): void {
    if (this.#state === "stopped") return;
    clearTimeout(this.#pollTimer);
    const written = this.#ended;
    this.#ended = [];
    let delayMs: number;
    try {
      this.#turn(written);
      delayMs = this.#delayToNextPoll();
      this.#isLocked = false;
    } catch (error) {
      this.#ended = written;
      const soon = this.#store.retryDelayMs?.(error);
      this.#isLocked = soon !== undefined;
      delayMs = soon ?? RETRY_DELAY_MS;
      if (soon === undefined) this.#options.onError(error);
    }
    this.#pollTimer = setTimeout(() => this.poll(), Math.max(delayMs, 1));
  }

  #turn(ended: readonly EndedLease[]): void {
    const free = this.#options.concurrency - this.#running.size + ended.length;
    const leases = this.#store.turn(ended, this.#state === "running" ? free : 0);
    for (const { lease } of ended) this.#running.delete(lease.token);
    for (const lease of leases) this.#begin(lease);
  }

  #delayToNextPoll(): number {
    const hasRoom = this.#running.size < this.#options.concurrency;
    return hasRoom ? Math.min(POLL_INTERVAL_MS, this.#store.nextDueInMs()) : POLL_INTERVAL_MS;
  }

  /** Polls once for everything that arrives and ends in this turn of the event loop. */
  pollSoon(): void {
    if (this.#isPollScheduled || this.#store.isBusy?.()) return;
    this.#isPollScheduled = true;
    afterThisTurn(() => {
      this.#isPollScheduled = false;
      this.poll();
    });
  }

  #begin(lease: Lease): void {
    const controller = new AbortController();
    const running: Running = { lease, controller, isOver: false, end: Promise.resolve() };
    const { key, raw, attempt, receivedAt, traceContext } = lease;
    const transaction = this.#transactionOf(running);
    const job: Job = {
      key,
      raw,
      attempt,
      receivedAt,
      traceContext,
      signal: controller.signal,
      ...(transaction && { transaction }),
    };
    running.end = this.#options.run(job).then(
      () => this.#finish(running, { lease, as: "done" }),
      (error: unknown) => this.#finish(running, { lease, as: "failed", error }),
    );
    this.#running.set(lease.token, running);
  }

  #transactionOf(running: Running): Transaction | undefined {
    const run = this.#store.transaction?.(running.lease);
    if (run === undefined) return undefined;
    return async (write) => {
      const result = await run(write);
      running.isOver = true;
      return result;
    };
  }

  #finish(running: Running, ended: EndedLease): void {
    if (running.isOver) this.#running.delete(running.lease.token);
    else this.#ended.push(ended);
    this.pollSoon();
  }

  #renew(): void {
    const held = [...this.#running.values()].filter(({ isOver }) => !isOver);
    if (held.length === 0) return;
    try {
      for (const token of this.#store.renew(held.map(({ lease }) => lease.token))) {
        const running = this.#running.get(token) as Running;
        running.isOver = true;
        running.controller.abort(leaseLost());
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async stop(timeoutMs: number): Promise<void> {
    // What arrived in this turn of the event loop is acknowledged, and only memory may hold it.
    if (this.#isPollScheduled) this.poll();
    this.#state = "stopping";
    await waitAtMost(Promise.all([...this.#running.values()].map(({ end }) => end)), timeoutMs);
    this.#release();
    this.poll();
    // The store may be locked for a moment. What is not written is processed again by another process.
    const deadline = performance.now() + MAX_LAST_WRITE_MS;
    while (this.#isLocked && this.#ended.length > 0 && performance.now() < deadline) {
      await sleep(LAST_WRITE_INTERVAL_MS);
      this.poll();
    }
    this.#state = "stopped";
    clearTimeout(this.#pollTimer);
    clearInterval(this.#renewalTimer);
  }

  /** Hands back what has not ended, and aborts it. */
  #release(): void {
    const ended = new Set(this.#ended.map(({ lease }) => lease.token));
    for (const { lease, controller, isOver } of this.#running.values()) {
      if (ended.has(lease.token)) continue;
      if (!isOver) this.#ended.push({ lease, as: "released" });
      controller.abort(receiverStopped());
    }
  }
}

/** The worker of an inbox, from its start to its stop. */
export class WorkerSlot {
  #worker: LeaseWorker | undefined;

  /** @throws {ConfigurationError} where the inbox has a worker. */
  start(store: LeaseStore, options: WorkerOptions, pace: Pace): void {
    if (this.#worker !== undefined) throw alreadyStarted();
    this.#worker = new LeaseWorker(store, options, pace);
  }

  poll(): void {
    this.#worker?.poll();
  }

  pollSoon(): void {
    this.#worker?.pollSoon();
  }

  async stop(timeoutMs: number): Promise<void> {
    await this.#worker?.stop(timeoutMs);
    this.#worker = undefined;
  }
}
