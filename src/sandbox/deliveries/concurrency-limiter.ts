interface Slots {
  inFlight: number;
  readonly waiting: (() => void)[];
}

/** Limits how many pieces of work with the same key are in flight. The others wait, first come first. */
export class ConcurrencyLimiter {
  readonly #maxConcurrent: number;
  readonly #slots = new Map<string, Slots>();

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Runs work as soon as there is a free slot for its key: synchronously if there is one now. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slots = this.#slots.get(key) ?? { inFlight: 0, waiting: [] };
    this.#slots.set(key, slots);
    if (slots.inFlight < this.#maxConcurrent) slots.inFlight++;
    else await new Promise<void>((begin) => slots.waiting.push(begin));
    try {
      return await work();
    } finally {
      this.#release(key, slots);
    }
  }

  /** Hands the slot to the next one that waits. */
  #release(key: string, slots: Slots): void {
    const next = slots.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    slots.inFlight--;
    if (slots.inFlight === 0) this.#slots.delete(key);
  }
}
