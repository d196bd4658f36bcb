import { notStoredInTime, tooManyWaiting } from "./errors.ts";
import { type NewDelivery, type Receipt, receiptFor } from "./inbox-types.ts";

/** The limits of a {@link Batcher}. */
export interface BatchLimits {
  /** How many deliveries one batch has at most. */
  readonly count: number;
  /** How many bytes the bodies of one batch have at most, unless it has one body only. */
  readonly bytes: number;
  /** How many bytes wait at most, in batches to come. */
  readonly waitingBytes: number;
  /** How long a delivery waits at most for its receipt, in milliseconds. */
  readonly deadlineMs: number;
  /** How many batches are stored at the same time. */
  readonly parallel: number;
}

const DEFAULT_LIMITS: BatchLimits = {
  count: 500,
  bytes: 4_000_000,
  waitingBytes: 64_000_000,
  deadlineMs: 5_000,
  parallel: 1,
};

/**
 * What an engine did with a delivery, or why it could not store it. `undefined`: its sender has its
 * response already.
 */
export type Stored = Receipt["kind"] | Error | undefined;

/**
 * Stores a batch. If it rejects, so does each of the deliveries.
 *
 * @param isOver - Whether the sender of a delivery has its response, for an engine that had to wait.
 */
type StoreBatch = (
  deliveries: readonly NewDelivery[],
  isOver: (at: number) => boolean,
) => Promise<readonly Stored[]>;

/** A delivery whose sender waits for the receipt. */
interface Waiting {
  readonly delivery: NewDelivery;
  /** Only the first call of one of these two has an effect. */
  readonly resolve: (kind: Receipt["kind"]) => void;
  readonly reject: (error: unknown) => void;
  /** The sender has its response: the delivery is not stored. */
  readonly isOver: () => boolean;
}

/**
 * Collects the deliveries that come while the batch before is being stored, and then stores them
 * together. No delivery waits longer than the deadline, whatever the engine does.
 */
export class Batcher {
  readonly #store: StoreBatch;
  readonly #limits: BatchLimits;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #storing = 0;

  constructor(store: StoreBatch, limits: Partial<BatchLimits> = {}) {
    this.#store = store;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  add(delivery: NewDelivery): Promise<Receipt> {
    const { waitingBytes, deadlineMs } = this.#limits;
    return new Promise((resolve, reject) => {
      if (this.#waitingBytes + delivery.raw.length > waitingBytes && this.#waiting.length > 0) {
        reject(tooManyWaiting());
        return;
      }
      let isOver = false;
      const end = (how: () => void) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        how();
      };
      const timer = setTimeout(() => {
        end(() => reject(notStoredInTime(deadlineMs)));
        this.#release();
      }, deadlineMs);
      this.#waitingBytes += delivery.raw.length;
      this.#waiting.push({
        delivery,
        resolve: (kind) => end(() => resolve(receiptFor(kind))),
        reject: (error) => end(() => reject(error)),
        isOver: () => isOver,
      });
      if (this.#storing >= this.#limits.parallel) return;
      this.#storing++;
      // After this turn of the event loop, which may bring more deliveries.
      setImmediate(() => void this.#storeAll());
    });
  }

  async #storeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        if (batch.length > 0) await this.#storeBatch(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      // The responses are written first, and more deliveries may come.
      await new Promise(setImmediate);
    }
    this.#storing--;
  }

  async #storeBatch(batch: readonly Waiting[]): Promise<void> {
    const deliveries = batch.map(({ delivery }) => delivery);
    const stored = await this.#store(deliveries, (at) => batch[at]?.isOver() === true);
    for (const [at, { resolve, reject }] of batch.entries()) {
      const one = stored[at];
      if (typeof one === "string") resolve(one);
      else reject(one);
    }
  }

  /** Drops those whose deadline is over: they are the oldest. */
  #release(): void {
    const live = this.#waiting.findIndex(({ isOver }) => !isOver());
    this.#take(live < 0 ? this.#waiting.length : live);
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    const size = this.#waiting.findIndex(({ delivery }, at) => {
      bytes += delivery.raw.length;
      return at === this.#limits.count || (at > 0 && bytes > this.#limits.bytes);
    });
    return this.#take(size < 0 ? this.#waiting.length : size).filter(({ isOver }) => !isOver());
  }

  #take(count: number): Waiting[] {
    const taken = this.#waiting.splice(0, count);
    for (const { delivery } of taken) this.#waitingBytes -= delivery.raw.length;
    return taken;
  }
}
