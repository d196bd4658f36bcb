// The comparison of a day: what the service lists against what the orders say. Pure, without I/O.

import { HOUR_MS } from "../../internal/units.ts";
import { isSummand, sumOf } from "../rules/amounts.ts";
import {
  isByHand,
  isPart,
  type Money,
  type OrderState,
  openReviews,
  type ReviewState,
  statusOf,
} from "../rules/order-state.ts";
import type { ReviewDecision, ReviewKind } from "../rules/order-types.ts";

/** In which way a payment and the orders differ. */
export type DifferenceKind =
  /** Completed at the service, and of no order. */
  | "no_order"
  /** The payment of a paid order is not at the service. */
  | "not_at_service"
  /** One of them says that it is paid, and the other one does not. */
  | "status"
  | "amount"
  | "currency"
  /** The order was paid by another payment: this one is to be paid back. */
  | "paid_twice"
  /** It was completed after the order had expired. */
  | "late_payment"
  /** Its order was canceled, or ended before the whole amount had come: it is to be paid back. */
  | "refund_due";

/** A payment in the books. */
export interface BookedPayment {
  readonly reference: string;
  readonly orderId?: string;
  readonly accountReference?: string;
  /** What the service says; if it does not have the payment, what the order says. */
  readonly amount?: string;
  readonly currency?: string;
  /** Masked. */
  readonly phone?: string;
  /** The network's id of it: the M-Pesa code. */
  readonly transactionId?: string;
  /** ISO 8601. The time that the service gives, if it gives one. */
  readonly paidAt?: string;
}

/** A payment that does not agree with the orders. */
export interface Difference extends BookedPayment {
  readonly kind: DifferenceKind;
  /** In a sentence. */
  readonly message: string;
}

/** A payment of the service, as far as the books need it. */
export interface ListedPayment {
  readonly reference: string;
  /** Its other name, under which a webhook without a reference has brought it. */
  readonly alias: string | undefined;
  readonly status: string;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly label: string | undefined;
  /** Masked. */
  readonly phone: string | undefined;
  readonly transactionId?: string | undefined;
  /** In milliseconds. */
  readonly at?: number | undefined;
}

/** What a comparison says of one payment. */
export type Compared =
  | { readonly is: "agrees" }
  /** It counts for its order, and is not its whole amount. */
  | { readonly is: "parts" }
  /** It pays its order with another amount, which a person has accepted. */
  | { readonly is: "accepted" }
  /** A person has decided about it: it is no difference any more, and no payment of an order. */
  | { readonly is: "refunded" }
  | { readonly is: "dismissed" }
  | { readonly is: "different"; readonly difference: Difference };

const AGREES: Compared = { is: "agrees" };

/** What a completed payment is called in each difference, for the owner. */
const MESSAGES: Readonly<Record<DifferenceKind, string>> = {
  no_order: "The service received this payment. It belongs to no order.",
  not_at_service: "The order is paid, and the service does not have its payment.",
  status: "The service and the order do not agree whether it is paid.",
  amount: "The payment has another amount than the order.",
  currency: "The payment has another currency than the order.",
  paid_twice: "The order was paid before. Pay this payment back.",
  late_payment:
    "The payment was completed after the order had expired. Give the goods, or pay it back.",
  refund_due:
    "The order was canceled, or ended before its whole amount had come. Pay this payment back.",
};

const DECIDED = { accept: "accepted", refunded: "refunded", dismiss: "dismissed" } as const;

type PaymentFields = Omit<ListedPayment, "status" | "alias">;

