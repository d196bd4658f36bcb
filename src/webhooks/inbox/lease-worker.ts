import { sleep, waitAtMost } from "../../internal/timeout.ts";
import { leaseLost, receiverStopped } from "./errors.ts";
import type { Pace } from "./pace.ts";
import { type Job, queuesOf, type Transaction, type WorkerOptions } from "./types.ts";

/** A delivery that only this process may process, for a limited time. */
export interface Lease extends Omit<Job, "signal" | "transaction"> {
  /** Identifies the lease: a store ignores the end of a lease that it gave to another since. */
  readonly token: string;
}

/** How a lease ended. `released`: handed back, as if it had not been taken. */
export interface EndedLease {
  readonly lease: Lease;
  readonly as: "done" | "failed" | "released";
  /** Of a failed attempt. */
  readonly error?: unknown;
}

/** What a store did beside its turns. */
export interface Maintenance {
  /** What the user must know. */
  readonly warnings: readonly Error[];
  /** When to call again, in milliseconds. */
  readonly nextInMs: number;
}

/** A store that leases its deliveries. Each method is atomic. */
export interface LeaseStore {
  /** Writes how leases ended, and leases up to `count` due deliveries of the queues. */
  turn(ended: readonly EndedLease[], count: number, queues: readonly string[]): Lease[];
  /** Extends leases. Returns the tokens of the lost ones. */
  renew(tokens: readonly string[]): string[];
  /** Milliseconds until the next delivery of the queues is due; infinite if there is none. */
  nextDueInMs(queues: readonly string[]): number;
  /** How many deliveries of the queues are due. */
  dueCount(queues: readonly string[]): number;
  /** Forgets what is over. */
  maintain(queues: readonly string[]): Maintenance;
  /** It is storing deliveries, which comes first. It has the workers poll soon after that. */
  readonly isStoring?: boolean;
  /** For an error that passes soon: when to try again, without a report; else `undefined`. */
  retryDelayMs?(error: unknown): number | undefined;
  /** A transaction that includes the end of the lease, if the store supports it. */
  transaction?(lease: Lease): Transaction;
}

/** Another process may store a delivery, or die, without notifying this one. */
const POLL_INTERVAL_MS = 500;

/** A store that fails now may work later. Until then, leases are renewed and nothing is lost. */
const RETRY_DELAY_MS = 2_000;

/** How often a stop tries to write which leases ended. */
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
  end?: Promise<void>;
}

/** Processes the deliveries of a store, some at a time. */
export class LeaseWorker {
  readonly #store: LeaseStore;
  readonly #options: WorkerOptions;
  readonly #queues: readonly string[];
  /** How many deliveries it may still take. */
  #allowance: number;
  /** Attempts that ended. */
  processed = 0;
  /** Is called when nothing runs, and nothing more is due or allowed. */
  onIdle: () => void = () => {};
  /** By token. */
  readonly #running = new Map<string, Running>();
  /** Ended, and not written yet. */
  #ended: EndedLease[] = [];
  #state: "running" | "stopping" | "stopped" = "running";
  #pollTimer: ReturnType<typeof setTimeout> | undefined;
  #isPollScheduled = false;
  #maintainAt = Number.NEGATIVE_INFINITY;
  /** The last poll failed, and the store expects the next one to work. */
  #isLocked = false;
  readonly #renewalTimer: ReturnType<typeof setInterval>;

  /** @param limit - How many deliveries it processes at most. */
  constructor(
    store: LeaseStore,
    options: WorkerOptions,
    { leaseMs }: Pace,
    limit: number = Number.POSITIVE_INFINITY,
  ) {
    this.#store = store;
    this.#options = options;
    this.#queues = queuesOf(options);
    this.#allowance = limit;
    this.#renewalTimer = setInterval(() => this.#renew(), leaseMs / 3);
    this.poll();
  }

  /** Writes which leases ended, and leases what is due. */
  poll(): void {
    if (this.#state === "stopped") return;
    clearTimeout(this.#pollTimer);
    let delayMs: number;
    try {
      this.#turn();
      this.#isLocked = false;
      delayMs = Math.min(this.#delayToNextPoll(), this.#maintain());
    } catch (error) {
      const soonMs = this.#store.retryDelayMs?.(error);
      this.#isLocked = soonMs !== undefined;
      if (!this.#isLocked) this.#options.onError(error);
      delayMs = soonMs ?? RETRY_DELAY_MS;
    }
    this.#pollTimer = setTimeout(() => this.poll(), Math.max(delayMs, 1));
  }

  #turn(): void {
    const ended = this.#ended;
    const free = this.#options.concurrency - this.#running.size + ended.length;
    const count = this.#state === "running" ? Math.min(free, this.#allowance) : 0;
    const leases = this.#store.turn(ended, count, this.#queues);
    this.#ended = [];
    this.#allowance -= leases.length;
    for (const { lease } of ended) this.#running.delete(lease.token);
    for (const lease of leases) this.#begin(lease);
  }

  #delayToNextPoll(): number {
    const hasRoom = this.#allowance > 0 && this.#running.size < this.#options.concurrency;
    const dueInMs = hasRoom ? this.#store.nextDueInMs(this.#queues) : POLL_INTERVAL_MS;
    if (this.#running.size === 0 && dueInMs > 0) this.onIdle();
    return Math.min(POLL_INTERVAL_MS, dueInMs);
  }

  /** Returns when to poll for it at the latest, in milliseconds. */
  #maintain(): number {
    const now = performance.now();
    if (this.#state !== "running" || now < this.#maintainAt) return POLL_INTERVAL_MS;
    this.#maintainAt = now + RETRY_DELAY_MS;
    const { warnings, nextInMs } = this.#store.maintain(this.#queues);
    this.#maintainAt = now + nextInMs;
    for (const warning of warnings) this.#options.onError(warning);
    return nextInMs;
  }

  /** Polls once for everything that arrives and ends in this turn of the event loop. */
  pollSoon(): void {
    if (this.#isPollScheduled || this.#store.isStoring) return;
    this.#isPollScheduled = true;
    afterThisTurn(() => {
      this.#isPollScheduled = false;
      this.poll();
    });
  }

  #begin(lease: Lease): void {
    const controller = new AbortController();
    const running: Running = { lease, controller, isOver: false };
    const { token, ...job } = lease;
    const transaction = this.#transactionOf(running);
    const { signal } = controller;
    running.end = this.#options.run({ ...job, signal, ...(transaction && { transaction }) }).then(
      () => this.#finish(running, { lease, as: "done" }),
      (error: unknown) => this.#finish(running, { lease, as: "failed", error }),
    );
    this.#running.set(token, running);
  }

  #transactionOf(running: Running): Transaction | undefined {
    const run = this.#store.transaction?.(running.lease);
    return (
      run &&
      (async (write) => {
        const result = await run(write);
        running.isOver = true;
        return result;
      })
    );
  }

  #finish({ lease, isOver }: Running, ended: EndedLease): void {
    this.processed++;
    if (isOver) this.#running.delete(lease.token);
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

  /** Ends within `timeoutMs`. Handlers that still run then are aborted, and their events handed back. */
  async stop(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    // What arrived in this turn of the event loop is acknowledged, and only memory may hold it.
    if (this.#isPollScheduled) this.poll();
    this.#state = "stopping";
    await waitAtMost(Promise.all([...this.#running.values()].map(({ end }) => end)), timeoutMs);
    this.#release();
    this.poll();
    // The store may be locked for a moment. What is not written is processed again by another process.
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
