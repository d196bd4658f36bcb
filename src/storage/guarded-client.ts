import { inSentence } from "./transaction-end.ts";

/** After the queries that have ended, code that waited for them may begin others. */
const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** The methods of a connection that a library has for statements, and those that would give the connection away. */
export interface ConnectionMethods {
  readonly sends: readonly string[];
  readonly releases: readonly string[];
}

/**
 * The connection of a transaction, as `onPaid` gets it. Queries that it begins and does not wait for are a part of the
 * transaction. After the end, the connection belongs to others: a query is rejected then.
 */
export class GuardedClient<Client extends object> {
  readonly client: Client;
  readonly #running = new Set<Promise<unknown>>();
  #hasEnded = false;

  readonly #onLate: () => void;
  readonly #caller: string;

  /**
   * @param onLate - Is called for a query after the end.
   * @param caller - Who wrote the code that gets it: `onPaid`.
   */
  constructor(
    client: Client,
    onLate: () => void,
    caller: string,
    { sends, releases }: ConnectionMethods,
  ) {
    this.#onLate = onLate;
    this.#caller = caller;
    this.client = new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        // A library may look at the name of the class.
        if (typeof value !== "function" || name === "constructor") return value;
        if (releases.includes(String(name))) return refuseRelease;
        if (!sends.includes(String(name))) return value.bind(target);
        return (...given: unknown[]) => this.#send(() => Reflect.apply(value, target, given));
      },
    });
  }

  #send(send: () => unknown): unknown {
    if (this.#hasEnded) {
      this.#onLate();
      return Promise.reject(
        new Error(
          `The transaction of ${inSentence(this.#caller)} has ended: this query was not sent. An \`await\` is missing.`,
        ),
      );
    }
    const result = send();
    if (!(result instanceof Promise)) return result;
    // If the caller does not wait for it, its rejection would end the process. The transaction fails anyway.
    const ended = result.catch(() => {});
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
    return result;
  }

  /** Resolves when no query runs, and none follows. */
  async idle(): Promise<void> {
    do {
      await Promise.all(this.#running);
      await nextTurn();
    } while (this.#running.size > 0);
  }

  end(): void {
    this.#hasEnded = true;
  }
}

function refuseRelease(): never {
  throw new Error("The connection of `transaction` is released when the transaction has ended.");
}
