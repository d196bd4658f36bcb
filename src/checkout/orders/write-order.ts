import { sleep } from "../../internal/timeout.ts";
import { messageOf } from "../rules/customer-messages.ts";
import { withLog } from "../rules/history.ts";
import type { Input, PaymentUpdate, Result, Times } from "../rules/inputs.ts";
import { changeView, type OrderChange } from "../rules/order-change.ts";
import type { OrderState } from "../rules/order-state.ts";
import type { Review } from "../rules/order-types.ts";
import { decide } from "../rules/rules.ts";
import { reviewView } from "../rules/view.ts";
import {
  type CheckoutStore,
  type OrderWrite,
  type PhoneLimits,
  type StoredOrder,
  type Within as StoreWithin,
  writeOf,
} from "./checkout-store.ts";

/** What is needed to change orders without asking anyone for money. */
export interface WriterSettings {
  readonly store: CheckoutStore;
  readonly times: Times;
  readonly limits: PhoneLimits;
  readonly onReview: (review: Review) => unknown;
  readonly onOrderChange?: ((change: OrderChange) => unknown) | undefined;
  readonly onError: (error: unknown) => void;
}

/** What is stored of a phone that cannot be asked. At the limit, the time to wait is told when the order is shown. */
const BUSY = {
  open: messageOf("phone_busy"),
  limit: { message: "Reject a request that you did not start." },
};

/** The transaction of a change. */
export interface Within extends Omit<StoreWithin, "then"> {
  /** Asked after `work`: the input that counts in place of the one that was given. */
  readonly instead?: () => Input | undefined;
}

/** An order as a process knows it. One of version 0 is not stored yet. */
export interface KnownOrder {
  /** By the store's clock. */
  readonly now: number;
  readonly stored: StoredOrder;
}

/** What became of an order. */
export interface WrittenOrder extends Result {
  /** Whether it differs from before. */
  readonly isNew: boolean;
  /** The input is about a payment of another order, and has changed nothing. */
  readonly isForeign?: boolean;
  /** Why a new order was not made; `stale`: another process made it. */
  readonly notMade?: "stale" | "label_taken" | "deleted";
  /** The order, as it is now. */
  readonly known: KnownOrder;
}

/** What was written last, and why. */
interface LastWrite {
  readonly input: Input | undefined;
  readonly write: OrderWrite;
}

/** The first and the longest time between two tries to change an order that another process changes. */
const RETRY_MS = [5, 200] as const;

/** Waits for a while that is drawn, so that processes do not meet again at the next try. */
const backOff = (tries: number): Promise<unknown> =>
  sleep(Math.random() * Math.min(RETRY_MS[0] * 2 ** tries, RETRY_MS[1]));

/** Is called with the id of an order; `isDue` if something of it is due at once. */
type WrittenListener = (id: string, isDue: boolean) => void;

