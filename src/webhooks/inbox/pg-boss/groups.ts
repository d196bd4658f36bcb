import { withTimeout } from "../../../internal/timeout.ts";

interface Entry<Item, Result> {
  readonly item: Item;
  readonly id: string;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupOptions<Item, Result> {
  /** Runs a group, sorted by id. Gives one result for each item, in that order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly idOf: (item: Item) => string;
  readonly bytesOf?: (item: Item) => number;
  readonly maxItems: number;
  readonly maxBytes?: number;
  /** How long the next group waits for one that does not end. */
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
  /** For an error that one item may have caused: its group is run again, one item at a time. */
  readonly isOfOneItem?: (error: unknown) => boolean;
}

/**
 * Runs what comes while a group is under way as the next group: one item does not wait for others,
 * and under load one statement does the work of many.
 */
export class Groups<Item, Result> {
  readonly #options: GroupOptions<Item, Result>;
  #waiting: Entry<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: GroupOptions<Item, Result>) {
    this.#options = options;
  }

  run(item: Item): Promise<Result> {
    const { idOf, bytesOf } = this.#options;
    return new Promise((resolve, reject) => {
      const bytes = bytesOf?.(item) ?? 0;
      this.#waiting.push({ item, id: idOf(item), bytes, resolve, reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    // What comes in this turn of the event loop belongs to the first group.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      const { timeoutMs, timeoutError } = this.#options;
      try {
        await withTimeout(this.#runGroup(group), timeoutMs, timeoutError);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
  }

  /** An id comes once: a statement cannot insert a row twice, and say which one was first. */
  #nextGroup(): Entry<Item, Result>[] {
    const { maxItems, maxBytes = Number.POSITIVE_INFINITY } = this.#options;
    const group = new Map<string, Entry<Item, Result>>();
    const later: Entry<Item, Result>[] = [];
    let bytes = 0;
    for (const entry of this.#waiting) {
      const isFull = group.size >= maxItems || (group.size > 0 && bytes + entry.bytes > maxBytes);
      if (isFull || group.has(entry.id)) {
        later.push(entry);
        continue;
      }
      bytes += entry.bytes;
      group.set(entry.id, entry);
    }
    this.#waiting = later;
    // Two processes that lock the same rows in the same order do not deadlock.
    return [...group.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async #runGroup(group: readonly Entry<Item, Result>[]): Promise<void> {
    const { run, isOfOneItem } = this.#options;
    try {
      const results = await run(group.map(({ item }) => item));
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
    } catch (error) {
      if (group.length === 1 || !isOfOneItem?.(error)) throw error;
      for (const entry of group) {
        await this.#runGroup([entry]).catch(entry.reject);
      }
    }
  }
}
