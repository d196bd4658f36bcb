import type { Store } from "./store.ts";

/** Time between two writes. */
const WRITE_INTERVAL_MS = 250;

/** Tells the other processes which events this one is working on, for `stats()`. */
export class RunningEvents {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #keys: () => readonly string[];
  readonly #worker = crypto.randomUUID();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #isStopped = false;

  constructor(store: Store, onError: (error: unknown) => void, keys: () => readonly string[]) {
    this.#store = store;
    this.#onError = onError;
    this.#keys = keys;
  }

  changed(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#writing = this.#write();
    }, WRITE_INTERVAL_MS);
  }

  async #write(): Promise<void> {
    try {
      await this.#store.transaction((db) =>
        this.#store.ledger.setRunning(db, this.#worker, this.#keys()),
      );
    } catch (error) {
      if (!this.#isStopped) this.#onError(error);
    }
    this.#timer = undefined;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#writing;
    if (this.#timer !== undefined || this.#writing !== undefined) await this.#write();
  }
}
