import { withTimeout } from "../../internal/timeout.ts";

const MAX_ITEMS = 100;
const MAX_BYTES = 1_048_576;

/** How to put items into groups. */
export interface GroupOptions<Item, Result> {
  /** Does a group. Resolves with the results in the same order. May be called again for each item. */
  readonly run: (items: readonly Item[]) => Promise<Result[]>;
  /** Items with the same key are never in one group. */
  readonly keyOf: (item: Item) => string;
  readonly bytesOf: (item: Item) => number;
  /** Whether the items of a group that failed are tried one by one. */
  readonly isWorthRetrying: (error: unknown) => boolean;
  /** Time for a group, in milliseconds. */
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does items in groups: what came while the last group was under way is the next group. One that comes
 * alone is done at once.
 */
export class Groups<Item, Result> {
  readonly #options: GroupOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: GroupOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) await this.#runOne(this.#take());
    this.#isRunning = false;
  }

  /** The next group, in the order of arrival. */
  #take(): Waiting<Item, Result>[] {
    const { keyOf, bytesOf } = this.#options;
    const keys = new Set<string>();
    const group: Waiting<Item, Result>[] = [];
    const rest: Waiting<Item, Result>[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      const key = keyOf(waiting.item);
      const size = bytesOf(waiting.item);
      const fits = group.length < MAX_ITEMS && bytes + size <= MAX_BYTES && !keys.has(key);
      if (fits || group.length === 0) {
        group.push(waiting);
        bytes += size;
      } else rest.push(waiting);
      // Also one that waits: a later one of the same key does not overtake it.
      keys.add(key);
    }
    this.#waiting = rest;
    return group;
  }

  async #runOne(group: readonly Waiting<Item, Result>[]): Promise<void> {
    const { isWorthRetrying } = this.#options;
    try {
      const results = await this.#run(group.map(({ item }) => item));
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
    } catch (error) {
      const isRetried = group.length > 1 && isWorthRetrying(error);
      if (isRetried) await Promise.allSettled(group.map((waiting) => this.#runAlone(waiting)));
      else for (const { reject } of group) reject(error);
    }
  }

  async #runAlone({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> {
    try {
      const [result] = await this.#run([item]);
      resolve(result as Result);
    } catch (error) {
      reject(error);
    }
  }

  #run(items: readonly Item[]): Promise<Result[]> {
    const { run, timeoutMs, timeoutError } = this.#options;
    return withTimeout(run(items), timeoutMs, timeoutError);
  }
}
