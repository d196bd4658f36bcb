import { ConfigurationError } from "../../errors/configuration.ts";
import { OrderPaidError, ReviewDecidedError, type ReviewEnd } from "../../errors/order.ts";
import { wrongOption } from "../../internal/check-options.ts";
import { DECISIONS, saidText } from "../rules/history.ts";
import { isOfNoPayment, nameIn } from "../rules/known-payments.ts";
import type { OrderState, ReviewState } from "../rules/order-state.ts";
import { reviewWith } from "../rules/order-state.ts";
import type { Order, Review, ReviewDecision } from "../rules/order-types.ts";
import { knownRefund } from "../rules/refunds.ts";
import { orderView, unmatchedView } from "../rules/view.ts";
import type { CheckoutStore } from "./checkout-store.ts";
import { type DecidedLine, linesOf } from "./decision-lines.ts";
import { checkSaid, invalid, refundConflict } from "./manage-refunds.ts";
import type { OrderWriter } from "./write-order.ts";

/** What is said with the decision of a review. */
export interface ReviewNote {
  /** Who decides it, for the history of the order and the log of decisions. */
  by?: string | undefined;
  /** Your reference of the refund, or the network's, such as its M-Pesa code: with `refunded` only. */
  reference?: string | undefined;
  /** Why, for your staff, at most 500 characters. It stands in the history and in the log of decisions. */
  reason?: string | undefined;
}

interface Deciding extends ReviewNote {
  /** @internal What the log of decisions gets instead of lines of its own. */
  line?: object | undefined;
}

/** What a person has decided about a payment that belongs to no order. */
export interface DecidedPayment {
  /** What was decided about. */
  readonly review: Review;
  readonly end: ReviewDecidedError;
  readonly note: Pick<ReviewNote, "reference" | "reason">;
}

