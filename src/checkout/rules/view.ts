import { MINUTE_MS } from "../../internal/units.ts";
import type { PaymentUpdate } from "./inputs.ts";
import {
  type AttemptState,
  type Blocked,
  holdsMoney,
  isFull,
  isOpen,
  isUnclear,
  isUsedUp,
  type OrderState,
  openReviews,
  type RefundState,
  type ReviewState,
  statusOf,
} from "./order-state.ts";
import type {
  Attempt,
  Order,
  OrderRefund,
  OrderStatus,
  Refund,
  Review,
  ReviewKind,
} from "./order-types.ts";
import { leftOf, refundsOf } from "./refunds.ts";

/** What a customer reads at a status, unless the last attempt says more. */
const MESSAGES: Readonly<Record<OrderStatus, string>> = {
  open: "Not paid yet.",
  pending: "Enter your PIN on your phone to pay.",
  paid: "Paid. Thank you.",
  canceled: "This order was canceled.",
  expired: "The time to pay this order is over.",
};

// What a customer reads while an attempt is under way.
const STARTING = "We are sending a request to your phone. Enter your PIN there to pay.";
const UNCLEAR =
  "We are checking whether our request reached your phone. Please do not pay again yet.";

const STILL_ASKED = " Reject the request on your phone.";
const USED_UP =
  "We have sent several requests for this order, and none was paid. Please contact us.";
const PAID_BACK = "We received your payment for this order, and paid it back.";
const TOO_MANY =
  "There were too many attempts to pay this order, and none was paid. Please contact us.";
const REFUSED =
  "We received your payment, but this order cannot be delivered. We will pay your money back.";
const HELD = "We received a payment for this order and are checking it.";

/** What a merchant reads about a review. The manual prints it. */
export const REVIEWS: Readonly<Record<ReviewKind, string>> = {
  overpaid: "The order was paid before. Pay the last one of these payments back.",
  amount_mismatch: "The payment has another amount than the order.",
  currency_mismatch: "The payment has another currency than the order.",
  late_payment: "The payment was completed after the order was canceled or had expired.",
  refund_due: "The money of this payment is to be paid back.",
  unknown_outcome:
    "It is not known whether the customer was asked. Look for the payment at the service.",
  contradiction: "The updates of this payment contradict each other. Read it at the service.",
  unmatched: "The payment belongs to no order.",
  effect_failed:
    "The order is paid, and onPaid has failed 12 times. It is tried again every few minutes.",
  effect_unclear:
    "The order is paid, and onPaid used its transaction in a wrong way. Look at what the customer has, and correct onPaid.",
};

const iso = (ms: number) => new Date(ms).toISOString();

/** Whether the customer has what the money is for: who pays it back must know. */
const GOODS = {
  none: " No goods were given.",
  due: " The goods are not given yet: they are due.",
  done: " The goods were given, once.",
  refused: " The goods were not given.",
  refunded: " The goods were not given: the payment was paid back before.",
};
const ABOUT_MONEY: readonly ReviewKind[] = [
  "overpaid",
  "amount_mismatch",
  "currency_mismatch",
  "late_payment",
  "refund_due",
  "contradiction",
];

/** What a payment has brought; nothing if that is not known. */
type Came = { readonly amount?: string | undefined; readonly currency?: string | undefined };

const moneyText = ({ amount, currency }: Came = {}) =>
  amount && currency ? { amount, currency } : {};

/** A newer version of this package may have written what this version does not know. */
const UNKNOWN_KIND = "A newer version of malipo made this review. Decide it there.";

/** What a merchant reads about a review of an order. */
function reviewText({ kind, reason }: ReviewState, { effect }: OrderState): string {
  const what = REVIEWS[kind] ?? UNKNOWN_KIND;
  const why = reason === undefined ? "" : ` onPaid refused it: ${reason}`;
  const goods = ABOUT_MONEY.includes(kind) ? (GOODS[effect?.state ?? "none"] ?? "") : "";
  return what + why + goods;
}

export const reviewView = (review: ReviewState, order: OrderState): Review => ({
  id: review.id,
  kind: review.kind,
  orderId: order.id,
  references: review.references,
  ...moneyText(order.money.find(({ reference }) => reference === review.references.at(-1))),
  message: reviewText(review, order),
  createdAt: iso(review.at),
});

/** The review of a payment that belongs to no order. */
export const unmatchedView = (update: PaymentUpdate, at: number): Review => ({
  id: `unmatched:${update.reference}`,
  kind: "unmatched",
  references: [update.reference],
  ...moneyText(update),
  message: REVIEWS.unmatched,
  createdAt: iso(at),
});

