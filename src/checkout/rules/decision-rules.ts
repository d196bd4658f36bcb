// The rules for what a person decides about a review.
import { ended, paid, withEffect } from "./changes.ts";
import type { Context, InputOf } from "./inputs.ts";
import {
  isAboutPaying,
  isOfNoPayment,
  isPaidBack,
  moneyNamed,
  nameIn,
  payingMoney,
} from "./known-payments.ts";
import { attemptOf, countedMoney, isUngiven, type OrderState, reviewWith } from "./order-state.ts";
import type { ReviewKind } from "./order-types.ts";
import { knownRefund, withRefund, withReviewOf, withWholeRefund } from "./refunds.ts";
import { always, type Rules, refused, rule } from "./rule.ts";

type Decided = InputOf<"decided">;
const isAbout = (order: OrderState, { review }: Decided, kinds: readonly ReviewKind[]) =>
  kinds.some((kind) => kind === reviewWith(order, review)?.kind);

/** Whether a review is about goods that are not given until it is decided. */
const isStopped = (order: OrderState, input: Decided) =>
  order.effect?.isStopped === true && isAbout(order, input, ["effect_unclear"]);

/** Whether a decision is about the payment that paid the order. */
const isOfPaying = (order: OrderState, { review: id }: Decided) => {
  const review = reviewWith(order, id);
  return review !== undefined && isAboutPaying(order, review);
};

/** Whether a person has said before that the payment of a review was paid back. */
const wasPaidBack = (order: OrderState, { review: id }: Decided) => {
  const review = reviewWith(order, id);
  return review !== undefined && isPaidBack(order, nameIn(order, review));
};

/** Whether two updates of a part contradict each other: that it came pays only its part. */
const isOfPart = (order: OrderState, input: Decided) => {
  const review = reviewWith(order, input.review);
  const name = review && nameIn(order, review);
  const isCounted = countedMoney(order).some(({ reference }) => reference === name);
  return isCounted && review?.kind === "contradiction" && order.closed === undefined;
};

/** Kinds of reviews whose money pays the order if a person accepts it. */
const PAYING: readonly ReviewKind[] = [
  "amount_mismatch",
  "currency_mismatch",
  "late_payment",
  "refund_due",
  "unknown_outcome",
  "contradiction",
];

/** Kinds of reviews whose money must not vanish by an `accept`. */
const HAS_MONEY: readonly ReviewKind[] = [...PAYING, "overpaid"];

/** Ends a review, and notes the refund that its decision says. */
function decided(
  order: OrderState,
  { review: id, decision, reference, reason, by }: InputOf<"decided">,
  { now }: Context,
): OrderState {
  const end = { ended: decision, endedAt: now, ...(by !== undefined && { by }) };
  const reviews = order.reviews.map((one) => (one.id === id ? { ...one, ...end } : one));
  const next = { ...order, reviews };
  const review = reviewWith(order, id);
  if (decision !== "refunded" || review === undefined) return next;
  const made = {
    at: now,
    ...(reference !== undefined && { reference }),
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
  };
  // Of a payment of which a part is paid back, the rest stays.
  if (review.amount !== undefined) {
    const part = { ...made, amount: review.amount, currency: order.currency, review: id };
    return knownRefund(order, reference) === undefined
      ? withRefund(next, part)
      : withReviewOf(next, part);
  }
  const named = moneyNamed(order, nameIn(order, review));
  const isPaying = isAboutPaying(order, review);
  const payment = named ?? (isPaying ? payingMoney(order) : undefined);
  return withWholeRefund(next, payment, made);
}

export const DECIDED: Rules["decided"] = [
  rule(
    "a review is decided once",
    [6, 7],
    (order, { review }) => reviewWith(order, review) === undefined,
    refused,
  ),
  rule(
    "money that was paid back is not accepted",
    [6, 7],
    (order, input) =>
      input.decision === "accept" && isAbout(order, input, HAS_MONEY) && wasPaidBack(order, input),
    refused,
  ),
  rule(
    "money is not accepted after another payment has paid the order",
    [7],
    (order, input) =>
      input.decision === "accept" &&
      order.paidBy !== undefined &&
      isAbout(order, input, HAS_MONEY) &&
      !isOfPaying(order, input),
    refused,
  ),
  rule(
    "an order that was paid elsewhere takes no money",
    [15],
    (order, input) =>
      input.decision === "accept" &&
      order.closedFor !== undefined &&
      isAbout(order, input, HAS_MONEY),
    refused,
  ),
  rule(
    "a payment that is not known was not paid back",
    [6, 7],
    (order, input) => {
      const review = reviewWith(order, input.review);
      return input.decision === "refunded" && review !== undefined && isOfNoPayment(order, review);
    },
    refused,
  ),
  rule(
    "a refund has one amount, and is that of one payment",
    [16],
    (order, { review: id, decision, reference }) => {
      const review = reviewWith(order, id);
      const known = knownRefund(order, reference);
      if (decision !== "refunded" || review === undefined || known === undefined) return false;
      const amount = review.amount ?? moneyNamed(order, nameIn(order, review))?.amount;
      const isDecided = known.payments !== undefined || known.review !== undefined;
      return isDecided || known.amount !== amount;
    },
    refused,
  ),
  rule(
    "money that a person accepts pays the order, once",
    [6, 7],
    (order, input) =>
      input.decision === "accept" &&
      order.paidBy === undefined &&
      isAbout(order, input, PAYING) &&
      !isOfPart(order, input),
    (order, input, context) => {
      const { number, references = [] } = reviewWith(order, input.review) ?? {};
      const paidBy = number === undefined ? (references.at(-1) ?? "") : `#${number}`;
      return paid(decided(order, input, context), paidBy, context);
    },
  ),
  rule(
    "goods whose money was paid back are not given any more",
    [6, 7, 15],
    (order, input) => input.decision === "refunded" && isUngiven(order) && isOfPaying(order, input),
    (order, input, context) => withEffect(decided(order, input, context), { state: "refunded" }),
  ),
  rule(
    "an unknown outcome that is not accepted ends its attempt",
    [9],
    (order, input) => isAbout(order, input, ["unknown_outcome"]),
    (order, input, context) => {
      const { number = 0 } = reviewWith(order, input.review) ?? {};
      // The reference may have become known since: then the payment is read for another day.
      const status = attemptOf(order, number).reference === undefined ? "not_sent" : "failed";
      return ended(decided(order, input, context), number, { status }, context);
    },
  ),
  rule(
    "an effect that a person accepts is tried at once",
    [6],
    (order, input) => input.decision === "accept" && isAbout(order, input, ["effect_failed"]),
    (order, input, context) => withEffect(decided(order, input, context), { at: context.now }),
  ),
  rule(
    "goods that onPaid refused are given if a person wants it",
    [15],
    (order, input) =>
      input.decision === "accept" && order.effect?.state === "refused" && isOfPaying(order, input),
    (order, input, context) =>
      withEffect(decided(order, input, context), { state: "due", at: context.now }),
  ),
  rule(
    "goods that a person found missing are given again",
    [6],
    (order, input) => input.decision === "accept" && isStopped(order, input),
    (order, input, context) => withEffect(decided(order, input, context), { at: context.now }),
  ),
  rule(
    "goods that a person found are not given again",
    [6],
    (order, input) => input.decision === "dismiss" && isStopped(order, input),
    (order, input, context) => withEffect(decided(order, input, context), { state: "done" }),
  ),
  rule("any other decision ends only the review", [7], always, decided),
];
