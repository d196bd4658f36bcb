import { describeError } from "../internal/describe-error.ts";
import { inSentence } from "./transaction-end.ts";

/** After the queries that have ended, code that waited for them may begin others. */
const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** The methods of a connection that a library has for statements, and those that would give the connection away. */
export interface ConnectionMethods {
  readonly sends: readonly string[];
  readonly releases: readonly string[];
}

/** What a statement resolves with, and whether any code waits for that. */
class Watched extends Promise<unknown> {
  isWaitedFor = false;

  /** What it returns is a usual promise: if that is rejected and nothing waits for it, Node.js says so. */
  static override get [Symbol.species]() {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: `await`, `catch` and `finally` call it, too.
  override then<One, Other>(
    onFulfilled?: ((value: unknown) => One | PromiseLike<One>) | null,
    onRejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    this.isWaitedFor = true;
    return super.then(onFulfilled, onRejected) as Promise<One | Other>;
  }
}

/**
 * The connection of a transaction, as `onPaid` gets it. Queries that it begins and does not wait for are a part of the
 * transaction. After the end, the connection belongs to others: a query is rejected then.
 */
export class GuardedClient<Client extends object> {
  readonly client: Client;
  readonly #running = new Set<Promise<unknown>>();
  /** Statements that failed, those of `isLate` after the code had ended. */
  readonly #failed: {
    readonly watched: Watched;
    readonly error: unknown;
    readonly isLate: boolean;
  }[] = [];
  /** The code has ended, but for what it did not wait for. */
  #isIdling = false;
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
    const watched = new Watched((resolve) => resolve(result));
    const ended = this.#noteEnd(watched);
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
    return watched;
  }

  /** If the code does not wait for a statement, its rejection would end the process: the transaction fails instead. */
  async #noteEnd(watched: Watched): Promise<void> {
    try {
      await Promise.prototype.then.call(watched, undefined);
    } catch (error) {
      this.#failed.push({ watched, error, isLate: this.#isIdling });
    }
  }

  /** Resolves when no query runs, and none follows. @throws if one has failed that the code did not wait for. */
  async idle(): Promise<void> {
    this.#isIdling = true;
    do {
      await Promise.all(this.#running);
      await nextTurn();
    } while (this.#running.size > 0);
    const failed = this.#failed.find(({ watched, isLate }) => isLate || !watched.isWaitedFor);
    if (failed === undefined) return;
    const { error } = failed;
    throw new Error(
      `A statement of ${inSentence(this.#caller)} failed, and its code did not wait for it (${describeError(error)}). Nothing of the transaction was kept. Write \`await\` before the statement.`,
      { cause: error },
    );
  }

  end(): void {
    this.#hasEnded = true;
  }
}

function refuseRelease(): never {
  throw new Error("The connection of `transaction` is released when the transaction has ended.");
}
