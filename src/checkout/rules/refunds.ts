// What was paid back of the money of an order. The service has no refund: these are records of what people did.

import { isSummand, least, leftAfter, sumOf } from "./amounts.ts";
import { type Money, type OrderState, type RefundState, UNKNOWN_AMOUNT } from "./order-state.ts";

/** The amount of a refund. That of a whole payment may have become known after it. */
function withAmount(refund: RefundState, { money }: OrderState): RefundState {
  if (refund.amount !== UNKNOWN_AMOUNT) return refund;
  const whole = money.filter(({ reference }) => refund.payments?.includes(reference));
  const amounts = whole.map(({ amount }) => amount).filter(isSummand);
  return amounts.length === 0 ? refund : { ...refund, amount: sumOf(amounts) };
}

/** All refunds of an order. A version of this package without refunds has noted only which payments were paid back. */
export function refundsOf(order: OrderState): readonly RefundState[] {
  const { money, reviews, refunds = [], updatedAt } = order;
  const noted = new Set(refunds.flatMap(({ payments = [] }) => payments));
  const older = money.filter((one) => one.refunded && !noted.has(one.reference));
  return [
    ...older.map(({ reference, amount, currency }) => {
      const review = reviews.find(
        ({ ended, references }) => ended === "refunded" && references.at(-1) === reference,
      );
      const { endedAt: at = updatedAt, by } = review ?? {};
      return { at, amount, currency, payments: [reference], ...(by !== undefined && { by }) };
    }),
    ...refunds.map((one) => withAmount(one, order)),
  ];
}

/** The refund with a reference. */
export const knownRefund = (
  order: OrderState,
  reference: string | undefined,
): RefundState | undefined =>
  refundsOf(order).find((one) => reference !== undefined && one.reference === reference);

/** What came in a currency, and was not paid back. */
export function leftOf(order: OrderState, currency: string): string {
  const amounts = (from: readonly Pick<Money, "amount" | "currency">[]) =>
    from
      .filter((one) => one.currency === currency && isSummand(one.amount))
      .map((one) => one.amount);
  return leftAfter(amounts(order.money), amounts(refundsOf(order)));
}

const withMark = (order: OrderState, references: readonly string[]): readonly Money[] =>
  order.money.map((one) => (references.includes(one.reference) ? { ...one, refunded: true } : one));

/** What is noted of a refund beside its amount. */
export type RefundNote = Pick<RefundState, "at" | "by" | "reference" | "reason">;

/**
 * The order with a payment that was paid back as a whole, once, and the record of it. A refund with the same
 * reference is that record.
 */
export function withWholeRefund(
  order: OrderState,
  payment: Money | undefined,
  made: RefundNote,
): OrderState {
  if (payment === undefined || payment.refunded) return order;
  const { amount: came, currency, reference } = payment;
  const payments = [reference];
  if (knownRefund(order, made.reference) !== undefined) {
    const refunds = (order.refunds ?? []).map((one) =>
      one.reference === made.reference ? { ...one, payments } : one,
    );
    return { ...order, money: withMark(order, payments), refunds };
  }
  // A part of it may have been paid back before.
  const amount = isSummand(came) ? least(came, leftOf(order, currency)) : came;
  const refund = { ...made, amount, currency, payments };
  return {
    ...order,
    money: withMark(order, payments),
    refunds: [...(order.refunds ?? []), refund],
  };
}

/** The order with the review of a refund that was noted before. */
export const withReviewOf = (
  order: OrderState,
  { reference, review }: RefundState,
): OrderState => ({
  ...order,
  refunds: (order.refunds ?? []).map((one) =>
    one.reference === reference && review !== undefined ? { ...one, review } : one,
  ),
});

/** The order with a refund. If nothing is left, it has paid back every payment. */
export function withRefund(order: OrderState, refund: RefundState): OrderState {
  const refunds = [...(order.refunds ?? []), refund];
  const next = { ...order, refunds };
  const { currency } = refund;
  if (leftOf(next, currency) !== "0.00") return next;
  const payments = order.money
    .filter((one) => one.currency === currency && !one.refunded)
    .map(({ reference }) => reference);
  return {
    ...next,
    money: withMark(order, payments),
    refunds: [...(order.refunds ?? []), { ...refund, payments }],
  };
}
