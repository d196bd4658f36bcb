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
  // Browsers and Workers have no setImmediate, and timers that are numbers.
  const timer: unknown = (globalThis.setImmediate ?? setTimeout)(run);
  (Object(timer) as { unref?: () => void }).unref?.();
}

/**
 * Work for turns in which no call waits. It is bounded: what does not fit is dropped, since the next
 * response teaches the same.
 */
export class IdleQueue {
  readonly #entries: Entry[] = [];
  #size = 0;
  #isScheduled = false;

  /** @param size - How many characters the work holds in memory until it has run. */
  add(size: number, run: () => void): void {
    if (this.#entries.length >= MAX_ENTRIES || this.#size + size > MAX_CHARACTERS) return;
    this.#size += size;
    this.#entries.push({ size, run });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#entries.length === 0) return;
    this.#isScheduled = true;
    later(() => {
      this.#isScheduled = false;
      this.flush(performance.now() + TURN_MS);
      this.#schedule();
    });
  }

  /** Does the work now: all of it, or as much as there is time for. */
  flush(end = Number.POSITIVE_INFINITY): void {
    while (performance.now() < end) {
      const entry = this.#entries.shift();
      if (entry === undefined) return;
      this.#size -= entry.size;
      try {
        entry.run();
      } catch {
        // What cannot be read teaches nothing.
      }
    }
  }
}
