import { errorText } from "../../internal/error-text.ts";
import { Poller } from "../../internal/poller.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import { merchantOf } from "./delivery.ts";
import { isLastAttempt, leaseLost, receiverStopped } from "./errors.ts";
import type { Transaction, WorkerOptions } from "./inbox-types.ts";
import type { Kinds } from "./kinds.ts";
import {
  type FailedLease,
  type Lease,
  type LeaseChanges,
  type LeaseStore,
  POLL_INTERVAL_MS,
} from "./lease-store.ts";
import type { Pace } from "./pace.ts";
import { Places } from "./places.ts";

/** A store that fails now may work later. Until then, leases are renewed and nothing is lost. */
const RETRY_DELAY_MS = 2_000;

/** How long a stop waits for the store after its limit: which leases ended is written. */
const LAST_WRITE_MS = 700;

/** For how much work of its handlers a worker leases ahead. */
const AHEAD_MS = 100;

/**
 * How often a worker looks past the events of a merchant whose places are taken: a store may have to read
 * them all.
 */
const LOOK_PAST_MS = 250;

/** How long leases last, and when failed attempts are made again. */
export type LeasePace = Pick<Pace, "leaseMs" | "backoffMs">;

/** A lease of this worker, until its end is written. */
interface Held {
  readonly lease: Lease;
  readonly merchant: string | undefined;
  readonly controller: AbortController;
  /** Since when this process surely has it for the length of a lease. */
  keptAt: number;
  /** Its own transaction has ended it, it is handed back, or another process has it. */
  isOver: boolean;
  /** Its handler has ended. */
  hasEnded: boolean;
  /** Its handler. */
  run?: Promise<void>;
  /** The transactions that its handler began, whether it waits for them or not. */
  readonly begun: Promise<unknown>[];
}

/** How a lease ended: the change that writes it. */
type Ended =
  | { readonly as: "complete" | "release"; readonly lease: Lease }
  | ({ readonly as: "fail" } & FailedLease);

function changesOf(ended: readonly Ended[]): Omit<LeaseChanges, "claim"> {
  const leasesOf = (how: Ended["as"]) =>
    ended.filter(({ as }) => as === how).map(({ lease }) => lease);
  const fail = ended.flatMap((one) => {
    if (one.as !== "fail") return [];
    const { as: _, ...failed } = one;
    return [failed];
  });
  return { complete: leasesOf("complete"), fail, release: leasesOf("release") };
}

/** Ends when the transactions of a handler have. Rejects if none of them has committed, and one failed. */
async function transactionsOf({ begun }: Held): Promise<void> {
  for (let ended = 0; ended < begun.length; ) {
    ended = begun.length;
    await Promise.allSettled(begun);
  }
  const ends = await Promise.allSettled(begun);
  const failed = ends.find(({ status }) => status === "rejected");
  const hasCommitted = ends.some(({ status }) => status === "fulfilled");
  if (failed?.status === "rejected" && !hasCommitted) throw failed.reason;
}

/** Processes the deliveries of a store, some at a time. */
export class LeaseWorker {
  readonly #store: LeaseStore;
  readonly #options: WorkerOptions;
  readonly #kinds: Kinds;
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
  /** The places of its handlers. */
  readonly #places: Places;
  /** Ended, and not written yet. */
  readonly #ended: Ended[] = [];
  #state: "running" | "stopping" | "stopped" = "running";
  readonly #poller = new Poller(() => this.#poll());
  readonly #renewer = new Poller(() => this.#renew());
  #isMaintaining = false;
  #maintainAt = Number.NEGATIVE_INFINITY;
  /** When it looks past the events of a merchant again. */
  #lookPastAt = Number.NEGATIVE_INFINITY;
  /** How many deliveries it leases ahead, by the pace since the last commit. */
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
    this.#kinds = options.kinds;
    this.#places = new Places(options.concurrency);
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
      await this.#commit();
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

