import { Semaphore } from "../../internal/semaphore.ts";

/** Limits how many pieces of work with the same key are in flight. The others wait, first come first. */
export class ConcurrencyLimiter {
  readonly #maxConcurrent: number;
  readonly #semaphores = new Map<string, Semaphore>();

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Runs work as soon as there is a free slot for its key: synchronously if there is one now. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const semaphore = this.#semaphores.get(key) ?? new Semaphore(this.#maxConcurrent);
    this.#semaphores.set(key, semaphore);
    try {
      return await semaphore.use(undefined, work);
    } finally {
      if (semaphore.isIdle && this.#semaphores.get(key) === semaphore) this.#semaphores.delete(key);
    }
  }
}
