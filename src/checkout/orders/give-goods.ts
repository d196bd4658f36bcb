// One try to give the goods of a paid order. `onPaid` is code that we did not write: whatever it does, the goods are
// given once, or a person is told. The manual has a page about it: "What may go wrong in onPaid".
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";
import { describeError } from "../../internal/describe-error.ts";
import { errorText } from "../../internal/error-text.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import { storableText } from "../../internal/storable-text.ts";
import { isAsyncFunction, isThenable } from "../../internal/thenable.ts";
import { withTimeout } from "../../internal/timeout.ts";
import { isTransactionEnded } from "../../storage/transaction-end.ts";
import type { InputOf } from "../rules/inputs.ts";
import type { OrderState } from "../rules/order-state.ts";
import type { Order } from "../rules/order-types.ts";
import { orderView } from "../rules/view.ts";
import type { OrderWriter, Within, WriterSettings } from "./write-order.ts";

/** What `onPaid` gets beside the order. */
export interface PaidContext<Connection = unknown> {
  /**
   * Runs your writes and "done" in one transaction of the store: both happen, or neither. Use it once in a try. With
   * `sqlite()` and `memory()` it takes a function of the database that is not async; with `postgres()` an async function of the connection, or of your client with `transact`, whose
   * type you then state: `transaction(async (tx: Prisma.TransactionClient) => ...)`.
   */
  readonly transaction: <Result, Own extends Connection = Connection>(
    write: (connection: Own) => Result | Promise<Result>,
  ) => Promise<Result>;
  /**
   * Says that the goods cannot be given, and why, for your staff: `return refuse("The seat is gone")`. The effect ends as
   * `refused`, in one commit with what was written in `transaction`, the review `refund_due` begins, and the customer
   * reads that the money is paid back. `onPaid` is not called again. Call it inside `transaction`, or without one.
   */
  readonly refuse: (reason?: string) => Refused;
  /** From 1. A try during which the process died counts. */
  readonly attempt: number;
  /** Aborts when the time for this try is over, and another process may try. */
  readonly signal: AbortSignal;
}

/** What `refuse` returns. */
export interface Refused {
  readonly refused: string;
}

/** What is needed to give goods. */
export interface GoodsSettings extends WriterSettings {
  /** A method, since the connection is that of the store. */
  onPaid(order: Order, context: PaidContext): unknown;
  /** Is called if a transaction of `onPaid` has written no row. */
  onEmpty(): void;
}

/** What staff read of what `onPaid` threw. */
const MAX_ERROR = 200;

const reasonOf = (error: unknown): string => {
  const [line = ""] = maskPhones(describeError(error)).trim().split("\n");
  return storableText(line.replace(/\.$/, ""), MAX_ERROR);
};

/** What is left of the time of a try when its signal aborts. */
const MARGIN_MS = 15_000;
const MAX_BACKOFF_MS = 300_000;

const AFTER_RETURN =
  "onPaid used `transaction` after it had returned: an `await` is missing. Nothing of that transaction was kept.";
const TWICE =
  "onPaid used `transaction` a second time. Only the writes of the first one were kept: write everything in one transaction.";
const REFUSED_LATE =
  "onPaid refused the money after its transaction had committed. Refuse inside `transaction`, or before it.";
const NOT_DUE = "The goods of the order are not due any more.";
/** The reason is stored with its order. */
const MAX_REASON = 500;

const GIVEN = "Its goods were given: it is not called again.";
const LATE_QUERY =
  "onPaid used the connection of `transaction` after that had ended: an `await` is missing. Such a query is not sent.";

/** A further use of `transaction`, whose writes are dropped. */
class FurtherUseError extends Error {}

/** Calls `onPaid` for an order, and writes what became of the goods. */
export function giveGoods(writer: OrderWriter<GoodsSettings>, order: OrderState): Promise<void> {
  return new GoodsTry(writer, order).run();
}

class GoodsTry {
  readonly #writer: OrderWriter<GoodsSettings>;
  readonly #order: OrderState;
  readonly #attempt: number;
  readonly #controller = new AbortController();
  /** Transactions that have begun, whether `onPaid` waits for them or not. */
  readonly #begun = new Set<Promise<unknown>>();
  /** Why transactions did not commit, the first one first. */
  readonly #failures: unknown[] = [];
  #isInTransaction = false;
  #hasCommitted = false;
  #hasReturned = false;
  /** The order says that the goods were given. */
  #isDone = false;
  /** Why `onPaid` refuses the money. */
  #reason: string | undefined;

