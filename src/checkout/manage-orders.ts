import { callingCodes } from "../contract/countries.ts";
import { internationalDigits } from "../contract/phone-number.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { OrderPaidError, ReviewDecidedError, type ReviewEnd } from "../errors/order.ts";
import { checkChoice, checkOptions, ownOptions, wrongOption } from "../internal/check-options.ts";
import { cutPage, PAGE_OPTIONS, type Position } from "../internal/page-cursor.ts";
import { DAY_MS } from "../internal/units.ts";
import { isOfNoPayment, nameIn, reviewWith } from "./changes.ts";
import { linesOf } from "./decision-lines.ts";
import { DECISIONS, historyOf, type OrderEvent } from "./history.ts";
import type { OrderState, ReviewState } from "./order.ts";
import {
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  type Review,
  type ReviewDecision,
} from "./order-types.ts";
import { isOfMerchant } from "./rejections.ts";
import { orderView, unmatchedView } from "./view.ts";
import type { OrderWriter } from "./write-order.ts";

/** Which orders `list` returns. */
export interface OrderQuery {
  status?: OrderStatus | undefined;
  /** Only orders with an open review. */
  review?: boolean | undefined;
  /** Only paid orders whose goods were not given yet: their `effect` is `due`. A page may be shorter. */
  goodsDue?: boolean | undefined;
  /** @default 100 */
  limit?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
}

/** An order whose request the service rejected, for a cause that the merchant must correct. */
export interface RejectedOrder {
  readonly orderId: string;
  /** Why the service rejected the request of the last attempt. For the merchant only. */
  readonly reason: string;
  /** When: ISO 8601. */
  readonly at: string;
}

interface Deciding {
  by?: string | undefined;
  line?: object | undefined;
}

/** What a merchant does with the orders of a store. Nothing of it asks the service. */
export interface ManagedOrders {
  /** Reads an order from the store; `undefined` if there is none. */
  get(id: string): Promise<Order | undefined>;
  /** Reads orders from the store, the oldest first. */
  list(query?: OrderQuery): Promise<{ items: Order[]; next: string | undefined }>;
  /**
   * Finds orders by an id, the reference of a payment, an account reference or a phone number, at most 100.
   */
  find(text: string): Promise<Order[]>;
  /**
   * What happened to an order, the oldest first: clicks, prompts, webhooks, reads, goods, decisions. It is for
   * the merchant only. Empty if there is no such order.
   */
  history(id: string): Promise<OrderEvent[]>;
  /** Ends an order that is not paid: no further attempt. Money that comes later is a review. */
  cancel(id: string): Promise<Order | undefined>;
  /** The log of the operator's page in the store: who decided what, and when. Lines are only added. */
  readonly decisions: {
    /** Adds a line at the end. */
    append(line: object): Promise<void>;
    /** The last 5,000 lines, in the order in which they were added. */
    read(): Promise<readonly object[]>;
  };
  /**
   * Orders of the last day whose last request the service rejected for a cause that no customer can correct, such as a
   * wrong key or an amount above its limit. The oldest order first, at most 1,000.
   */
  rejections(): Promise<RejectedOrder[]>;
  readonly reviews: {
    /** What a person must look at, the oldest order first; of payments without an order, the oldest 1,000. */
    list(): Promise<Review[]>;
    /**
     * Decides a review, once. `accept` hands over the goods, once. `refunded` notes that the payment was paid
     * back; if it paid the order and the goods are still due, they are not given any more. The decision and its
     * line in the log of decisions are one transaction. Resolves with the order, if it has one.
     *
     * @param options - `by`: who decides it, for the history of the order and the log of decisions.
     * @throws {ReviewDecidedError} if the review was decided before, by a person, another process or an earlier
     * call: it says who decided what, and when.
     * @throws {OrderPaidError} for `accept`, if another payment has paid the order: the review stays open.
     * @throws {ConfigurationError} if there is no such review, and for `accept` if the payment has no order.
     */
    resolve(
      id: string,
      decision: ReviewDecision,
      options?: {
        by?: string | undefined;
        /** @internal What the log of decisions gets instead of lines of its own. */
        line?: object | undefined;
      },
    ): Promise<Order | undefined>;
    /**
     * How a review ended; `undefined` if it is open, or if there is none.
     *
     * @internal
     */
    ended(id: string): Promise<ReviewDecidedError | undefined>;
  };
}

/**
 * The orders of a store, for a merchant.
 *
 * @param open - Makes the store ready, before its first use.
 * @param country - The calling code of numbers without one. Without it, such a number is searched in all countries.
 */
