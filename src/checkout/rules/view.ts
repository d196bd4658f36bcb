import { maskPhones, quoteMasked } from "../../internal/phone-digits.ts";
import { MINUTE_MS } from "../../internal/units.ts";
import { isNothing } from "./amounts.ts";
import { type Message, messageOf, networkMessageCode } from "./customer-messages.ts";
import type { PaymentUpdate } from "./inputs.ts";
import {
  type AttemptState,
  countedSum,
  holdsMoney,
  isFull,
  isOpen,
  isUnclear,
  isUsedUp,
  leftToPay,
  type OrderState,
  openReviews,
  type RefundState,
  type ReviewState,
  statusOf,
} from "./order-state.ts";
import type {
  Attempt,
  CustomerAttempt,
  CustomerOrder,
  CustomerRefund,
  Order,
  OrderStatus,
  Refund,
  Review,
  ReviewKind,
} from "./order-types.ts";
import { leftOf, refundsOf } from "./refunds.ts";

/** What a merchant reads about a review. The manual prints it. */
export const REVIEWS: Readonly<Record<ReviewKind, string>> = {
  overpaid: "More came than the amount of the order. Pay the amount of this review back.",
  amount_mismatch: "The payment has another amount than the order.",
  currency_mismatch: "The payment has another currency than the order.",
  late_payment: "The payment was completed after the order had expired.",
  refund_due: "The money of this payment is to be paid back.",
  unknown_outcome:
    "It is not known whether the customer was asked. Look for the payment at the service.",
  contradiction: "The updates of this payment contradict each other. Read it at the service.",
  unmatched: "The payment belongs to no order, or to one that has 50 such payments already.",
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

/** What is known of a payment: what came, and from whom. */
const cameBy = (
  came: (Came & Pick<PaymentUpdate, "transactionId" | "phone">) | undefined,
): Partial<Review> => ({
  ...moneyText(came),
  ...(came?.transactionId !== undefined && { transactionId: came.transactionId }),
  ...(came?.phone !== undefined && { phone: came.phone }),
});

/** A newer version of this package may have written what this version does not know. */
const UNKNOWN_KIND = "A newer version of malipo made this review. Decide it there.";

/** What a merchant reads about a review of an order. */
function reviewText(
  { kind, reason }: ReviewState,
  { effect, closed, closedFor }: OrderState,
): string {
  const what = REVIEWS[kind] ?? UNKNOWN_KIND;
  const isAfterEnd = kind === "refund_due" && reason === undefined && closed === "canceled";
  const end = closedFor === "paid_elsewhere" ? "was paid elsewhere" : "was canceled";
  const why = isAfterEnd ? ` It came after the order ${end}.` : "";
  const refused = reason === undefined ? "" : ` onPaid refused it: ${reason}`;
  const goods = ABOUT_MONEY.includes(kind) ? (GOODS[effect?.state ?? "none"] ?? "") : "";
  return what + why + refused + goods;
}

export const reviewView = (review: ReviewState, order: OrderState): Review => ({
  id: review.id,
  kind: review.kind,
  orderId: order.id,
  references: review.references,
  ...cameBy(order.money.find(({ reference }) => reference === review.references.at(-1))),
  ...(review.amount !== undefined && { amount: review.amount }),
  message: reviewText(review, order),
  createdAt: iso(review.at),
});

/** What the payer typed, and which orders he may have meant. It may be a phone. */
function typedText({ typed, near = [] }: PaymentUpdate): string {
  if (typed === undefined) return " It has no account reference.";
  const like =
    near.length === 0
      ? "No order has one like it."
      : `Orders with one like it: ${near.join(", ")}.`;
  return ` Its account reference is ${quoteMasked(typed)}. ${like}`;
}

/** The review of a payment that belongs to no order. */
export const unmatchedView = (update: PaymentUpdate, at: number): Review => ({
  id: `unmatched:${update.reference}`,
  kind: "unmatched",
  references: [update.reference],
  ...cameBy(update),
  ...(update.typed !== undefined && { accountReference: maskPhones(update.typed) }),
  message: REVIEWS.unmatched + typedText(update),
  createdAt: iso(at),
});

/** What an attempt that ended without money tells its customer. */
export function attemptMessage({ message, messageCode, code }: AttemptState): Message | undefined {
  // The network's code is stored by versions without codes of messages, too.
  return message === undefined
    ? undefined
    : { message, messageCode: networkMessageCode(code) ?? messageCode };
}

function customerAttempt(attempt: AttemptState): CustomerAttempt {
  const { number, status, phone, reference, about } = attempt;
  const { message, messageCode } = attemptMessage(attempt) ?? {};
  return {
    number,
    status,
    phone,
    ...(reference !== undefined && { reference }),
    ...(message !== undefined && { message }),
    ...(messageCode !== undefined && { messageCode }),
    ...(about !== undefined && { about }),
  };
}

const attemptView = (attempt: AttemptState): Attempt => ({
  ...customerAttempt(attempt),
  ...(attempt.reason !== undefined && { reason: attempt.reason }),
});

const customerRefund = ({ amount, currency, at, reference }: RefundState): CustomerRefund => ({
  amount,
  currency,
  at: iso(at),
  ...(reference !== undefined && { reference }),
});

/** A refund, for the merchant. */
export const refundView = (refund: RefundState): Refund => ({
  ...customerRefund(refund),
  ...(refund.reason !== undefined && { reason: refund.reason }),
  ...(refund.by !== undefined && { by: refund.by }),
  payments: refund.payments ?? [],
});

/** A time to wait, for a customer: no time of day, since his clock and time zone are not known. */
function limitMessage(until: number, now: number): Message {
  const minutes = Math.ceil((until - now) / MINUTE_MS);
  if (minutes <= 0) return messageOf("phone_limit_over");
  if (minutes === 1) return messageOf("phone_limit_minute");
  if (minutes <= 90) return messageOf("phone_limit_minutes", { minutes });
  return messageOf("phone_limit_hours", { hours: Math.ceil(minutes / 60) });
}

function closedMessage(order: OrderState, status: "canceled" | "expired"): Message {
  const end = order.closedFor ?? status;
  if (isToPayBack(order)) return messageOf(`${end}_paying_back`);
  if (isLate(order) || holdsMoney(order)) {
    return messageOf(end === "paid_elsewhere" ? `${end}_paying_back` : `${end}_checking_payment`);
  }
  if (order.effect?.state === "refunded") return messageOf("paid_back");
  const isStillAsked = status === "canceled" && order.attempts.some(isOpen);
  if (!isStillAsked) return messageOf(end);
  return messageOf(
    order.closedFor ? `${order.closedFor}_reject_request` : "canceled_reject_request",
  );
}

/** What is left to pay, if a part has come. */
function partMessage(order: OrderState): Message | undefined {
  const received = countedSum(order);
  if (isNothing(received)) return undefined;
  const text = (amount: string) => `${order.currency} ${amount}`;
  const values = { received: text(received), amount: text(order.amount) };
  return messageOf("part_received", { ...values, due: text(leftToPay(order)) });
}

function orderMessage(order: OrderState, status: OrderStatus, now: number): Message {
  const last = order.attempts.at(-1);
  if (status === "canceled" || status === "expired") return closedMessage(order, status);
  if (status === "pending") {
    if (!order.attempts.some(isOpen)) return messageOf("checking_payment");
    if (order.attempts.some((one) => isUnclear(one, now))) return messageOf("checking_request");
    return messageOf(last?.status === "starting" ? "sending" : "enter_pin");
  }
  if (order.effect?.state === "refunded") return messageOf("paid_back");
  if (order.effect?.state === "refused") return messageOf("refused");
  if (status === "paid") {
    const isPaidBack = order.money.length > 0 && order.money.every(({ refunded }) => refunded);
    return messageOf(isPaidBack ? "paid_back" : "paid");
  }
  if (isUsedUp(order)) return messageOf(isFull(order) ? "too_many_attempts" : "attempts_used_up");
  const { blocked } = order;
  // Another prompt on the phone blocks only for its time; it is not known when it is over.
  const isOver = blocked?.by === "open" && blocked.until <= now;
  if (blocked?.by === "limit") return limitMessage(blocked.until, now);
  if (blocked !== undefined && !isOver) return blocked;
  const part = partMessage(order);
  // What came last counts: a part by hand, or the end of a request.
  const partAt = Math.max(0, ...order.money.flatMap(({ at = 0, counts }) => (counts ? at : [])));
  if (part !== undefined && last !== undefined && partAt > (last.endedAt ?? 0)) return part;
  return (last && attemptMessage(last)) ?? part ?? messageOf("not_paid");
}

/** Whether money came that a person is to pay back. */
export const isToPayBack = (order: OrderState): boolean =>
  openReviews(order).some(({ kind }) => kind === "refund_due");

/** Whether money came for an order that is over, and no decision about it was made. */
export const isLate = (order: OrderState): boolean =>
  openReviews(order).some(({ kind }) => kind === "late_payment" || kind === "refund_due");

/**
 * Whether the customer may be asked now: also after a failure for good, since another phone may be able to pay, and
 * a person may have changed something.
 */
function canPayAt(order: OrderState, status: OrderStatus, now: number): boolean {
  const { updatedAt, expiresAt = Number.POSITIVE_INFINITY } = order;
  // The clock was set back since: the time says nothing.
  const blocked = updatedAt > now ? undefined : order.blocked;
  if (status !== "open" || expiresAt <= now) return false;
  return (blocked?.until ?? 0) <= now;
}

/** What of a merchant's own data his customer may see; `undefined` if that is nothing. */
function publicPart(
  metadata: OrderState["metadata"],
  names: readonly string[],
): OrderState["metadata"] | undefined {
  const shown = names.filter((name) => Object.hasOwn(metadata, name));
  // Not by assignment: a name such as `__proto__` is one as any other.
  return shown.length === 0
    ? undefined
    : Object.fromEntries(shown.map((name) => [name, metadata[name]]));
}

/**
 * An order, as its customer sees it.
 *
 * @param publicMetadata - The names of the metadata that he may see.
 */
export function customerView(
  order: OrderState,
  now: number,
  publicMetadata: readonly string[],
): CustomerOrder {
  const { id, accountReference, amount, currency, effect, money } = order;
  const metadata = publicPart(order.metadata, publicMetadata);
  const status = statusOf(order);
  const { message, messageCode, messageValues } = orderMessage(order, status, now);
  return {
    id,
    accountReference,
    amount,
    currency,
    status,
    ...(order.closed === "canceled" && { cancelReason: order.closedFor ?? "canceled" }),
    canPay: canPayAt(order, status, now) && !isUsedUp(order),
    message,
    ...(messageCode !== undefined && { messageCode }),
    ...(messageValues !== undefined && { messageValues }),
    attempts: order.attempts.map(customerAttempt),
    effect: effect?.state ?? "none",
    received: leftOf(order, currency),
    due: leftToPay(order),
    payments: money.map(({ reference, amount: sum, currency: code, ...one }) => ({
      reference,
      amount: sum,
      currency: code,
      ...(one.transactionId !== undefined && { transactionId: one.transactionId }),
      ...(one.phone !== undefined && { phone: one.phone }),
      isRefunded: one.refunded === true,
    })),
    refunds: refundsOf(order).map(customerRefund),
    ...(order.paidAt !== undefined && { paidAt: iso(order.paidAt) }),
    ...(metadata !== undefined && { metadata }),
    createdAt: iso(order.createdAt),
    updatedAt: iso(order.updatedAt),
  };
}

/** An order with everything, for the merchant and his staff. */
export const orderView = (order: OrderState, now: number): Order => ({
  ...customerView(order, now, []),
  attempts: order.attempts.map(attemptView),
  refunds: refundsOf(order).map(refundView),
  ...(order.effect?.state === "due" &&
    order.effect.error !== undefined && { effectError: order.effect.error }),
  reviews: openReviews(order).map((one) => reviewView(one, order)),
  metadata: order.metadata,
});
