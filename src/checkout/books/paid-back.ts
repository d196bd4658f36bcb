// What was paid back in a time, each refund once, and what was paid back at another time of the payments of that time.
import { isNothing, isSummand, leftAfter } from "../rules/amounts.ts";
import { type BookedPayment, type CurrencySum, Sums } from "./compare-books.ts";
import type { BookedRefund } from "./read-books.ts";

/** A payment of the time that is wholly paid back. */
export interface WholePayment extends Pick<BookedPayment, "orderId" | "currency" | "amount"> {
  /** Whether its order has a record of the refund, with its own time. Without one, it counts with its payment. */
  readonly isNoted: boolean;
}

/** What the line for an owner says of refunds: the first two are together what was paid back in the time. */
export interface PaidBackSums {
  /** Of payments of the time that are wholly paid back. */
  readonly ofWhole: readonly CurrencySum[];
  /** Parts, and refunds of payments of another time. */
  readonly others: readonly CurrencySum[];
  /** Of payments of the time, before or after it. */
  readonly atAnotherTime: readonly CurrencySum[];
}

/** Amounts by the order and the currency. */
function amountsByOrder(all: readonly Pick<BookedPayment, "orderId" | "currency" | "amount">[]) {
  const found = new Map<string, { readonly currency: string; readonly amounts: string[] }>();
  for (const { orderId, currency = "", amount = "" } of all) {
    if (!isSummand(amount)) continue;
    const name = JSON.stringify([orderId, currency]);
    const known = found.get(name) ?? { currency, amounts: [] };
    found.set(name, known);
    known.amounts.push(amount);
  }
  return found;
}

/** A whole payment may be paid back in parts, on several days: they are compared by their order. */
export function paidBackSums(
  whole: readonly WholePayment[],
  noted: readonly BookedRefund[],
): PaidBackSums {
  const [ofWhole, others, atAnotherTime] = [new Sums(), new Sums(), new Sums()];
  const add = (sums: Sums, currency: string, amount: string) => {
    if (!isNothing(amount)) sums.add(currency, amount);
  };
  const wholly = amountsByOrder(whole.filter(({ isNoted }) => isNoted));
  const inTime = amountsByOrder(noted);
  for (const { currency = "", amount = "", isNoted } of whole) {
    if (!isNoted) ofWhole.add(currency, amount);
  }
  for (const name of new Set([...wholly.keys(), ...inTime.keys()])) {
    const { currency = "", amounts: came = [] } = wholly.get(name) ?? {};
    const { currency: same = currency, amounts: back = [] } = inTime.get(name) ?? {};
    const other = leftAfter(back, came);
    add(ofWhole, same, leftAfter(back, [other]));
    add(others, same, other);
    add(atAnotherTime, same, leftAfter(came, back));
  }
  return {
    ofWhole: ofWhole.list(),
    others: others.list(),
    atAnotherTime: atAnotherTime.list(),
  };
}
