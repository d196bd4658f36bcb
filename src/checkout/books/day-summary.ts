// The books of a day in one line, for an owner.
import { groupedAmount, shortened } from "../../internal/amount-text.ts";
import type { CurrencySum, Difference, DifferenceKind } from "./compare-books.ts";
import type { PaidBackSums } from "./paid-back.ts";

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`;

/** `KES 486,200.00` */
export const withCommas = ({ currency, amount }: { currency: string; amount: string }): string =>
  `${shortened(currency)} ${groupedAmount(amount)}`;

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
  late_payment: [
    "payment came after the end of its order",
    "payments came after the end of their orders",
  ],
  refund_due: [
    "payment of an order that has ended is to be paid back",
    "payments of orders that have ended are to be paid back",
  ],
};

/** What the line for an owner is made of. */
interface Summed {
  readonly agrees: readonly CurrencySum[];
  readonly parts: readonly CurrencySum[];
  readonly accepted: readonly CurrencySum[];
  readonly dismissed: readonly CurrencySum[];
  readonly refunds: PaidBackSums;
  readonly differences: readonly Difference[];
  readonly goodsDue: number;
  /** Reviews of other payments, and their money. */
  readonly waiting: { readonly count: number; readonly sums: readonly CurrencySum[] };
  readonly problem: string | undefined;
}

const moneyText = (sums: readonly CurrencySum[]): string => sums.map(withCommas).join(" and ");

function refundTexts({ ofWhole, others, atAnotherTime }: PaidBackSums): string[] {
  const texts: string[] = [];
  if (ofWhole.length > 0) texts.push(`${moneyText(ofWhole)} paid back`);
  if (others.length > 0) texts.push(`other refunds of ${moneyText(others)}`);
  if (atAnotherTime.length > 0) texts.push(`${moneyText(atAnotherTime)} paid back at another time`);
  return texts;
}

/** The books in one line, for an owner. */
export function summaryOf(books: Summed): string {
  const { agrees, accepted, dismissed, differences, refunds, goodsDue, waiting, problem } = books;
  const { parts: inParts } = books;
  const orders = agrees.reduce((sum, one) => sum + one.count, 0);
  const money = moneyText(agrees);
  const paid = `${count(orders, "order", "orders")}, ${money}, ${orders === 1 ? "" : "all "}at the service`;
  const kinds = Object.entries(PHRASES) as [DifferenceKind, readonly [string, string]][];
  const parts = kinds.flatMap(([kind, phrase]) => {
    const number = differences.filter((one) => one.kind === kind).length;
    return number === 0 ? [] : [count(number, ...phrase)];
  });
  if (inParts.length > 0) parts.push(`${moneyText(inParts)} came in parts`);
  if (accepted.length > 0) parts.push(`${moneyText(accepted)} accepted with another amount`);
  parts.push(...refundTexts(refunds));
  if (dismissed.length > 0) parts.push(`${moneyText(dismissed)} dismissed by a person`);
  if (goodsDue > 0) {
    parts.push(count(goodsDue, "paid order has no goods yet", "paid orders have no goods yet"));
  }
  if (waiting.count > 0) {
    const phrase = ["review of another payment is open", "reviews of other payments are open"];
    const text = count(waiting.count, ...(phrase as [string, string]));
    parts.push([text, moneyText(waiting.sums)].filter(Boolean).join(", "));
  }
  const isNothing = orders === 0 && parts.length === 0;
  const begin = isNothing ? ["No order was paid"] : orders === 0 ? [] : [paid];
  const whole = `${[...begin, ...parts].join("; ")}.`;
  if (problem === undefined) return whole;
  const read = isNothing ? "Nothing could be compared." : `Of what was read: ${whole}`;
  return `This is not an all-clear. ${problem} ${read}`;
}