export function manageOrders(
  writer: OrderWriter,
  open: () => Promise<void> = async () => {},
  country?: string,
): ManagedOrders {
  const { store } = writer.settings;
  const opened =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await open();
      return work(...given);
    };
  const read = async (id: string): Promise<Order | undefined> => {
    const { now, stored } = await store.read(id);
    return stored && orderView(stored.order, now);
  };
  /** The order of a review, as it is stored. */
  const orderWith = async (id: string): Promise<OrderState | undefined> => {
    const order = (await store.read(orderIdOf(id))).stored?.order;
    return order?.reviews.some((one) => one.id === id) ? order : undefined;
  };
  const ended = async (id: string): Promise<ReviewDecidedError | undefined> => {
    const order = await orderWith(id);
    if (order !== undefined) return endIn(order, id);
    const stray = await store.strayOf(referenceIn(id) ?? "");
    const decision = stray?.isClosed ? "closed" : stray?.decision;
    return decision && endOf(id, decision, stray?.decided?.by, stray?.decided?.at);
  };
  const resolveUnmatched = async (id: string, decision: ReviewDecision, given: Deciding) => {
    const reference = referenceIn(id);
    if (reference === undefined) throw noReview(id);
    if (decision === "accept") {
      throw new ConfigurationError(
        `The payment ${JSON.stringify(reference)} belongs to no order, so there are no goods to give. Pay it back ("refunded"), or "dismiss" the review.`,
      );
    }
    const lines = linesFor(decision, [reference], given);
    const isResolved = await store.resolve(reference, { decision, by: given.by, lines });
    if (!isResolved) throw (await ended(id)) ?? noReview(id);
    return undefined;
  };
  const resolveReview = async (id: string, decision: ReviewDecision, given: Deciding) => {
    const order = await orderWith(id);
    if (order === undefined) return resolveUnmatched(id, decision, given);
    const review = order.reviews.find((one) => one.id === id);
    const lines = linesFor(decision, [order.id, ...(review?.references.slice(-1) ?? [])], given);
    const input = { kind: "decided", review: id, decision, by: given.by, lines } as const;
    const changed = await writer.change(order.id, input);
    if (changed === undefined) throw noReview(id);
    if (changed.isRefused) throw rejectionFor(changed.known.stored.order, id, decision);
    return read(order.id);
  };
  const list: ManagedOrders["list"] = async (query = {}) => {
    const names = ["status", "review", "goodsDue", "limit", "after"];
    const { status, review = false, goodsDue = false, ...page } = ownOptions(query, names, "list");
    if (status !== undefined) checkChoice("status", status, ORDER_STATUSES);
    const asked = { status, review, isDue: goodsDue, ...checkOptions(page, PAGE_OPTIONS, "list") };
    const { now } = await store.read("");
    const found = await store.list(asked);
    const positionOf = ({ createdAt, id }: OrderState) => ({ at: createdAt, id });
    const { items, next } = cutPage(found, asked.limit, positionOf);
    const isAsked = ({ effect }: OrderState) => !goodsDue || effect?.state === "due";
    return { items: items.filter(isAsked).map((one) => orderView(one, now)), next };
  };
  return {
    get: opened(read),
    list: opened(list),
    find: opened(async (text: string) => {
      const { now, stored } = await store.read(text);
      const bound = await store.orderOf({ reference: text, label: text });
      const other = bound === undefined ? undefined : (await store.read(bound)).stored;
      const named = [stored, other].flatMap((one) => (one === undefined ? [] : one.order));
      const codes = country === undefined ? callingCodes() : [country];
      const phones = new Set(codes.flatMap((code) => internationalDigits(text, code) ?? []));
      const asked: OrderState[] = [];
      for (const phone of phones) {
        asked.push(...(await store.byPhone(store.idempotency.digest(phone), MAX_FOUND)));
      }
      const found = new Map([...named, ...asked].map((one) => [one.id, orderView(one, now)]));
      return [...found.values()].slice(0, MAX_FOUND);
    }),
    history: opened(async (id: string) => {
      const { stored } = await store.read(id);
      return stored === undefined ? [] : historyOf(stored.order);
    }),
    cancel: opened(async (id: string) => {
      await writer.change(id, { kind: "canceled" });
      return read(id);
    }),
    rejections: opened(async () => {
      const { now } = await store.read("");
      const found: RejectedOrder[] = [];
      let after: Position | undefined = { at: now - DAY_MS, id: "" };
      for (let read = 0; after !== undefined && read < MAX_READ; read += PAGE) {
        const page: OrderState[] = await store.list({
          ...{ status: "open", review: false, limit: PAGE, after },
        });
        found.push(...page.slice(0, PAGE).flatMap((one) => rejectedOrder(one) ?? []));
        const last: OrderState | undefined = page.length > PAGE ? page[PAGE - 1] : undefined;
        after = last && { at: last.createdAt, id: last.id };
      }
      return found.slice(0, MAX_REJECTIONS);
    }),
    decisions: {
      append: opened((line: object) => store.addDecision(line)),
      read: opened(() => store.decisions(MAX_DECISIONS)),
    },
    reviews: {
      list: opened(async () => {
        const unmatched = (await store.unmatched(1_000)).map(({ report, at }) =>
          unmatchedView(report, at),
        );
        const reviews: Review[] = [];
        for (let after: string | undefined; ; ) {
          const page = await list({ review: true, after, limit: 1_000 });
          for (const order of page.items) reviews.push(...order.reviews);
          after = page.next;
          if (after === undefined) return [...reviews, ...unmatched];
        }
      }),
      resolve: opened(async (id: string, decision: ReviewDecision, given: Deciding = {}) => {
        if (!["accept", "refunded", "dismiss"].includes(decision)) {
          throw wrongOption("decision", '"accept", "refunded" or "dismiss"', decision);
        }
        return resolveReview(id, decision, given);
      }),
      ended: opened(ended),
    },
  };
}

