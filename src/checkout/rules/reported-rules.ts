// The rules for what a webhook or a read says about a payment.
import {
  ended,
  paidIfWhole,
  saidBy,
  withCounted,
  withMoney,
  withPaidBack,
  withReview,
} from "./changes.ts";
import type { InputOf } from "./inputs.ts";
import { amountOf, byReference, isOtherAmount, isPaidBack, moneyOf } from "./known-payments.ts";
import {
  type AttemptState,
  askedBy,
  isByHand,
  isFullOfMoney,
  isOpen,
  leftToPay,
  type OrderState,
  UNKNOWN_AMOUNT,
} from "./order-state.ts";
import type { ReviewKind } from "./order-types.ts";
import { type Given, type Rules, refused, rule } from "./rule.ts";

type Reported = InputOf<"reported">;
const isCompleted = (_: OrderState, { update }: Reported) => update.status === "completed";
const isFailed = (_: OrderState, { update }: Reported) => update.status === "failed";
/** Money that a person must decide about. */
const reviewed =
  (kind: ReviewKind): Given<Reported, OrderState> =>
  (order, { update }, context) => {
    const first = kind === "overpaid" ? [order.paidBy ?? ""] : [];
    const references = [...first, update.reference];
    return withReview(withMoney(order, update), kind, context, { references });
  };

const contradicted: Given<Reported, OrderState> = (order, { update }, context) =>
  withReview(order, "contradiction", context, {
    references: [update.reference],
    says: saidBy(update),
  });

export const REPORTED: Rules["reported"] = [
  rule(
    "a payment that is reported twice with different data is a contradiction",
    [7],
    (order, { update }) => {
      const known = moneyOf(order, update);
      const { amount = known?.amount, currency = known?.currency } = update;
      const isSame =
        [amount, UNKNOWN_AMOUNT].includes(known?.amount) && known?.currency === currency;
      const differs = known !== undefined && !isSame;
      return update.status === "contradiction" || (update.status === "completed" && differs);
    },
    contradicted,
  ),
  rule(
    "a payment counts once",
    [6, 7],
    (order, input) => isCompleted(order, input) && moneyOf(order, input.update) !== undefined,
    (order, { update }) => withMoney(order, update),
  ),
  rule(
    "money that was paid back before it was known pays nothing",
    [6, 7],
    (order, input) =>
      isCompleted(order, input) &&
      [input.update.reference, input.update.alias].some((name) => isPaidBack(order, name)),
    (order, { update }, context) => withPaidBack(order, update, context),
  ),
  rule(
    "an order takes at most 50 payments that no attempt has asked for",
    [14],
    (order, input) =>
      isCompleted(order, input) && isByHand(order, input.update.reference) && isFullOfMoney(order),
    refused,
  ),
  rule(
    "another currency is a review",
    [7],
    (order, input) =>
      isCompleted(order, input) && (input.update.currency ?? order.currency) !== order.currency,
    reviewed("currency_mismatch"),
  ),
  rule(
    "another amount than an attempt has asked for is a review",
    [7, 14],
    (order, input) => isCompleted(order, input) && isOtherAmount(order, input.update),
    reviewed("amount_mismatch"),
  ),
  rule(
    "the payment that a person accepted before it was known is the money of the order",
    [7],
    (order, input) => {
      if (isCompleted(order, input) && order.paidBy === input.update.reference) return true;
      const accepted = order.attempts.find(({ number }) => order.paidBy === `#${number}`);
      const attempt = byReference(order, input.update.reference);
      const isAsked =
        accepted !== undefined && amountOf(order, input.update) === askedBy(order, accepted);
      const isOnly = isAsked && accepted.reference === undefined && order.money.length === 0;
      const isIts = attempt === undefined ? isOnly : attempt === accepted;
      return isCompleted(order, input) && accepted !== undefined && isIts;
    },
    (order, { update }, context) =>
      isPaidBack(order, order.paidBy)
        ? withPaidBack(order, update, context)
        : withMoney(order, update),
  ),
  rule(
    "a second completed payment is a review",
    [6, 7],
    (order, input) => isCompleted(order, input) && order.paidBy !== undefined,
    reviewed("overpaid"),
  ),
  rule(
    "money after an order was canceled is to be paid back",
    [7, 15],
    (order, input) => isCompleted(order, input) && order.closed === "canceled",
    reviewed("refund_due"),
  ),
  rule(
    "money after the end of an order is a review",
    [7],
    (order, input) => isCompleted(order, input) && order.closed !== undefined,
    reviewed("late_payment"),
  ),
  rule(
    "a part is a review, if the merchant wants to see it",
    [14],
    (order, input) =>
      isCompleted(order, input) &&
      order.partPayments === "review" &&
      isByHand(order, input.update.reference) &&
      amountOf(order, input.update) !== leftToPay(order),
    reviewed("amount_mismatch"),
  ),
  rule(
    "money counts, and pays an open order as soon as its whole amount has come",
    [5, 8, 9, 14],
    isCompleted,
    (order, { update }, context) => paidIfWhole(withCounted(order, update, context.now), context),
  ),
  rule(
    "a completed payment does not fail",
    [5, 7],
    (order, input) => isFailed(order, input) && moneyOf(order, input.update) !== undefined,
    contradicted,
  ),
  rule(
    "a failure ends only its own attempt",
    [5, 9],
    (order, input) => {
      const attempt = byReference(order, input.update.reference);
      return isFailed(order, input) && attempt !== undefined && isOpen(attempt);
    },
    (order, { update }, context) => {
      const { number } = byReference(order, update.reference) as AttemptState;
      const { message, messageCode, retry, code } = update;
      const how = { status: "failed", message, messageCode, code, retry } as const;
      return ended(order, number, how, context);
    },
  ),
];
