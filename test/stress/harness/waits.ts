import { setTimeout as sleep } from "node:timers/promises";

/**
 * How long any wait takes at most: what takes longer hangs, however busy the machine is. The campaign fails then, and
 * says what it waited for.
 */
export const HANG_MS = 300_000;

// Taken before a worker changes the uptime that the client under test sees.
const uptime = process.hrtime.bigint;

/** The time of an event, in milliseconds. It is the same in every process, and follows no clock that a campaign sets. */
export const historyTime = (): number => Number(uptime() / 1_000n) / 1_000;

/** Waits for a promise, and rejects if it hangs. */
export async function waitFor<T>(
  promise: Promise<T>,
  what: () => string,
  limitMs: number = HANG_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const seconds = limitMs / 1_000;
      reject(new Error(`The campaign stands still. It waited ${seconds} s for ${what()}.`));
    }, limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise that is rejected from outside. A rejection that nothing waits for is no error. */
export function failure(): { readonly promise: Promise<never>; reject(reason: unknown): void } {
  let reject!: (reason: unknown) => void;
  const promise = new Promise<never>((_, no) => {
    reject = no;
  });
  promise.catch(() => {});
  return { promise, reject };
}

/** How far a campaign is. What goes wrong in it is planned at counts, not at times. */
export class Progress {
  #count = 0;
  #isOver = false;
  readonly #waiting = new Set<() => void>();

  get count(): number {
    return this.#count;
  }

  /** One more has begun, or has ended. */
  add(): void {
    this.#count++;
    this.#tell();
  }

  /** No more will come: every wait for a count ends. */
  end(): void {
    this.#isOver = true;
    this.#tell();
  }

  #tell(): void {
    for (const look of this.#waiting) look();
  }

  /** Resolves when the count is reached, with whether it ever was. */
  reached(count: number): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.#count < count && !this.#isOver) return;
        this.#waiting.delete(look);
        resolve(this.#count >= count);
      };
      this.#waiting.add(look);
      look();
    });
  }
}

const RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

/**
 * Waits before another try: longer and longer. Tries at a fixed interval keep a machine that became slow busy for
 * ever.
 */
export const retryDelay = (tries: number): Promise<void> =>
  sleep(Math.min(RETRY_MS * 2 ** tries, MAX_RETRY_MS));

/** Works on a list, on some of its items at the same time. */
export async function forEachConcurrently<T>(
  list: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = list[Symbol.iterator]();
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
