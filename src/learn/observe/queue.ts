/** How long one turn may analyse, in milliseconds. The rest waits for the next turn. */
const TURN_MS = 2;
const MAX_ENTRIES = 200;
const MAX_CHARACTERS = 2_000_000;

/** Work that was put off, with its size in characters. */
interface Entry {
  readonly run: () => void;
  readonly size: number;
}

/** Runs a function in a later turn. It does not keep the process alive. */
function later(run: () => void): void {
  // Browsers and Workers have no setImmediate.
  const timer: unknown =
    typeof setImmediate === "function" ? setImmediate(run) : setTimeout(run, 0);
  if (typeof timer === "object") (timer as { unref?: () => void } | null)?.unref?.();
}

/**
 * Work for turns in which no call waits. It is bounded: what does not fit is dropped, since the next
 * response teaches the same.
 */
export class IdleQueue {
  #entries: Entry[] = [];
  #size = 0;
  #isScheduled = false;

  /** @param size - How many characters the work holds in memory until it has run. */
  add(size: number, run: () => void): void {
    if (this.#entries.length >= MAX_ENTRIES || this.#size + size > MAX_CHARACTERS) return;
    this.#size += size;
    this.#entries.push({ size, run });
    this.#schedule();
  }

  /** Does all the work now. */
  flush(): void {
    while (this.#entries.length > 0) this.#next();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    later(() => {
      this.#isScheduled = false;
      const end = performance.now() + TURN_MS;
      while (this.#entries.length > 0 && performance.now() < end) this.#next();
      if (this.#entries.length > 0) this.#schedule();
    });
  }

  #next(): void {
    const entry = this.#entries.shift() as Entry;
    this.#size -= entry.size;
    try {
      entry.run();
    } catch {
      // What cannot be read teaches nothing.
    }
  }
}
