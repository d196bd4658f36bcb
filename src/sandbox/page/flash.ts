/** The message of an action, shown on the page that the browser is sent to after it. */
export interface FlashMessage {
  readonly text: string;
  /** The form that was rejected. Two of the page may have the same action, in different places. */
  readonly rejected?: {
    readonly action: string;
    readonly at: string;
    readonly fields: URLSearchParams;
  };
}

const MAX_MESSAGES = 50;

/** Messages on their way to the next page. The address names one, and never holds its text. */
export class FlashMessages {
  readonly #messages = new Map<string, FlashMessage>();
  #count = 0;

  /** Stores a message, and returns its name. */
  add(message: FlashMessage): string {
    this.#messages.set(String(++this.#count), message);
    this.#messages.delete(String(this.#count - MAX_MESSAGES));
    return String(this.#count);
  }

  get(name: string): FlashMessage | undefined {
    return this.#messages.get(name);
  }
}
