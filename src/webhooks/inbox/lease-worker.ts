import { waitAtMost } from "../../internal/timeout.ts";
import { errorText, isLastAttempt, leaseLost, receiverStopped } from "./errors.ts";
import { type EndedLease, type Lease, type LeaseStore, POLL_INTERVAL_MS } from "./lease-store.ts";
import type { Pace } from "./pace.ts";
import { Poller } from "./poller.ts";
import { queuesOf, type Transaction, type WorkerOptions } from "./types.ts";

/** A store that fails now may work later. Until then, leases are renewed and nothing is lost. */
const RETRY_DELAY_MS = 2_000;

/** How long a stop waits for the store after its limit: which leases ended is written. */
const LAST_WRITE_MS = 700;

/** For how much work of its handlers a worker leases ahead. */
const AHEAD_MS = 100;

/** How long leases last, and when failed attempts are made again. */
export type LeasePace = Pick<Pace, "leaseMs" | "backoffMs">;

/** A lease of this worker, until its end is written. */
interface Held {
  readonly lease: Lease;
  readonly controller: AbortController;
  /** Its own transaction has ended it, it is handed back, or another process has it. */
  isOver: boolean;
  /** Its handler has ended. */
  hasEnded: boolean;
  /** Its handler. */
  run?: Promise<void>;
}

/** Processes the deliveries of a store, some at a time. */
export class LeaseWorker {
  readonly #store: LeaseStore;
  readonly #options: WorkerOptions;
  readonly #queues: readonly string[];
  readonly #pace: LeasePace;
  /** How many deliveries it may still take. */
  #allowance: number;
  /** Attempts that ended. */
  processed = 0;
  /** Is called when nothing runs, nothing more is due or allowed, and what is over is forgotten. */
  onIdle: (() => void) | undefined;
  /** By token. */
  readonly #held = new Map<string, Held>();
  /** Leased, and not running yet. */
  readonly #ready: Held[] = [];
  #running = 0;
  /** Ended, and not written yet. */
  readonly #ended: EndedLease[] = [];
  #state: "running" | "stopping" | "stopped" = "running";
  readonly #poller = new Poller(() => this.#poll());
  readonly #renewer = new Poller(() => this.#renew());
  #isMaintaining = false;
  #maintainAt = Number.NEGATIVE_INFINITY;
  /** How many deliveries it leases ahead, by the pace since the last turn. */
  #ahead = 0;
  #lastTurn = { at: performance.now(), processed: 0 };

  /** @param limit - How many deliveries it processes at most. */
  constructor(
    store: LeaseStore,
    options: WorkerOptions,
    pace: LeasePace,
    limit: number = Number.POSITIVE_INFINITY,
  ) {
    this.#store = store;
    this.#options = options;
    this.#queues = queuesOf(options);
    this.#allowance = limit;
    this.#pace = pace;
    this.#renewer.in(pace.leaseMs / 3);
    void this.poll();
  }

  /** Writes which leases ended, and leases what is due. */
  poll(): Promise<void> {
    return this.#poller.now();
  }

