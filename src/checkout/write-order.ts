import { type CheckoutStore, changeOf, type PhoneLimits, type Within } from "./checkout-store.ts";
import { withLog } from "./history.ts";
import type { Input, Report, Result, Times } from "./inputs.ts";
import type { OrderState } from "./order.ts";
import { changeView, type OrderChange } from "./order-change.ts";
import type { Review } from "./order-types.ts";
import { decide } from "./rules.ts";
import { reviewView } from "./view.ts";

/** What is needed to change orders without asking anyone for money. */
export interface WriterSettings {
  readonly store: CheckoutStore;
  readonly times: Times;
  readonly limits: PhoneLimits;
  readonly onReview: (review: Review) => unknown;
  readonly onOrderChange?: ((change: OrderChange) => unknown) | undefined;
  readonly onError: (error: unknown) => void;
}

const BUSY = {
  open: "Another payment request is open on this phone. Reject a request that you did not start. Answer your own one first.",
  limit: "Reject a request that you did not start.",
};

/** What became of an order, and whether that differs from before. */
type Changed = Result & { readonly isNew: boolean };

/** Brings inputs into orders. */
export class OrderWriter<Settings extends WriterSettings = WriterSettings> {
  readonly settings: Settings;
  /** Is called after each change of an order, with its id; `isDue` if something is due at once. */
  onChange: (id: string, isDue: boolean) => void = () => {};

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Applies an input to an order as it is stored. `undefined` if there is no such order. */
  async change(id: string, input: Input, within?: Within): Promise<Changed | undefined> {
    const { store, times, limits } = this.settings;
    for (;;) {
      const { now, stored } = await store.read(id);
      if (stored === undefined) return undefined;
      const decided = decide(stored.order, input, { now, times });
      if (decided.order === stored.order) return { ...decided, isNew: false };
      const result = { ...decided, order: withLog(stored.order, decided.order, input, now) };
      const change = changeOf(stored, result.order, now, limits);
      const committed = await store.commit(change, within);
      if (committed.state === "done") {
        this.noteChange(stored.order, result.order, input.kind);
        this.onChange(id, (change.dueAt ?? Number.POSITIVE_INFINITY) <= now);
        for (const report of committed.strays) await this.change(id, { kind: "reported", report });
        return { ...result, isNew: true };
      }
      if (committed.state === "busy") {
        const { by, until } = committed;
        return this.change(id, { kind: "blocked", until, message: BUSY[by], by });
      }
      if (committed.state === "foreign") {
        const what = "number" in input ? `attempt ${input.number}` : "a report";
        this.settings.onError(
          new Error(`The order ${JSON.stringify(id)} has the payment of another order: ${what}.`),
        );
        return "number" in input
          ? this.change(id, { kind: "lost", number: input.number })
          : undefined;
      }
    }
  }

  /** Tells of what has become visible by a change, once. */
  noteChange(before: OrderState | undefined, after: OrderState, by: OrderChange["by"]): void {
    const known = new Set(before?.reviews.map(({ id }) => id));
    for (const one of after.reviews) if (!known.has(one.id)) this.review(reviewView(one, after.id));
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

export function unmatchedView(report: Report, at: number): Review {
  const id = `unmatched:${report.reference}`;
  return reviewView({ id, kind: "unmatched", references: [report.reference], at }, undefined);
}
