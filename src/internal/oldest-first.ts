/**
 * A map that can forget its oldest entry. It keeps one iterator: a new one would pass over everything that
 * was deleted before it.
 */
export class OldestFirst<Value> {
  readonly #entries = new Map<string, Value>();
  /** Everything before its place was forgotten. */
  readonly #names = this.#entries.keys();

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): Value | undefined {
    return this.#entries.get(name);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** A name that is there keeps its place. */
  set(name: string, value: Value): void {
    this.#entries.set(name, value);
  }

  forgetOldest(): void {
    // At the end, an iterator stays at the end, whatever is added later.
    if (this.size > 0) this.#entries.delete(this.#names.next().value as string);
  }
}
