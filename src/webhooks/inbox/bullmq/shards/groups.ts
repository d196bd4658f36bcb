/** Something that is done in a group. */
export interface Grouped {
  readonly bytes: number;
}

const MAX_ITEMS = 200;
const MAX_BYTES = 1_048_576;

/** So many groups are under way at most: Redis has work while this process prepares the next group. */
const MAX_UNDER_WAY = Number(process.env.ZZ_UNDER_WAY ?? 3);

/**
 * Does things in groups of what came in one turn of the event loop, or while the groups before were
 * under way: nothing waits for a timer, and the more comes, the fewer round trips each thing costs.
 */
export class Groups<Item extends Grouped> {
  readonly #process: (group: readonly Item[]) => Promise<void>;
  #waiting: Item[] = [];
  #underWay = 0;
  #isPlanned = false;

  /** @param process - Does a group. It must not reject. */
  constructor(process: (group: readonly Item[]) => Promise<void>) {
    this.#process = process;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    if (this.#isPlanned || this.#underWay >= MAX_UNDER_WAY) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#next();
    });
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#underWay >= MAX_UNDER_WAY) return;
    this.#underWay++;
    void this.#process(this.#take()).then(() => {
      this.#underWay--;
      this.#next();
    });
    // What the group had no room for.
    this.#next();
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
