import type { Running } from "./ledger.ts";
import type { Store } from "./store.ts";

/** Time between two writes. */
const WRITE_INTERVAL_MS = 250;

/** Tells the other processes which events this one is working on, for `stats()`. */
export class RunningEvents {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #running: () => Running;
  readonly #worker = crypto.randomUUID();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #isStopped = false;

  constructor(store: Store, onError: (error: unknown) => void, running: () => Running) {
    this.#store = store;
    this.#onError = onError;
    this.#running = running;
  }

  /** Writes soon; changes until then are written together. */
  changed(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write().catch(this.#onError);
    }, WRITE_INTERVAL_MS);
  }

  #write(): Promise<void> {
    const { ledger } = this.#store;
    return this.#store.transaction((db) => ledger.setRunning(db, this.#worker, this.#running()));
  }

  /** This process works on nothing any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#store
      .transaction((db) => this.#store.ledger.removeRunning(db, this.#worker))
      .catch(() => {});
  }
}
