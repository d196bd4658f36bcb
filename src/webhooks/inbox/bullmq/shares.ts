import { Places } from "../places.ts";

/** How long a job is deferred. */
const MIN_DEFER_MS = 100;
const MAX_DEFER_MS = 60_000;

/** How much the last job counts in the time between two jobs of a merchant. */
const WEIGHT = 0.2;

/** A merchant some of whose jobs were deferred. */
interface Deferred {
  /** When one of its handlers ended last, or its first job was deferred. */
  endedAt: number;
  /** The time between the ends of two handlers. */
  gapMs: number;
  /** When the last deferred job comes back. */
  backAt: number;
}

const now = () => performance.now();

/** What waits for a place. */
interface Waiting {
  readonly merchant: string | undefined;
  readonly begin: () => void;
}

/**
 * The handlers of a process, and the jobs that wait until theirs may run. BullMQ hands out the jobs of all
 * merchants in their order: so of one merchant, only some may wait here, and the others are deferred.
 */
export class Shares {
  readonly #places: Places;
  readonly #waiting = new Set<Waiting>();
  readonly #deferred = new Map<string, Deferred>();

  constructor(concurrency: number) {
    this.#places = new Places(concurrency);
  }

  /** Runs a handler as soon as its merchant has a place. @throws the reason of the signal before that. */
  async use<Result>(
    merchant: string | undefined,
    signal: AbortSignal,
    run: () => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    if (this.#places.hasOneFor(merchant)) this.#places.take(merchant);
    else await this.#wait(merchant, signal);
    try {
      return await run();
    } finally {
      this.#places.giveBack(merchant);
      if (merchant !== undefined) this.#noteEnd(merchant);
      this.#beginNext();
    }
  }

  #wait(merchant: string | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        this.#waiting.delete(waiting);
        signal.removeEventListener("abort", giveUp);
        this.#places.take(merchant);
        resolve();
      };
      const waiting = { merchant, begin };
      const giveUp = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #beginNext(): void {
    for (const { merchant, begin } of this.#waiting) {
      if (this.#places.hasOneFor(merchant)) begin();
    }
  }

  #noteEnd(merchant: string): void {
    const deferred = this.#deferred.get(merchant);
    if (deferred === undefined) return;
    deferred.gapMs += (now() - deferred.endedAt - deferred.gapMs) * WEIGHT;
    deferred.endedAt = now();
    if (!this.#places.isTakenBy(merchant) && deferred.backAt < now()) {
      this.#deferred.delete(merchant);
    }
  }

  /**
   * For how long to defer a job of a merchant of which enough wait: it comes back about when those before
   * it have ended, and while no handler of the merchant ends, later and later.
   */
  deferMs(merchant: string): number {
    const at = now();
    const deferred = this.#deferred.get(merchant) ?? { endedAt: at, gapMs: 0, backAt: at };
    this.#deferred.set(merchant, deferred);
    // At half of the gap: handlers may have become faster.
    deferred.backAt = Math.max(at, deferred.backAt) + deferred.gapMs / 2;
    const ms = Math.max(deferred.backAt - at, at - deferred.endedAt, MIN_DEFER_MS);
    return Math.min(ms, MAX_DEFER_MS);
  }
}
