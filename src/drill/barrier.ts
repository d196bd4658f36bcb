/**
 * Holds the cases of a wave at one moment until all of them have reached it. A fault of the process is
 * then in every one of them at that moment.
 */
export class Barrier {
  readonly #expected: number;
  readonly #act: () => Promise<void>;
  /** Released before the fault, because the moment is after what was held. */
  readonly #steps: Promise<void>[] = [];
  readonly #releases: (() => void)[] = [];
  readonly #isReleasedFirst: boolean;
  #begun: Promise<void> | undefined;

  constructor(expected: number, isReleasedFirst: boolean, act: () => Promise<void>) {
    this.#expected = expected;
    this.#isReleasedFirst = isReleasedFirst;
    this.#act = act;
  }

  get arrived(): number {
    return this.#releases.length;
  }

  /** Resolves when the fault has happened, if it must be acted on. */
  get over(): Promise<void> {
    return this.#begun ?? Promise.resolve();
  }

  /**
   * Waits for the others.
   *
   * @param step - Resolves when what was held has reached the moment after which the fault comes.
   */
  async arrive(step: Promise<void> = Promise.resolve()): Promise<void> {
    if (this.#begun !== undefined) return;
    const released = new Promise<void>((resolve) => this.#releases.push(resolve));
    this.#steps.push(step);
    if (this.arrived >= this.#expected) void this.flush();
    await released;
  }

  /** Goes on with those that have arrived. */
  flush(): Promise<void> {
    this.#begun ??= this.arrived === 0 ? undefined : this.#run();
    return this.over;
  }

  async #run(): Promise<void> {
    const release = () => {
      for (const one of this.#releases) one();
    };
    if (this.#isReleasedFirst) {
      release();
      await Promise.all(this.#steps);
      await this.#act();
    } else {
      const acted = this.#act();
      await acted;
      release();
    }
  }
}
