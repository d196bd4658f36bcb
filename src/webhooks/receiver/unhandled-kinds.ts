/** Kinds are free text: a sender must not fill the memory, nor the log. */
const MAX_KINDS = 100;

/** Notifies of each kind of event that this process does not handle, once. */
export class UnhandledKinds {
  readonly #notify: (kind: string) => void;
  readonly #seen = new Set<string>();
  #isStarted = false;

  constructor(notify: (kind: string) => void) {
    this.#notify = notify;
  }

  /** Notes an event that was accepted. Before the start, a handler may still be added. */
  note(kind: string): void {
    if (this.#seen.has(kind) || this.#seen.size >= MAX_KINDS) return;
    this.#seen.add(kind);
    if (this.#isStarted) this.#notify(kind);
  }

  /** @param isHandled - Whether this process has a handler for a kind, after all. */
  start(isHandled: (kind: string) => boolean): void {
    this.#isStarted = true;
    for (const kind of this.#seen) {
      if (!isHandled(kind)) this.#notify(kind);
    }
  }
}