  async #poll(): Promise<void> {
    let nextInMs: number;
    try {
      await this.#turn();
      nextInMs = this.#dueInMs();
      void this.#maintain();
      const isIdle = this.#held.size === 0 && !this.#isMaintaining && nextInMs > 0;
      if (isIdle) this.onIdle?.();
    } catch (error) {
      nextInMs = this.#retryInMs(error);
    }
    this.#poller.in(nextInMs);
  }

  /** Reports an error. Returns when to try again. */
  #retryInMs(error: unknown): number {
    if (this.#state !== "stopped") this.#options.onError(error);
    return RETRY_DELAY_MS;
  }

  async #turn(): Promise<void> {
    this.#notePace();
    const ended = [...this.#ended];
    const leases = await this.#store.turn(ended, () => this.#room(), this.#queues);
    this.#ended.splice(0, ended.length);
    this.#allowance -= leases.length;
    for (const { lease } of ended) this.#held.delete(lease.token);
    for (const lease of leases) {
      const controller = new AbortController();
      const held: Held = { lease, controller, isOver: false, hasEnded: false };
      this.#held.set(lease.token, held);
      this.#ready.push(held);
    }
    if (this.#state === "running") this.#runReady();
    else this.#release(this.#ready.splice(0));
  }

  #notePace(): void {
    const { maxAhead } = this.#store;
    if (maxAhead === undefined) return;
    const { at, processed } = this.#lastTurn;
    this.#lastTurn = { at: performance.now(), processed: this.processed };
    const perMs = (this.processed - processed) / Math.max(1, this.#lastTurn.at - at);
    this.#ahead = Math.min(maxAhead, Math.floor(AHEAD_MS * perMs));
  }

  /** How many deliveries to lease now: none, or enough to be worth a turn. */
  #room(): number {
    if (this.#state !== "running") return 0;
    const { concurrency } = this.#options;
    const room = concurrency + this.#ahead - this.#running - this.#ready.length;
    const isWorthIt = this.#ready.length === 0 || room > this.#ahead / 2;
    return isWorthIt ? Math.max(0, Math.min(room, this.#allowance)) : 0;
  }

  /** When to poll for the next delivery that is due. */
  #dueInMs(): number {
    const dueInMs = this.#room() > 0 ? this.#store.nextDueInMs(this.#queues) : POLL_INTERVAL_MS;
    return Math.min(POLL_INTERVAL_MS, dueInMs);
  }

  async #maintain(): Promise<void> {
    const isDue = performance.now() >= this.#maintainAt && !this.#isMaintaining;
    if (this.#state !== "running" || !isDue) return;
    this.#isMaintaining = true;
    let nextInMs: number;
    try {
      const { warnings, ...next } = await this.#store.maintain(this.#queues);
      for (const warning of warnings) this.#options.onError(warning);
      nextInMs = next.nextInMs;
    } catch (error) {
      nextInMs = this.#retryInMs(error);
    }
    this.#isMaintaining = false;
    this.#maintainAt = performance.now() + nextInMs;
    if (this.onIdle !== undefined) this.pollSoon();
    else if (nextInMs < POLL_INTERVAL_MS) this.#poller.in(nextInMs);
  }

  /** Polls once for everything that arrives and ends in this turn of the event loop. */
  pollSoon(queue?: string): void {
    if (queue !== undefined) this.#store.noteDue?.(queue);
    if (!this.#store.isStoring) this.#poller.soon();
  }

  #runReady(): void {
    while (this.#state === "running" && this.#running < this.#options.concurrency) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      if (next.isOver) this.#held.delete(next.lease.token);
      else this.#run(next);
    }
  }

  #run(held: Held): void {
    const { lease, controller } = held;
    const { key, raw, attempt, receivedAt, traceContext, source } = lease;
    const { signal } = controller;
    const transaction = this.#transactionOf(held);
    const job = { key, raw, attempt, receivedAt, traceContext, source, signal };
    this.#running++;
    held.run = this.#options.run({ ...job, ...(transaction && { transaction }) }).then(
      () => this.#finish(held, { lease, as: "done" }),
      (error: unknown) => this.#finish(held, this.#failed(lease, error)),
    );
  }

  #failed(lease: Lease, error: unknown): EndedLease {
    const { attempt } = lease;
    const retryInMs = isLastAttempt(attempt, error) ? undefined : this.#pace.backoffMs(attempt);
    return { lease, as: "failed", error: errorText(error), retryInMs };
  }

  #transactionOf(held: Held): Transaction | undefined {
    const isHeld = () => !held.isOver && !held.hasEnded;
    const run = this.#store.transaction?.(held.lease, isHeld);
    return (
      run &&
      (async (write) => {
        const result = await run(write);
        held.isOver = true;
        return result;
      })
    );
  }

  #finish(held: Held, ended: EndedLease): void {
    this.processed++;
    this.#running--;
    held.hasEnded = true;
    if (held.isOver) this.#held.delete(held.lease.token);
    else this.#ended.push(ended);
    this.#runReady();
    this.pollSoon();
  }

  async #renew(): Promise<void> {
    const live = [...this.#held.values()].filter(({ isOver }) => !isOver);
    const tokens = live.map(({ lease }) => lease.token);
    try {
      for (const token of tokens.length > 0 ? await this.#store.renew(tokens) : []) {
        const lost = this.#held.get(token);
        if (lost === undefined || lost.isOver) continue;
        lost.isOver = true;
        lost.controller.abort(leaseLost());
      }
    } catch (error) {
      this.#retryInMs(error);
    }
    this.#renewer.in(this.#pace.leaseMs / 3);
  }

  /**
   * Lets handlers run for `timeoutMs`. Those that still run then are aborted, and their events handed
   * back.
   */
  async stop(timeoutMs: number): Promise<void> {
    await waitAtMost(this.#endRunning(), timeoutMs);
    this.#state = "stopping";
    this.#release([...this.#held.values()]);
    await waitAtMost(this.#writeEnded(), LAST_WRITE_MS);
    this.#state = "stopped";
    this.#poller.stop();
    this.#renewer.stop();
  }

  /** Takes nothing new. Resolves when the handlers have ended. */
  async #endRunning(): Promise<void> {
    // What arrived in this turn of the event loop is acknowledged, and only memory may hold it.
    if (this.#poller.isSoon) await this.poll();
    this.#state = "stopping";
    this.#release(this.#ready.splice(0));
    await Promise.all([...this.#held.values()].map(({ run }) => run));
  }

  /** What is not written is processed again by another process. */
  async #writeEnded(): Promise<void> {
    await this.poll();
    await this.#store.stop?.();
  }

  /** Hands back what has not ended, and aborts it. */
  #release(all: readonly Held[]): void {
    for (const held of all) {
      if (held.hasEnded) continue;
      if (!held.isOver) this.#ended.push({ lease: held.lease, as: "released" });
      held.isOver = true;
      held.controller.abort(receiverStopped());
    }
    if (all.length > 0) this.pollSoon();
  }
}