  constructor(writer: OrderWriter<GoodsSettings>, order: OrderState) {
    this.#writer = writer;
    this.#order = order;
    this.#attempt = order.effect?.tries ?? 1;
  }

  async run(): Promise<void> {
    const { times } = this.#writer.settings;
    const { id } = this.#order;
    const { onError } = this.#writer.settings;
    const late = () => new Error(`onPaid took too long for the order ${JSON.stringify(id)}.`);
    const call = this.#call();
    try {
      await withTimeout(call, Math.max(1, times.effectMs - MARGIN_MS), late);
      await this.#succeeded();
    } catch (error) {
      this.#controller.abort(error);
      await this.#failed(error);
      // A function that hangs may go on later.
      const judge = () => this.#tellOfMisuse();
      if (!this.#hasReturned) call.then(judge, judge).catch(onError);
    }
  }

  /** Rejects if `onPaid` does. Ends when all transactions have ended that it began. */
  async #call(): Promise<void> {
    const { onPaid } = this.#writer.settings;
    const context: PaidContext = {
      transaction: (write) => this.#transaction(write),
      refuse: (reason) => this.#refuse(reason),
      attempt: this.#attempt,
      signal: this.#controller.signal,
    };
    try {
      await onPaid(orderView(this.#order, this.#order.updatedAt), context);
    } finally {
      // One that has ended may have begun another one.
      while (this.#begun.size > 0) await Promise.allSettled([...this.#begun]);
      this.#hasReturned = true;
    }
  }

  #transaction<Result, Own>(write: (connection: Own) => Result | Promise<Result>): Promise<Result> {
    const running = this.#hasReturned ? this.#tooLate() : this.#run(write);
    // If `onPaid` does not wait for it, its rejection would end the process.
    const ended = running.catch((error: unknown) => this.#failures.push(error));
    this.#begun.add(ended);
    void ended.then(() => this.#begun.delete(ended));
    return running;
  }

  #refuse(reason: unknown): Refused {
    const given = typeof reason === "string" ? reason.trim() : "";
    const refused = storableText(maskPhones(given), MAX_REASON) || "It gave no reason.";
    const isLate = this.#hasReturned ? this.#isDone : this.#hasCommitted;
    if (isLate && this.#reason === undefined) {
      const told = this.#unclear(REFUSED_LATE).catch(this.#writer.settings.onError);
      this.#begun.add(told);
      void told.then(() => this.#begun.delete(told));
    } else if (!this.#hasReturned) this.#reason ??= refused;
    return { refused };
  }

  async #run<Result, Own>(write: (connection: Own) => Result | Promise<Result>): Promise<Result> {
    if (this.#isInTransaction || this.#hasCommitted) throw new FurtherUseError(TWICE);
    const { id } = this.#order;
    if (typeof write !== "function") {
      throw new ConfigurationError(
        `\`transaction\` of onPaid takes a function; got ${describeValue(write)}. Write transaction((db) => ...).`,
      );
    }
    const refusedBefore = this.#reason;
    let written: { readonly value: Result | Promise<Result> } | undefined;
    const within: Within = {
      isAsync: isAsyncFunction(write),
      signal: this.#controller.signal,
      onLate: () => {
        // A transaction that did not commit is tried again as a whole.
        if (this.#hasCommitted) this.#unclear(LATE_QUERY).catch(this.#writer.settings.onError);
      },
      onEmpty: () => {
        if (this.#reason === undefined) this.#writer.settings.onEmpty();
      },
      instead: () => this.#refused(),
      work: (connection) => {
        this.#reason = refusedBefore;
        const value: unknown = write(connection as never);
        // A query of Drizzle or Knex runs each time that it is awaited: it is awaited once, here.
        const awaited = isThenable(value) ? Promise.resolve(value) : value;
        // A store that does not wait for it says so. Its own rejection would end the process.
        if (awaited instanceof Promise) awaited.catch(() => {});
        written = { value: awaited as Result | Promise<Result> };
        return written.value;
      },
    };
    this.#isInTransaction = true;
    try {
      await this.#writer.write(id, { kind: "effect_done" }, within);
      this.#hasCommitted = written !== undefined;
    } catch (error) {
      // What was refused in it is rolled back with it.
      this.#reason = refusedBefore;
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
    if (written === undefined) {
      throw new Error(`The goods of the order ${JSON.stringify(id)} are not due any more.`);
    }
    return written.value;
  }

  /** What is written after the end of a try that gave goods was meant to be a part of them. */
  async #tooLate(): Promise<never> {
    if (this.#isDone) await this.#unclear(AFTER_RETURN);
    throw new Error(AFTER_RETURN);
  }

  #refused(): InputOf<"effect_refused"> | undefined {
    return this.#reason === undefined
      ? undefined
      : { kind: "effect_refused", reason: this.#reason };
  }

  /** `onPaid` has resolved. */
  async #succeeded(): Promise<void> {
    const refused = this.#refused();
    if (this.#hasCommitted) {
      this.#isDone = true;
      await this.#tellOfMisuse();
    } else if (refused !== undefined && !this.#failures.some(isTransactionEnded)) {
      await this.#writeRefusal(refused);
    } else if (this.#failures.length > 0) {
      // It resolved although its transaction had failed.
      throw this.#failure();
    } else {
      this.#isDone = true;
      await this.#writer.write(this.#order.id, { kind: "effect_done" });
    }
  }

  /** Without a transaction, or after one that was rolled back. */
  async #writeRefusal(refused: InputOf<"effect_refused">): Promise<void> {
    const changed = await this.#writer.write(this.#order.id, refused);
    const effect = changed?.known.stored.order.effect;
    if (effect?.state === "refused") return;
    // Its transaction had committed, and the response to COMMIT was lost.
    const isOwn = effect?.state === "done" && effect.tries === this.#attempt;
    if (isOwn && this.#failures.length > 0) await this.#unclear(REFUSED_LATE);
    else this.#tell(new Error(NOT_DUE), "It refused the money.");
  }

  #failure(): unknown {
    return this.#failures.find((one) => !(one instanceof FurtherUseError)) ?? this.#failures[0];
  }

  /** Resolves with whether a person must look at what `onPaid` did with its transactions. */
  async #tellOfMisuse(): Promise<boolean> {
    const ended = this.#failures.find(isTransactionEnded);
    const second = this.#failures.find((one) => one instanceof FurtherUseError);
    if (ended !== undefined) await this.#unclear(ended.message, ended);
    else if (this.#hasCommitted && second !== undefined) await this.#unclear(TWICE, second);
    else return false;
    return true;
  }

  async #failed(error: unknown): Promise<void> {
    const { id } = this.#order;
    this.#isDone = this.#hasCommitted;
    if (await this.#tellOfMisuse()) return;
    if (this.#hasCommitted) return this.#tell(error, GIVEN);
    const attempt = this.#attempt;
    const retryInMs = Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (attempt - 1));
    const reason = reasonOf(error);
    const changed = await this.#writer.write(id, { kind: "effect_failed", retryInMs, reason });
    const effect = changed?.known.stored.order.effect;
    if (effect?.state === "due") {
      this.#tell(error, `It is tried again in ${retryInMs / 1_000} s.`);
    } else if (effect?.state !== "done" || effect.tries !== attempt) {
      this.#tell(error, NOT_DUE);
    } else {
      // One that took too long may have committed just now.
      await Promise.allSettled([...this.#begun]);
      if (this.#hasCommitted) return this.#tell(error, GIVEN);
      // The response to COMMIT was lost, or the function committed by itself and then failed.
      await this.#unclear("The transaction of onPaid has failed after it had committed.", error);
    }
  }

  /** A person must look at what the customer has. */
  async #unclear(reason: string, cause: unknown = reason): Promise<void> {
    await this.#writer.write(this.#order.id, { kind: "effect_unclear", reason });
    this.#tell(cause, "It is a review: look at what the customer has.");
  }

  #tell(cause: unknown, then: string): void {
    const what = `onPaid failed for the order ${JSON.stringify(this.#order.id)} at try ${this.#attempt}`;
    const text = errorText(cause).replace(/\.$/, "");
    this.#writer.settings.onError(new Error(`${what}: ${text}. ${then}`, { cause }));
  }
}