/** The rejection of the last attempt of an order, if the merchant must do something about it. */
function rejectedOrder({ id, attempts }: OrderState): RejectedOrder | undefined {
  const { status, about, reason = "", askedAt, endedAt = askedAt } = attempts.at(-1) ?? {};
  if (status !== "not_sent" || !isOfMerchant(about) || endedAt === undefined) return undefined;
  return { orderId: id, reason, at: new Date(endedAt).toISOString() };
}

const PAGE = 1_000;
/** How many orders are read for a list of rejections. */
const MAX_READ = 10_000;
const MAX_REJECTIONS = 1_000;
const MAX_FOUND = 100;
const MAX_DECISIONS = 5_000;

/** The order in the id of a review, as text without encoding; `""` for another text. */
function orderIdOf(review: string): string {
  try {
    return decodeURIComponent(review.split(":", 1)[0] ?? "");
  } catch {
    return "";
  }
}

/** The payment in the id of a review that has no order. */
const referenceIn = (review: string): string | undefined => /^unmatched:(.*)$/s.exec(review)?.[1];

/** What the log of decisions says about a decision. */
function linesFor(
  decision: ReviewDecision,
  about: readonly string[],
  { by, line }: Deciding,
): readonly object[] {
  if (line !== undefined) return [line];
  return linesOf({ by, text: `The review was ${DECISIONS[decision]}.`, about: about.join(", ") });
}

/** The error of a decision about a review that has ended. */
function endOf(
  reviewId: string,
  decision: ReviewEnd["decision"],
  by: string | undefined,
  at: number | undefined,
): ReviewDecidedError {
  const decidedAt = at === undefined ? undefined : new Date(at);
  const when = decidedAt === undefined ? "" : ` at ${decidedAt.toISOString()}`;
  const review = JSON.stringify(reviewId);
  const message =
    decision === "closed"
      ? `The review ${review} has ended by itself${when}: what became known later has answered it. Read the order again.`
      : `${by ?? "Another call"} has decided the review ${review} already${when}: it was ${DECISIONS[decision]}. Read the order again.`;
  return new ReviewDecidedError(message, { reviewId, decision, by, decidedAt });
}

function endIn({ reviews }: OrderState, id: string): ReviewDecidedError | undefined {
  const review = reviews.find((one) => one.id === id);
  return review?.ended && endOf(id, review.ended, review.by, review.endedAt);
}

/** Why a decision about a review is refused. */
function rejectionFor(order: OrderState, id: string, decision: ReviewDecision): Error {
  const ended = endIn(order, id);
  const review = reviewWith(order, id);
  if (ended !== undefined || review === undefined) return ended ?? noReview(id);
  if (decision === "refunded") return noPayment(id, order);
  const name = nameIn(order, review);
  const isSame = (one: ReviewState) => one.ended === "refunded" && nameIn(order, one) === name;
  const other = order.reviews.find(isSame);
  return (other && endIn(order, other.id)) ?? paidBefore(order, review, name);
}

function paidBefore(order: OrderState, review: ReviewState, name: string): OrderPaidError {
  const { id, paidBy = "" } = order;
  const [what, todo] = isOfNoPayment(order, review)
    ? [`Attempt ${name.slice(1)}`, 'Decide "dismiss": if its payment comes, it is a new review.']
    : [
        `The payment ${JSON.stringify(name)}`,
        'Pay this one back and decide "refunded", or "dismiss" the review.',
      ];
  return new OrderPaidError(
    `${what} cannot be accepted: the payment ${JSON.stringify(paidBy)} has paid the order ${JSON.stringify(id)} already. ${todo}`,
    ...([id, paidBy, review.id] as const),
  );
}

const noPayment = (review: string, { id }: OrderState) =>
  new ConfigurationError(
    `The review ${JSON.stringify(review)} cannot be decided as refunded: no payment of its attempt is known, so none can be noted as paid back. Decide "dismiss" if the customer has not paid. If the service has the payment, cancel the order ${JSON.stringify(id)} and decide "dismiss": the payment is a new review as soon as it is known.`,
  );

const noReview = (id: string) =>
  new ConfigurationError(
    `There is no open review ${JSON.stringify(id)}. reviews.list() returns them.`,
  );