/** What a merchant does with what a person must decide. */
export interface ManagedReviews {
  /** What a person must look at, the oldest order first; of payments without an order, the oldest 1,000. */
  list(): Promise<Review[]>;
  /**
   * Decides a review, once. `accept` hands over the goods, once. `refunded` notes that the payment was paid
   * back; if it paid the order and the goods are still due, they are not given any more. The decision and its
   * line in the log of decisions are one transaction. Resolves with the order, if it has one.
   *
   * @param options - Who decides it, and why; of money that was paid back, the reference of the refund. A refund of the
   * same amount that was noted with this reference is not noted again.
   * @throws {ReviewDecidedError} if the review was decided before, by a person, another process or an earlier
   * call: it says who decided what, and when.
   * @throws {OrderPaidError} for `accept`, if another payment has paid the order: the review stays open.
   * @throws {OrderConflictError} if the order has another refund with this reference.
   * @throws {InvalidParamsError} for a wrong `reference` or `reason`.
   * @throws {ConfigurationError} if there is no such review, and for `accept` if the payment has no order.
   */
  resolve(
    id: string,
    decision: ReviewDecision,
    options?: ReviewNote & {
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
  /**
   * What a person has decided about a payment that belongs to no order, by its reference.
   *
   * @internal
   */
  decided(reference: string): Promise<DecidedPayment | undefined>;
}

const METHOD = "reviews.resolve";
const MAX_UNMATCHED = 1_000;
const PAGE = 1_000;

/** Reads a page of orders with open reviews. */
type ListOrders = (query: {
  readonly review: true;
  readonly after: string | undefined;
  readonly limit: number;
}) => Promise<{ items: Order[]; next: string | undefined }>;

export function manageReviews(writer: OrderWriter, listOrders: ListOrders): ManagedReviews {
  const { store } = writer.settings;
  return {
    list: () => openReviews(store, listOrders),
    resolve: async (id, decision, given = {}) => {
      if (!["accept", "refunded", "dismiss"].includes(decision)) {
        throw wrongOption("decision", '"accept", "refunded" or "dismiss"', decision);
      }
      const note = { ...given, ...checkSaid(given, METHOD) };
      if (note.reference !== undefined && decision !== "refunded") {
        throw invalid("reference", 'it is that of a refund, for "refunded" only', METHOD);
      }
      const order = await orderWith(store, id);
      if (order !== undefined) return resolveOfOrder(writer, order, id, decision, note);
      await resolveUnmatched(store, id, decision, note);
      return undefined;
    },
    ended: (id) => reviewEnd(store, id),
    decided: (reference) => decidedPayment(store, reference),
  };
}

/** All open reviews: those of orders, then those of payments without one. */
async function openReviews(store: CheckoutStore, listOrders: ListOrders): Promise<Review[]> {
  const unmatched = (await store.unmatched(MAX_UNMATCHED)).map(({ report, at }) =>
    unmatchedView(report, at),
  );
  const reviews: Review[] = [];
  for (let after: string | undefined; ; ) {
    const page = await listOrders({ review: true, after, limit: PAGE });
    for (const order of page.items) reviews.push(...order.reviews);
    after = page.next;
    if (after === undefined) return [...reviews, ...unmatched];
  }
}

/** The order of a review, as it is stored. */
async function orderWith(store: CheckoutStore, id: string): Promise<OrderState | undefined> {
  const order = (await store.read(orderIdOf(id))).stored?.order;
  return order?.reviews.some((one) => one.id === id) ? order : undefined;
}

/** How a review ended; `undefined` if it is open, or if there is none. */
async function reviewEnd(
  store: CheckoutStore,
  id: string,
): Promise<ReviewDecidedError | undefined> {
  const order = await orderWith(store, id);
  if (order !== undefined) return endIn(order, id);
  const stray = await store.strayOf(referenceIn(id) ?? "");
  const decision = stray?.isClosed ? "closed" : stray?.decision;
  return decision && endOf(id, decision, stray?.decided?.by, stray?.decided?.at);
}

async function decidedPayment(
  store: CheckoutStore,
  reference: string,
): Promise<DecidedPayment | undefined> {
  const stray = await store.strayOf(reference);
  const { report, decision, decided, at = 0 } = stray ?? {};
  if (report === undefined || decision === undefined) return undefined;
  const review = unmatchedView(report, at);
  const end = endOf(review.id, decision, decided?.by, decided?.at);
  return { review, end, note: { reference: decided?.reference, reason: decided?.reason } };
}

/** Decides the review of an order. */
async function resolveOfOrder(
  writer: OrderWriter,
  { id: orderId, reviews }: OrderState,
  id: string,
  decision: ReviewDecision,
  given: Deciding,
): Promise<Order | undefined> {
  const review = reviews.find((one) => one.id === id);
  const lines = linesFor(decision, { orderId, payment: review?.references.at(-1) }, given);
  const { by, reference, reason } = given;
  const input = { kind: "decided", review: id, decision, reference, reason, by, lines } as const;
  const changed = await writer.write(orderId, input);
  if (changed === undefined) throw noReview(id);
  if (changed.isRefused) throw rejectionFor(changed.known.stored.order, id, decision, reference);
  const { now, stored } = await writer.settings.store.read(orderId);
  return stored && orderView(stored.order, now);
}

/** Decides the review of a payment that belongs to no order. */
async function resolveUnmatched(
  store: CheckoutStore,
  id: string,
  decision: ReviewDecision,
  given: Deciding,
): Promise<void> {
  const reference = referenceIn(id);
  if (reference === undefined) throw noReview(id);
  if (decision === "accept") {
    throw new ConfigurationError(
      `The payment ${JSON.stringify(reference)} belongs to no order, so there are no goods to give. Pay it back ("refunded"), or "dismiss" the review.`,
    );
  }
  const lines = linesFor(decision, { payment: reference }, given);
  const { by, reference: refund, reason } = given;
  const said = { by, reference: refund, reason };
  const isResolved = await store.resolve(reference, { decision, ...said, lines });
  if (!isResolved) throw (await reviewEnd(store, id)) ?? noReview(id);
}

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
  subject: Pick<DecidedLine, "orderId" | "payment">,
  { by, line, reference, reason }: Deciding,
): readonly object[] {
  if (line !== undefined) return [line];
  const about = [subject.orderId, subject.payment].filter(Boolean).join(", ");
  const text = `The review was ${DECISIONS[decision]}.${saidText({ reference, reason })}`;
  return linesOf({ by, text, about, ...subject });
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
function rejectionFor(
  order: OrderState,
  id: string,
  decision: ReviewDecision,
  reference: string | undefined,
): Error {
  const ended = endIn(order, id);
  const review = reviewWith(order, id);
  if (ended !== undefined || review === undefined) return ended ?? noReview(id);
  const known = knownRefund(order, reference);
  if (known !== undefined) return refundConflict(order, known);
  if (decision === "refunded") return noPayment(id, order);
  if (order.closedFor !== undefined) return paidElsewhere(order, id);
  const name = nameIn(order, review);
  const isSame = (one: ReviewState) => one.ended === "refunded" && nameIn(order, one) === name;
  const other = order.reviews.find(isSame);
  return (other && endIn(order, other.id)) ?? paidBefore(order, review, name);
}

function paidBefore(order: OrderState, review: ReviewState, name: string): OrderPaidError {
  const { id, paidBy = "" } = order;
  if (review.amount !== undefined) {
    const { amount } = review;
    return new OrderPaidError(
      `The ${amount} ${order.currency} of this review cannot be accepted: the order ${JSON.stringify(id)} is paid without it. Pay it back and decide "refunded", or "dismiss" the review.`,
      ...([id, paidBy, review.id] as const),
    );
  }
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

const paidElsewhere = ({ id }: OrderState, review: string): OrderPaidError =>
  new OrderPaidError(
    `The money cannot be accepted: the order ${JSON.stringify(id)} was canceled, since it was paid elsewhere. Pay it back and decide "refunded", or "dismiss" the review.`,
    ...([id, "paid_elsewhere", review] as const),
  );

const noPayment = (review: string, { id }: OrderState) =>
  new ConfigurationError(
    `The review ${JSON.stringify(review)} cannot be decided as refunded: no payment of its attempt is known, so none can be noted as paid back. Decide "dismiss" if the customer has not paid. If the service has the payment, cancel the order ${JSON.stringify(id)} and decide "dismiss": the payment is a new review as soon as it is known.`,
  );

const noReview = (id: string) =>
  new ConfigurationError(
    `There is no open review ${JSON.stringify(id)}. reviews.list() returns them.`,
  );
