import type pg from "pg";

/** After the queries that have ended, code that waited for them may begin others. */
const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * The connection of a transaction, as `onPaid` gets it. Queries that it begins and does not wait for are a part of the
 * transaction. After the end, the connection belongs to others: a query is rejected then.
 */
export class GuardedClient {
  readonly client: pg.PoolClient;
  readonly #running = new Set<Promise<unknown>>();
  #hasEnded = false;

  readonly #onLate: () => void;
  readonly #caller: string;

  /**
   * @param onLate - Is called for a query after the end.
   * @param caller - Who wrote the code that gets it: `onPaid`.
   */
  constructor(client: pg.PoolClient, onLate: () => void, caller = "onPaid") {
    this.#onLate = onLate;
    this.#caller = caller;
    this.client = new Proxy(client, {
      get: (target, name) => {
        if (name === "query") return (...given: unknown[]) => this.#query(target, given);
        if (name === "release") return refuseRelease;
        const value: unknown = Reflect.get(target, name, target);
        // A library may look at the name of the class.
        const isMethod = typeof value === "function" && name !== "constructor";
        return isMethod ? value.bind(target) : value;
      },
    });
  }

  #query(client: pg.PoolClient, given: unknown[]): unknown {
    if (this.#hasEnded) {
      this.#onLate();
      return Promise.reject(
        new Error(
          `The transaction of ${this.#caller} has ended: this query was not sent. An \`await\` is missing.`,
        ),
      );
    }
    const result: unknown = Reflect.apply(client.query, client, given);
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
