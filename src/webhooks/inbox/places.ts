/**
 * The places of a process, divided among merchants: an event takes one only while more places are free
 * than its merchant has. So the events of one merchant take at most half of the places, and those of two
 * at most three quarters, however long they stay. An event without a merchant takes any free place.
 */
export class Places {
  #free: number;
  readonly #taken = new Map<string, number>();

  constructor(count: number) {
    this.#free = count;
  }

  get free(): number {
    return this.#free;
  }

  isTakenBy(merchant: string): boolean {
    return this.#taken.has(merchant);
  }

  /** Whether there is a place for an event of this merchant. */
  hasOneFor(merchant: string | undefined): boolean {
    return this.#free > (merchant === undefined ? 0 : (this.#taken.get(merchant) ?? 0));
  }

  take(merchant: string | undefined): void {
    this.#free--;
    if (merchant !== undefined) this.#taken.set(merchant, (this.#taken.get(merchant) ?? 0) + 1);
  }

  giveBack(merchant: string | undefined): void {
    this.#free++;
    if (merchant === undefined) return;
    const left = (this.#taken.get(merchant) ?? 0) - 1;
    if (left > 0) this.#taken.set(merchant, left);
    else this.#taken.delete(merchant);
  }
}
