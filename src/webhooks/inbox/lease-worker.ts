import { sleep, waitAtMost } from "../../internal/timeout.ts";
import { alreadyStarted, leaseLost, receiverStopped } from "./errors.ts";
import { DEFAULT_PACE, type Pace } from "./pace.ts";
import {
  type DrainLimits,
  type DrainResult,
  type EventSource,
  type Job,
  QUEUES,
  queuesOf,
  type TraceContext,
  type Transaction,
  type WorkerOptions,
} from "./types.ts";

/** A delivery that only this process may process, for a limited time. */
export interface Lease {
  readonly key: string;
  readonly raw: Uint8Array;
  readonly attempt: number;
  /** Identifies the lease: a store ignores the end of a lease that it gave to another since. */
  readonly token: string;
  readonly receivedAt?: number | undefined;
  readonly traceContext?: TraceContext | undefined;
  readonly source?: EventSource | undefined;
}

/** How a lease ended. `released`: handed back, as if it had not been taken. */
export type EndedLease =
  | { readonly lease: Lease; readonly as: "done" }
  | { readonly lease: Lease; readonly as: "released" }
  | { readonly lease: Lease; readonly as: "failed"; readonly error: unknown };

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
  /** Whether it is storing deliveries, which comes first. It calls `poll` when it is ready. */
  isBusy?(): boolean;
  /** For an error that passes soon: when to try again, without a report; else `undefined`. */
  retryDelayMs?(error: unknown): number | undefined;
  /** A transaction that includes the end of the lease, where the store supports it. */
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
  end: Promise<void>;
}

/** Processes the deliveries of a store, some at a time. */
export class LeaseWorker {
  readonly #store: LeaseStore;
  readonly #options: WorkerOptions;
  readonly #queues: readonly string[];
  /** How many deliveries it may still take. */
  #allowance: number;
  #processed = 0;
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
    { leaseMs }: Pace = DEFAULT_PACE,
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
    const ended = this.#ended;
    this.#ended = [];
    let delayMs: number;
    try {
      this.#turn(ended);
      this.#isLocked = false;
      delayMs = Math.min(this.#delayToNextPoll(), this.#maintain());
    } catch (error) {
      delayMs = this.#delayAfter(error);
    }
    this.#pollTimer = setTimeout(() => this.poll(), Math.max(delayMs, 1));
  }

  #turn(ended: EndedLease[]): void {
    const free = this.#options.concurrency - this.#running.size + ended.length;
    const count = this.#state === "running" ? Math.min(free, this.#allowance) : 0;
    const leases = this.#write(ended, count);
    this.#allowance -= leases.length;
    for (const { lease } of ended) this.#running.delete(lease.token);
    for (const lease of leases) this.#begin(lease);
  }

  #write(ended: EndedLease[], count: number): Lease[] {
    try {
      return this.#store.turn(ended, count, this.#queues);
    } catch (error) {
      this.#ended = ended;
      throw error;
    }
  }

  #delayAfter(error: unknown): number {
    const soon = this.#store.retryDelayMs?.(error);
    this.#isLocked = soon !== undefined;
    if (soon === undefined) this.#options.onError(error);
    return soon ?? RETRY_DELAY_MS;
  }

  #delayToNextPoll(): number {
    const isAllowed = this.#allowance > 0;
    const hasRoom = isAllowed && this.#running.size < this.#options.concurrency;
    const dueInMs = hasRoom ? this.#store.nextDueInMs(this.#queues) : POLL_INTERVAL_MS;
    if (this.#running.size === 0 && (!isAllowed || dueInMs > 0)) this.onIdle();
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

  /** Attempts that ended. */
  get processed(): number {
    return this.#processed;
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
    const { key, raw, attempt, receivedAt, traceContext, source } = lease;
    const transaction = this.#transactionOf(running);
    const job: Job = {
      key,
      raw,
      attempt,
      receivedAt,
      traceContext,
      source,
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
    this.#processed++;
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

/** The workers of an inbox: one from its start to its stop, and one for each `drain` under way. */
export class WorkerSlot {
  #worker: LeaseWorker | undefined;
  readonly #drains = new Set<LeaseWorker>();
  /** The queues that the inbox works on; all of them before its start. */
  queues: readonly string[] = QUEUES;

  /** @throws {ConfigurationError} if the inbox has a worker. */
  start(store: LeaseStore, options: WorkerOptions, pace: Pace): void {
    if (this.#worker !== undefined) throw alreadyStarted();
    this.queues = queuesOf(options);
    this.#worker = new LeaseWorker(store, options, pace);
  }

  /** See `Inbox.drain`. */
  async drain(
    store: LeaseStore,
    options: WorkerOptions,
    pace: Pace,
    { timeoutMs, limit }: DrainLimits,
  ): Promise<DrainResult> {
    const deadline = performance.now() + timeoutMs;
    const worker = new LeaseWorker(store, options, pace, limit);
    this.#drains.add(worker);
    const idle = new Promise<void>((resolve) => {
      worker.onIdle = resolve;
      worker.poll();
    });
    await waitAtMost(idle, timeoutMs);
    const { processed } = worker;
    this.#drains.delete(worker);
    await worker.stop(Math.max(0, deadline - performance.now()));
    return { processed, left: store.dueCount(queuesOf(options)) };
  }

  #workers(): LeaseWorker[] {
    return this.#worker === undefined ? [...this.#drains] : [this.#worker, ...this.#drains];
  }

  poll(): void {
    for (const worker of this.#workers()) worker.poll();
  }

  pollSoon(): void {
    for (const worker of this.#workers()) worker.pollSoon();
  }

  async stop(timeoutMs: number): Promise<void> {
    await Promise.all(this.#workers().map((worker) => worker.stop(timeoutMs)));
    this.#worker = undefined;
  }
}
