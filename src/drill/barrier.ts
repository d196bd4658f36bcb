/**
 * Holds the cases of a wave at one moment until all of them have reached it. A fault of the process
 * then happens to every one of them at that moment.
 */
export class Barrier {
  readonly #expected: number;
  readonly #act: (release: () => void) => Promise<void>;
  readonly #held: { readonly happened: () => void; readonly step?: Promise<unknown> }[] = [];
  #release = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });
  #over: Promise<void> | undefined;

  /** @param act - Causes the fault. Calls `release` as soon as what is held may go on. */
  constructor(expected: number, act: (release: () => void) => Promise<void>) {
    this.#expected = expected;
    this.#act = act;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  get isFull(): boolean {
    return this.#held.length >= this.#expected;
  }

  /**
   * Waits for the others.
   *
   * @param happened - Called when the fault has happened.
   * @param step - What is held goes on before the fault, which comes when this resolves.
   */
  async arrive(happened: () => void, step?: Promise<unknown>): Promise<void> {
    if (this.#over !== undefined) return;
    this.#held.push({ happened, ...(step && { step }) });
    if (this.isFull) void this.flush();
    await this.#released;
  }

  /** Goes on with those that have arrived. Resolves when the fault is over. */
  async flush(): Promise<void> {
    if (!this.isEmpty) this.#over ??= this.#run();
    await this.#over;
  }

  async #run(): Promise<void> {
    if (this.#held.some(({ step }) => step !== undefined)) this.#release();
    await Promise.all(this.#held.map(({ step }) => step));
    await this.#act(this.#release);
    this.#release();
    for (const { happened } of this.#held) happened();
  }
}
