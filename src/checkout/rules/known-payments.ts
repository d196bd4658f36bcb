// What an order knows of a payment: which attempt asked for it, its money, its names, and whether it has paid the order.
import type { PaymentUpdate } from "./inputs.ts";
import {
  type AttemptState,
  askedBy,
  isPart,
  type Money,
  type OrderState,
  type ReviewState,
} from "./order-state.ts";
import type { ReviewKind } from "./order-types.ts";

export const byReference = (order: OrderState, reference: string): AttemptState | undefined =>
  order.attempts.find((one) => one.reference === reference);

/** A read without an amount is that of the attempt's own prompt; of another payment, nothing is known. */
export const amountOf = (
  order: OrderState,
  { amount, reference }: PaymentUpdate,
): string | undefined => amount ?? expectedOf(order, reference);

/** What the prompt of a payment asked for; `undefined` if no attempt has the payment. */
export const expectedOf = (order: OrderState, reference: string): string | undefined => {
  const attempt = byReference(order, reference);
  return attempt && askedBy(order, attempt);
};

/** The money of a payment that was reported before, by one of its names. */
export const moneyOf = (
  { money }: OrderState,
  { reference, alias }: PaymentUpdate,
): Money | undefined =>
  money.find(
    (one) => one.reference === reference || one.reference === alias || one.alias === reference,
  );

/** The money of a payment, by one of its names. */
export const moneyNamed = ({ money }: OrderState, name: string | undefined): Money | undefined =>
  money.find(
    ({ reference, alias }) => name !== undefined && (reference === name || alias === name),
  );

/** Kinds of reviews of money that did not pay its order by itself. */
export const BESIDE: readonly ReviewKind[] = [
  "overpaid",
  "amount_mismatch",
  "currency_mismatch",
  "late_payment",
  "refund_due",
];

/** The money that paid an order, as far as it is known. A person may accept an attempt before its money. */
export function payingMoney(order: OrderState): Money | undefined {
  const { paidBy, attempts, money, reviews } = order;
  const accepted = attempts.find(({ number }) => paidBy === `#${number}`);
  if (accepted === undefined) return moneyNamed(order, paidBy);
  if (accepted.reference !== undefined) return moneyNamed(order, accepted.reference);
  const isBeside = ({ reference }: Money) =>
    reviews.some(
      ({ kind, references }) => BESIDE.includes(kind) && references.at(-1) === reference,
    );
  return money.find((one) => !isBeside(one));
}

/** The name of a payment: that of an attempt, `#1`, is its reference as soon as it is known. */
const nameOf = ({ attempts }: OrderState, name: string): string =>
  attempts.find(({ number }) => name === `#${number}`)?.reference ?? name;

/** The name of the payment that a review is about. */
export const nameIn = (order: OrderState, { references, number }: ReviewState): string =>
  nameOf(order, references.at(-1) ?? `#${number}`);

/** Whether a review is about the payment that paid its order. What came beyond the amount has not paid it. */
export function isAboutPaying(order: OrderState, review: ReviewState): boolean {
  if (order.paidBy === undefined || review.amount !== undefined) return false;
  const name = nameIn(order, review);
  const paying = payingMoney(order);
  const money = moneyNamed(order, name);
  const isIts = money !== undefined && (money === paying || money.counts === true);
  return isIts || name === nameOf(order, order.paidBy);
}

/** Whether a person has said that a payment was paid back, before its money was known or after it. */
export function isPaidBack(order: OrderState, name: string | undefined): boolean {
  if (name === undefined) return false;
  const own = nameOf(order, name);
  if (moneyNamed(order, own)?.refunded) return true;
  return order.reviews.some(
    (one) => one.ended === "refunded" && one.amount === undefined && nameIn(order, one) === own,
  );
}

/** Whether a review is about an attempt whose payment is not known. */
export const isOfNoPayment = (order: OrderState, review: ReviewState): boolean =>
  review.kind === "unknown_outcome" && nameIn(order, review).startsWith("#");

/** Whether a payment is not what was asked for. What comes by hand may be any part. */
export function isOtherAmount(order: OrderState, update: PaymentUpdate): boolean {
  const expected = expectedOf(order, update.reference);
  const amount = amountOf(order, update);
  return expected === undefined ? !isPart(amount) : amount !== expected;
}