  async #commit(): Promise<void> {
    this.#notePace();
    const ended = [...this.#ended];
    const keptAt = performance.now();
    const busy = this.#busy();
    const claim = { room: () => this.#room(), kinds: this.#kinds, busy };
    const leases = await this.#store.commit({ ...changesOf(ended), claim });
    this.#ended.splice(0, ended.length);
    const isPast = busy.length > 0 && performance.now() >= this.#lookPastAt;
    if (isPast && leases.length === 0) this.#lookPastAt = performance.now() + LOOK_PAST_MS;
    this.#allowance -= leases.length;
    for (const { lease } of ended) this.#held.delete(lease.token);
    for (const lease of leases) {
      const controller = new AbortController();
      const merchant = merchantOf(lease.traceContext);
      const state = { keptAt, isOver: false, hasEnded: false, begun: [] };
      const held: Held = { lease, merchant, controller, ...state };
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

  /** The merchants whose events wait here although there are free places. */
  #busy(): string[] {
    if (this.#places.free === 0) return [];
    return [...new Set(this.#ready.flatMap(({ merchant }) => merchant ?? []))];
  }

  /** How many deliveries to lease now: none, or enough to be worth a commit. */
  #room(): number {
    if (this.#state !== "running") return 0;
    const { free } = this.#places;
    if (free > 0 && this.#ready.length > 0 && performance.now() < this.#lookPastAt) return 0;
    // While there are free places, all that is ready waits for one of its merchant's.
    const waiting = free > 0 ? 0 : this.#ready.length;
    const room = free + this.#ahead - waiting;
    const isWorthIt = waiting === 0 || room > this.#ahead / 2;
    return isWorthIt ? Math.max(0, Math.min(room, this.#allowance)) : 0;
  }

  /** When to poll for the next delivery that is due. */
  #dueInMs(): number {
    if (this.#busy().length > 0) return Math.max(0, this.#lookPastAt - performance.now());
    const dueInMs = this.#room() > 0 ? this.#store.nextDueInMs(this.#kinds) : POLL_INTERVAL_MS;
    return Math.min(POLL_INTERVAL_MS, dueInMs);
  }

  async #maintain(): Promise<void> {
    const isDue = performance.now() >= this.#maintainAt && !this.#isMaintaining;
    if (this.#state !== "running" || !isDue) return;
    this.#isMaintaining = true;
    let nextInMs: number;
    try {
      const { warnings, ...next } = await this.#store.maintain(this.#kinds);
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

  /** A delivery may be due that the store does not know of. */
  arrived(): void {
    this.#store.noteDue?.();
    this.pollSoon();
  }

  /** Polls once for everything that arrives and ends in this turn of the event loop. */
  pollSoon(): void {
    if (!this.#store.isStoring) this.#poller.soon();
  }

  #runReady(): void {
    if (this.#state !== "running") return;
    for (const next of this.#ready.splice(0)) {
      if (next.isOver) this.#held.delete(next.lease.token);
      else if (this.#places.hasOneFor(next.merchant)) this.#run(next);
      else this.#ready.push(next);
    }
  }

  #run(held: Held): void {
    const { lease, merchant, controller } = held;
    const { key, raw, attempt, receivedAt, traceContext, source } = lease;
    const { signal } = controller;
    const transaction = this.#transactionOf(held);
    const job = { key, raw, attempt, receivedAt, traceContext, source, signal };
    this.#places.take(merchant);
    const run = this.#options.run({ ...job, ...(transaction && { transaction }) });
    held.run = run
      .then(() => transactionsOf(held))
      .finally(() => this.#keepLate(held))
      .then(
        () => this.#finish(held, { lease, as: "complete" }),
        (error: unknown) => this.#finish(held, this.#failed(lease, error)),
      );
  }

  /** A handler that blocks this process keeps it from renewing: at its end, another process may have the event. */
  async #keepLate(held: Held): Promise<void> {
    const isLate = performance.now() - held.keptAt > this.#pace.leaseMs;
    if (isLate && !held.isOver) await this.#extend([held]);
  }

  #failed(lease: Lease, error: unknown): Ended {
    const { attempt } = lease;
    const retryInMs = isLastAttempt(attempt, error) ? undefined : this.#pace.backoffMs(attempt);
    return { as: "fail", lease, error: errorText(error), retryInMs };
  }

  #transactionOf(held: Held): Transaction | undefined {
    const isHeld = () => !held.isOver && !held.hasEnded;
    const run = this.#store.transaction?.(held.lease, isHeld);
    if (run === undefined) return undefined;
    return (write) => {
      const running = run(write).then((result) => {
        held.isOver = true;
        return result;
      });
      // If the handler does not wait for it, its rejection would end the process.
      running.catch(() => {});
      held.begun.push(running);
      return running;
    };
  }

  #finish(held: Held, ended: Ended): void {
    this.processed++;
    this.#places.giveBack(held.merchant);
    held.hasEnded = true;
    if (held.isOver) this.#held.delete(held.lease.token);
    else this.#ended.push(ended);
    this.#runReady();
    this.pollSoon();
  }

  async #renew(): Promise<void> {
    await this.#extend([...this.#held.values()].filter(({ isOver }) => !isOver));
    this.#renewer.in(this.#pace.leaseMs / 3);
  }

  async #extend(live: readonly Held[]): Promise<void> {
    if (live.length === 0) return;
    const keptAt = performance.now();
    try {
      const { kept, lost } = await this.#store.extend(live.map(({ lease }) => lease.token));
      for (const token of kept) {
        const held = this.#held.get(token);
        if (held !== undefined) held.keptAt = keptAt;
      }
      for (const token of lost) {
        const held = this.#held.get(token);
        if (held?.isOver === false) this.#lose(held);
      }
    } catch (error) {
      this.#retryInMs(error);
    }
  }

  #lose(held: Held): void {
    const error = leaseLost(held.lease.key);
    held.isOver = true;
    held.controller.abort(error);
    if (this.#state !== "stopped") this.#options.onError(error);
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
      if (!held.isOver) this.#ended.push({ lease: held.lease, as: "release" });
      held.isOver = true;
      held.controller.abort(receiverStopped());
    }
    if (all.length > 0) this.pollSoon();
  }
}
