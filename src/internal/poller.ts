/** Runs turns, one after another: at once, soon, or later. Those that are asked for while one runs are one. */
export class Poller {
  readonly #turn: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  /** A turn begins when this turn of the event loop has ended. */
  isSoon = false;

  /** @param turn - Says when the next one is. Never rejects. */
  constructor(turn: () => Promise<void>) {
    this.#turn = turn;
  }

  /** Resolves after a turn that began after this call. */
  now(): Promise<void> {
    this.#isDue = true;
    this.#running ??= this.#runWhileDue();
    return this.#running;
  }

  async #runWhileDue(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false;
      clearTimeout(this.#timer);
      await this.#turn();
    }
    this.#running = undefined;
  }

  /** Once for everything that asks for it in this turn of the event loop. */
  soon(): void {
    if (this.isSoon) return;
    this.isSoon = true;
    // Cloudflare Workers have no `setImmediate`.
    (globalThis.setImmediate ?? setTimeout)(() => {
      this.isSoon = false;
      void this.now();
    });
  }

  /** In place of the time that was said before. */
  in(ms: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.now(), Math.max(ms, 1));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