/** A payment as the books show it. */
export function booked(
  { reference, amount, currency, label, phone, transactionId, at }: PaymentFields,
  order: OrderState | undefined,
): BookedPayment {
  const accountReference = label ?? order?.accountReference;
  return {
    reference,
    ...(order !== undefined && { orderId: order.id }),
    ...(accountReference !== undefined && { accountReference }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
    ...(phone !== undefined && { phone }),
    ...(transactionId !== undefined && { transactionId }),
    ...(at !== undefined && { paidAt: new Date(at).toISOString() }),
  };
}

export function difference(
  kind: DifferenceKind,
  payment: PaymentFields,
  order?: OrderState,
  message: string = MESSAGES[kind],
): Compared {
  return { is: "different", difference: { kind, message, ...booked(payment, order) } };
}

/** Reviews that are about the money of a payment. A decision about another one says nothing of it. */
const ABOUT_MONEY: readonly ReviewKind[] = [
  "overpaid",
  "amount_mismatch",
  "currency_mismatch",
  "late_payment",
  "refund_due",
  "contradiction",
];

/** What a person has decided about the money of a payment that has these names. */
function decisionOf(
  { reviews, money }: OrderState,
  names: readonly (string | undefined)[],
): ReviewDecision | undefined {
  if (money.some((one) => one.refunded && names.includes(one.reference))) return "refunded";
  const ends = reviews.flatMap(({ kind, ended, references }) =>
    ABOUT_MONEY.includes(kind) && names.includes(references.at(-1)) ? ended : [],
  );
  return ends.find((ended) => ended !== "closed" && ended !== undefined) as
    | ReviewDecision
    | undefined;
}

/** The names that a payment has in its order. */
function namesOf({ money }: OrderState, { reference, alias }: ListedPayment): string[] {
  const given = [reference, ...(alias === undefined ? [] : [alias])];
  const known = money.find((one) =>
    given.some((name) => name === one.reference || name === one.alias),
  );
  return known === undefined ? given : [...given, known.reference];
}

/** Whether an order says that a payment with these names has paid it. */
function isPaidBy({ paidBy, attempts }: OrderState, names: readonly string[]): boolean {
  if (paidBy === undefined) return false;
  // A person accepted the attempt before its payment was known.
  const accepted = attempts.find(({ number }) => paidBy === `#${number}`);
  if (accepted === undefined) return names.includes(paidBy);
  return accepted.reference === undefined || names.includes(accepted.reference);
}

/** Compares the amount and the currency of a completed payment with those of its order. */
function compareMoney(payment: ListedPayment, order: OrderState): Compared {
  const { amount = order.amount, currency = order.currency } = payment;
  if (currency !== order.currency) return difference("currency", payment, order);
  return amount === order.amount ? AGREES : difference("amount", payment, order);
}

/** Compares a payment that counts for its order. What came beyond the amount of the order is a review. */
function compareCounted(
  payment: ListedPayment,
  order: OrderState,
  counted: Money,
  isPaid: boolean,
  decided: ReviewDecision | undefined,
): Compared {
  const { amount = counted.amount, currency = counted.currency } = payment;
  if (decided === "dismiss" && !isPaid) return { is: "dismissed" };
  if (currency !== counted.currency) return difference("currency", payment, order);
  if (amount !== counted.amount) return difference("amount", payment, order);
  if (order.closed !== undefined && order.paidBy === undefined)
    return difference("refund_due", payment, order);
  return isPaid && amount === order.amount ? AGREES : { is: "parts" };
}

/** Whether a part that was sent by hand, and that an order does not have yet, is no review of its amount. */
const isPartByHand = (
  { amount, currency }: ListedPayment,
  order: OrderState,
  names: readonly string[],
): boolean =>
  (order.paidBy !== undefined || order.closed !== undefined || order.partPayments !== "review") &&
  isPart(amount) &&
  (currency ?? order.currency) === order.currency &&
  names.every((name) => isByHand(order, name)) &&
  !order.money.some(({ reference }) => names.includes(reference));

/** What the open review of a payment says of it, if the service says the same amount as the order. */
function dueOf(
  order: OrderState,
  names: readonly string[],
  { amount, currency }: ListedPayment,
): DifferenceKind | undefined {
  const known = order.money.find(({ reference }) => names.includes(reference));
  if (known === undefined || (amount ?? known.amount) !== known.amount) return undefined;
  if ((currency ?? known.currency) !== known.currency) return undefined;
  return moneyDue(order).find(({ review }) => names.includes(review.references.at(-1) ?? ""))?.kind;
}

/** Whether an order has a record of the refund of a payment, with its amount; by default, of that which paid it. */
export function isNotedAsPaidBack(order: OrderState, payment: ListedPayment | undefined): boolean {
  const names = payment === undefined ? [order.paidBy] : namesOf(order, payment);
  return order.money.some(
    ({ reference, refunded, amount }) => refunded && names.includes(reference) && isSummand(amount),
  );
}

/**
 * Compares a completed payment with its order.
 *
 * @param decision - What a person has decided about it, if it belongs to no order.
 */
export function compareCompleted(
  payment: ListedPayment,
  order: OrderState | undefined,
  decision?: ReviewDecision,
): Compared {
  if (order === undefined) {
    if (decision === "refunded") return { is: "refunded" };
    return decision === undefined ? difference("no_order", payment) : { is: "dismissed" };
  }
  const names = namesOf(order, payment);
  const decided = decisionOf(order, names);
  if (decided === "refunded") return { is: "refunded" };
  const isPaid = isPaidBy(order, names);
  const counted = order.money.find((one) => one.counts && names.includes(one.reference));
  if (counted !== undefined) return compareCounted(payment, order, counted, isPaid, decided);
  const compared = compareMoney(payment, order);
  if (isPaid && compared.is === "agrees") return AGREES;
  if (isPaid && decided === "accept") return { is: "accepted" };
  if (decided === "dismiss") return { is: "dismissed" };
  const due = dueOf(order, names, payment);
  if (due !== undefined) return difference(due, payment, order);
  if (compared.is !== "agrees" && !isPartByHand(payment, order, names)) return compared;
  if (order.paidBy !== undefined) return difference("paid_twice", payment, order);
  if (order.closed === "canceled") return difference("refund_due", payment, order);
  if (order.closed !== undefined) return difference("late_payment", payment, order);
  const message = `The service received this payment, and the order was ${statusOf(order)}.`;
  return difference("status", payment, order, message);
}

/** Compares a paid order with what the service says of its payment; `undefined` if it does not have it. */
export function comparePaid(
  order: OrderState,
  reference: string,
  found: ListedPayment | undefined,
): Compared {
  if (found?.status === "completed") return compareCompleted(found, order);
  const decided = decisionOf(order, [reference]);
  if (decided !== undefined) return { is: DECIDED[decided] };
  const { amount, currency, accountReference: label } = order;
  const { phone } = order.attempts.find((one) => one.reference === reference) ?? {};
  const payment = found ?? { reference, amount, currency, label, phone };
  if (found === undefined) return difference("not_at_service", payment, order);
  const message = `The order is paid, and the service says "${found.status}" of its payment.`;
  return difference("status", payment, order, message);
}

/** Sums of money, by currency. */
export class Sums {
  readonly #amounts = new Map<string, string[]>();

  /** An amount that is not a number is left out. */
  add(currency: string, amount: string): void {
    if (!isSummand(amount)) return;
    const known = this.#amounts.get(currency) ?? [];
    this.#amounts.set(currency, known);
    known.push(amount);
  }

  list(): CurrencySum[] {
    return [...this.#amounts].map(([currency, amounts]) => ({
      currency,
      count: amounts.length,
      amount: sumOf(amounts),
    }));
  }
}