function attemptView({ number, status, phone, reference, message, about }: AttemptState): Attempt {
  return {
    number,
    status,
    phone,
    ...(reference !== undefined && { reference }),
    ...(message !== undefined && { message }),
    ...(about !== undefined && { about }),
  };
}

const refundView = ({ amount, currency, at, reference }: RefundState): OrderRefund => ({
  amount,
  currency,
  at: iso(at),
  ...(reference !== undefined && { reference }),
});

/** A refund, for the merchant. */
export const wholeRefundView = (refund: RefundState): Refund => ({
  ...refundView(refund),
  ...(refund.reason !== undefined && { reason: refund.reason }),
  ...(refund.by !== undefined && { by: refund.by }),
  payments: refund.settles ?? [],
});

/** A time to wait, for a customer: no time of day, since his clock and time zone are not known. */
function blockedMessage({ by, until, message }: Blocked, now: number): string {
  if (by !== "limit") return message;
  const minutes = Math.ceil((until - now) / MINUTE_MS);
  const hours = Math.ceil(minutes / 60);
  const inMinutes = minutes === 1 ? "in 1 minute" : `in ${minutes} minutes`;
  const when = minutes <= 0 ? "now" : minutes > 90 ? `in ${hours} hours` : inMinutes;
  return `This phone was asked too often. It can be asked again ${when}. ${message}`;
}

function messageOf(order: OrderState, status: OrderStatus, now: number): string {
  const last = order.attempts.at(-1);
  if (status === "pending") {
    if (order.attempts.some((one) => isUnclear(one, now))) return UNCLEAR;
    return last?.status === "starting" ? STARTING : MESSAGES.pending;
  }
  if (status !== "open" && status !== "paid" && isLate(order)) return `${MESSAGES[status]} ${HELD}`;
  if (order.effect?.state === "refunded") return PAID_BACK;
  if (order.effect?.state === "refused") return REFUSED;
  const isStillAsked = status === "canceled" && order.attempts.some(isOpen);
  if (status !== "open") return MESSAGES[status] + (isStillAsked ? STILL_ASKED : "");
  if (holdsMoney(order)) return HELD;
  if (isUsedUp(order)) return isFull(order) ? TOO_MANY : USED_UP;
  const { blocked } = order;
  // Another prompt on the phone blocks only for its time; it is not known when it is over.
  const isOver = blocked?.by === "open" && blocked.until <= now;
  if (blocked !== undefined && !isOver) return blockedMessage(blocked, now);
  return last?.message ?? MESSAGES.open;
}

/** Whether money came for an order that is over, and no decision about it was made. */
export const isLate = (order: OrderState): boolean =>
  openReviews(order).some(({ kind }) => kind === "late_payment");

/**
 * Whether the customer may be asked now: also after a failure for good, since another phone may be able to pay, and
 * a person may have changed something.
 */
function canPayAt(order: OrderState, status: OrderStatus, now: number): boolean {
  const { updatedAt, expiresAt = Number.POSITIVE_INFINITY } = order;
  // The clock was set back since: the time says nothing.
  const blocked = updatedAt > now ? undefined : order.blocked;
  if (status !== "open" || holdsMoney(order) || expiresAt <= now) return false;
  return (blocked?.until ?? 0) <= now;
}

/** An order, as a merchant and a page see it. */
export function orderView(order: OrderState, now: number): Order {
  const { id, accountReference, amount, currency, metadata, effect, money } = order;
  const status = statusOf(order);
  return {
    id,
    accountReference,
    amount,
    currency,
    status,
    canPay: canPayAt(order, status, now) && !isUsedUp(order),
    message: messageOf(order, status, now),
    attempts: order.attempts.map(attemptView),
    effect: effect?.state ?? "none",
    received: leftOf(order, currency),
    payments: money.map(({ reference, amount: sum, currency: code, transactionId, refunded }) => ({
      reference,
      amount: sum,
      currency: code,
      ...(transactionId !== undefined && { transactionId }),
      isRefunded: refunded === true,
    })),
    refunds: refundsOf(order).map(refundView),
    ...(order.paidAt !== undefined && { paidAt: iso(order.paidAt) }),
    reviews: openReviews(order).map((one) => reviewView(one, order)),
    metadata,
    createdAt: iso(order.createdAt),
    updatedAt: iso(order.updatedAt),
  };
}
