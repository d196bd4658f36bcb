/** Something that is done in a group. */
export interface Grouped {
  readonly bytes: number;
}

const MAX_ITEMS = 200;
const MAX_BYTES = 1_048_576;

/**
 * Does things in groups of what came while the last group was under way: nothing waits for a timer,
 * and the more comes, the fewer round trips each thing costs.
 */
export class Groups<Item extends Grouped> {
  readonly #process: (group: readonly Item[]) => Promise<void>;
  #waiting: Item[] = [];
  #isRunning = false;

  /** @param process - Does a group. It must not reject. */
  constructor(process: (group: readonly Item[]) => Promise<void>) {
    this.#process = process;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) await this.#process(this.#take());
    this.#isRunning = false;
  }

  /** The first of what waits, at most so many and so much; at least one. */
  #take(): Item[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((item, at) => {
      bytes += item.bytes;
      return at > 0 && (at >= MAX_ITEMS || bytes > MAX_BYTES);
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }
}