/** What agrees, in one currency. */
export interface CurrencySum {
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
}

/** Orders that are still open, by the time since they were made. */
export interface OpenByAge {
  readonly underAnHour: number;
  readonly underADay: number;
  readonly underAWeek: number;
  readonly older: number;
}

export function countByAge(createdAt: readonly number[], now: number): OpenByAge {
  const ages = createdAt.map((at) => (now - at) / HOUR_MS);
  const within = (from: number, to: number) => ages.filter((age) => age >= from && age < to).length;
  return {
    underAnHour: ages.filter((age) => age < 1).length,
    underADay: within(1, 24),
    underAWeek: within(24, 168),
    older: within(168, Number.POSITIVE_INFINITY),
  };
}

const DUE: Readonly<Partial<Record<ReviewKind, DifferenceKind>>> = {
  overpaid: "paid_twice",
  late_payment: "late_payment",
  refund_due: "refund_due",
};

/** Money of an order that a person must decide about, whatever the service lists. */
export const moneyDue = (
  order: OrderState,
): readonly { readonly review: ReviewState; readonly kind: DifferenceKind }[] =>
  openReviews(order).flatMap((review) => {
    const kind = DUE[review.kind];
    // Of a payment that counts, only what is more than the order is to be paid back. The payment of an order that `onPaid`
    // refused agrees with it.
    const isOfPaid = review.kind === "refund_due" && order.paidBy !== undefined;
    return kind === undefined || review.amount !== undefined || isOfPaid ? [] : { review, kind };
  });
