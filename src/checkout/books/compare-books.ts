// The comparison of a day: what the service lists against what the orders say. Pure, without I/O.
import type { OrderState } from "../order.ts";
import { openReviews, statusOf } from "../order.ts";
import { sumOf } from "../view.ts";

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
  | "paid_twice";

/** A payment that does not agree with the orders. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** In a sentence. */
  readonly message: string;
  readonly reference: string;
  readonly orderId?: string;
  readonly accountReference?: string;
  /** What the service says; if it does not have the payment, what the order says. */
  readonly amount?: string;
  readonly currency?: string;
  /** Masked. */
  readonly phone?: string;
}

/** A payment of the service, as far as the books need it. */
export interface ListedPayment {
  readonly reference: string;
  readonly status: string;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly label: string | undefined;
  /** Masked. */
  readonly phone: string | undefined;
}

/** What a comparison says of one payment. */
export type Compared =
  | { readonly agrees: true }
  | { readonly agrees: false; readonly difference: Difference };

const AGREES: Compared = { agrees: true };

/** What a completed payment is called in each difference, for the owner. */
const MESSAGES: Readonly<Record<DifferenceKind, string>> = {
  no_order: "The service received this payment. It belongs to no order.",
  not_at_service: "The order is paid, and the service does not have its payment.",
  status: "The service and the order do not agree whether it is paid.",
  amount: "The payment has another amount than the order.",
  currency: "The payment has another currency than the order.",
  paid_twice: "The order was paid before. Pay this payment back.",
};

export function difference(
  kind: DifferenceKind,
  { reference, amount, currency, label, phone }: Omit<ListedPayment, "status">,
  order?: OrderState,
  message: string = MESSAGES[kind],
): Compared {
  return {
    agrees: false,
    difference: {
      kind,
      message,
      reference,
      ...(order !== undefined && { orderId: order.id }),
      ...((label ?? order?.accountReference) !== undefined && {
        accountReference: label ?? order?.accountReference ?? "",
      }),
      ...(amount !== undefined && { amount }),
      ...(currency !== undefined && { currency }),
      ...(phone !== undefined && { phone }),
    },
  };
}

/** Whether a person has decided about the money of a payment, so that it is no difference any more. */
const isDecided = ({ reviews, money }: OrderState, reference: string): boolean =>
  money.some((one) => one.reference === reference && one.refunded) ||
  reviews.some(
    ({ ended, references }) =>
      (ended === "accept" || ended === "refunded" || ended === "dismiss") &&
      references.at(-1) === reference,
  );

/** Compares a completed payment with its order. */
export function compareCompleted(payment: ListedPayment, order: OrderState | undefined): Compared {
  if (order === undefined) return difference("no_order", payment);
  const { reference, amount = order.amount, currency = order.currency } = payment;
  const { paidBy } = order;
  if (isDecided(order, reference)) return AGREES;
  if (currency !== order.currency) return difference("currency", payment, order);
  if (amount !== order.amount) return difference("amount", payment, order);
  if (paidBy === reference) return AGREES;
  // A person accepted the attempt before its payment was known.
  const accepted = order.attempts.find(({ number }) => paidBy === `#${number}`);
  if (accepted !== undefined && (accepted.reference ?? reference) === reference) return AGREES;
  if (paidBy !== undefined) return difference("paid_twice", payment, order);
  const message = `The service received this payment, and the order was ${statusOf(order)}.`;
  return difference("status", payment, order, message);
}

/** Compares a paid order with what the service says of its payment; `undefined` if it does not have it. */
export function comparePaid(
  order: OrderState,
  reference: string,
  found: ListedPayment | undefined,
): Compared {
  if (found?.status === "completed") return AGREES;
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

  add(currency: string, amount: string): void {
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

const HOUR_MS = 3_600_000;

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

/** Second payments that wait for a refund, as the reviews of an order say. */
export const refundsDue = (order: OrderState): readonly string[] =>
  openReviews(order)
    .filter(({ kind }) => kind === "overpaid" || kind === "late_payment")
    .flatMap(({ references }) => references.at(-1) ?? []);

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`;

/** `KES 486,200.00` */
export const withCommas = ({ currency, amount }: { currency: string; amount: string }): string =>
  `${currency} ${amount.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",")}`;

const PHRASES: Readonly<Record<DifferenceKind, readonly [string, string]>> = {
  no_order: ["payment belongs to no order", "payments belong to no order"],
  not_at_service: ["paid order is not at the service", "paid orders are not at the service"],
  status: [
    "payment has another status than its order",
    "payments have another status than their orders",
  ],
  amount: ["payment has another amount", "payments have another amount"],
  currency: ["payment has another currency", "payments have another currency"],
  paid_twice: ["payment is to be paid back", "payments are to be paid back"],
};

/** The books in one line, for an owner. */
export function summaryOf(
  sums: readonly CurrencySum[],
  differences: readonly Difference[],
  problem: string | undefined,
): string {
  const orders = sums.reduce((sum, one) => sum + one.count, 0);
  const money = sums.map(withCommas).join(" and ");
  const begin = `${count(orders, "order", "orders")}${money && `, ${money}`}, ${orders === 1 ? "" : "all "}at the service`;
  const kinds = Object.entries(PHRASES) as [DifferenceKind, readonly [string, string]][];
  const parts = kinds.flatMap(([kind, phrase]) => {
    const number = differences.filter((one) => one.kind === kind).length;
    return number === 0 ? [] : [count(number, ...phrase)];
  });
  const whole = `${[begin, ...parts].join("; ")}.`;
  return problem === undefined
    ? whole
    : `This is no all-clear: ${problem} Of what was read: ${whole}`;
}