/** Brings inputs into orders. */
export class OrderWriter<Settings extends WriterSettings = WriterSettings> {
  readonly settings: Settings;
  /** The last change of each order that this process is changing. */
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #listeners: WrittenListener[] = [];

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** The listener hears of each order that this process writes from now on. */
  onWritten(listener: WrittenListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Applies an input to an order as it is stored. `undefined` if the order does not exist. Changes of one order come one
   * after another in a process, since each one is written only if no other one was faster.
   *
   * @param input - `undefined` only makes a new order.
   * @param at - The order, so that it need not be read.
   */
  async write(
    id: string,
    input: Input | undefined,
    within?: Within,
    at?: KnownOrder,
  ): Promise<WrittenOrder | undefined> {
    // Code of the merchant runs within it, and may make another change of the order.
    if (within !== undefined) return this.#write(id, input, within, at);
    if (this.#last.has(id)) {
      // An input that changes nothing waits for no other one: that code may wait for it.
      const known = at ?? isThere(await this.settings.store.read(id));
      const decided = known && this.#decided(known, input);
      if (decided?.isNew !== true) return decided;
    }
    return this.#inTurn(id, () => this.#write(id, input, undefined, at));
  }

  async #inTurn<Done>(id: string, work: () => Promise<Done>): Promise<Done> {
    const before = this.#last.get(id);
    const done = (async () => {
      if (before !== undefined) {
        await before.catch(() => {});
        // SQLite answers at once: other work of the process has its turn between two changes.
        await sleep(0);
      }
      return work();
    })();
    this.#last.set(id, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(id) === done) this.#last.delete(id);
    }
  }

  /** What an input makes of an order; `isNew` if that is to be written. */
  #decided(known: KnownOrder, input: Input | undefined): WrittenOrder {
    const { now, stored } = known;
    const { order } = stored;
    const { times } = this.settings;
    const decided =
      input === undefined ? { order, actions: [] } : decide(order, input, { now, times });
    const isNew = decided.order !== order || stored.version === 0;
    return { ...decided, isNew, known };
  }

  async #write(
    id: string,
    input: Input | undefined,
    within?: Within,
    at?: KnownOrder,
  ): Promise<WrittenOrder | undefined> {
    const { store, limits } = this.settings;
    let given = at;
    for (let tries = 0; ; tries++, given = undefined) {
      // What was read before may have changed meanwhile, which is no sign of another process.
      if (tries > 1) await backOff(tries);
      // In a transaction of the merchant, the second read sees what another one has committed since it began.
      const known = given ?? isThere(await store.read(id, within?.transaction, tries > 0));
      if (known === undefined) return undefined;
      const { now, stored } = known;
      const isMade = stored.version === 0;
      const decided = this.#decided(known, input);
      if (!decided.isNew) return decided;
      const order =
        input === undefined ? stored.order : withLog(stored.order, decided.order, input, now);
      const lines = input !== undefined && "lines" in input ? input.lines : undefined;
      let last: LastWrite = { input, write: { ...writeOf(stored, order, now, limits), lines } };
      const { instead = () => undefined, ...rest } = within ?? {};
      const then = (): OrderWrite | undefined => {
        const other = instead();
        if (other === undefined) return undefined;
        const { order: next } = decide(stored.order, other, { now, times: this.settings.times });
        const logged = withLog(stored.order, next, other, now);
        const version = stored.version + 1;
        last = { input: other, write: writeOf({ version, order }, logged, now, limits) };
        return last.write;
      };
      const committed = await store.commit(last.write, within && { ...rest, then });
      if (committed.state === "busy") {
        const { by, until } = committed;
        return this.#write(id, { kind: "blocked", until, ...BUSY[by], by }, within, known);
      }
      if (committed.state === "foreign") return this.#foreign(id, input, known);
      if (committed.state === "done") {
        // In a transaction of the merchant, it may be rolled back.
        if (within?.transaction === undefined) {
          if (isMade) this.noteChange(undefined, stored.order, "created");
          if (last.input !== undefined)
            this.noteChange(stored.order, last.write.order, last.input.kind);
        }
        const { version, dueAt = Number.POSITIVE_INFINITY } = last.write;
        for (const listener of this.#listeners) listener(id, dueAt <= now);
        const written = { now, stored: { version: version + 1, order: last.write.order } };
        return this.#withStrays(committed.strays, { ...decided, known: written });
      }
      if (isMade) return { ...decided, isNew: false, notMade: committed.state, known };
    }
  }

  /** Applies what was reported of payments before they were known to be those of the order. */
  async #withStrays(
    strays: readonly PaymentUpdate[],
    changed: WrittenOrder,
  ): Promise<WrittenOrder> {
    let { known } = changed;
    for (const update of strays) {
      const { id } = known.stored.order;
      const next = await this.#write(id, { kind: "reported", update }, undefined, known);
      known = next?.known ?? known;
    }
    return { ...changed, known };
  }

  async #foreign(
    id: string,
    input: Input | undefined,
    known: KnownOrder,
  ): Promise<WrittenOrder | undefined> {
    const number = input !== undefined && "number" in input ? input.number : undefined;
    const what = number === undefined ? "an update" : `attempt ${number}`;
    this.settings.onError(
      new Error(
        `The order ${JSON.stringify(id)} has the payment of another order, or of a deleted one: ${what}.`,
      ),
    );
    if (number !== undefined) return this.#write(id, { kind: "lost", number });
    const { order } = known.stored;
    return { order, actions: [], isNew: false, isForeign: true, known };
  }

  /** Tells of what has become visible by a change, once. */
  noteChange(before: OrderState | undefined, after: OrderState, by: OrderChange["by"]): void {
    const known = new Set(before?.reviews.map(({ id }) => id));
    for (const one of after.reviews) if (!known.has(one.id)) this.review(reviewView(one, after));
    const { onOrderChange } = this.settings;
    const change = onOrderChange && changeView(before, after, by);
    if (change !== undefined) this.#call(onOrderChange, change);
  }

  protected review(review: Review): void {
    this.#call(this.settings.onReview, review);
  }

  #call<Given>(callback: ((given: Given) => unknown) | undefined, given: Given): void {
    // In a promise, since a callback may throw before it returns one.
    Promise.resolve()
      .then(() => callback?.(given))
      .catch(this.settings.onError);
  }
}

const isThere = ({
  now,
  stored,
}: Awaited<ReturnType<CheckoutStore["read"]>>): KnownOrder | undefined => stored && { now, stored };
