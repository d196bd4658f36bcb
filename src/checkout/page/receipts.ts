// What a customer reads about money that came for his order, and about what was paid back of it.
import { type Html, html, type Part } from "../../html/html.ts";
import { ALIAS } from "../orders/payment-updates.ts";
import { filled } from "../rules/customer-messages.ts";
import { payingMoney } from "../rules/known-payments.ts";
import { countedMoney, countedSum, type Money, type OrderState } from "../rules/order-state.ts";
import { refundsOf } from "../rules/refunds.ts";
import { moneyText, timeText, type Words } from "./words.ts";

type Row = readonly [name: string, value: string | undefined];

/** Names and values. What is not known has no row. */
const listOf = (label: string, rows: readonly Row[]): Html =>
  html`<dl aria-label="${label}">${rows.map(([name, value]) => value !== undefined && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/** The money that paid an order: one payment, or its parts. */
function paidWith(order: OrderState): readonly Money[] {
  const parts = countedMoney(order);
  const paying = payingMoney(order);
  return parts.length > 0 || paying === undefined ? parts : [paying];
}

/** What came of the amount of an order that is paid: a person may have accepted another amount. */
export function paidAmount(order: OrderState): string {
  const [first, ...others] = paidWith(order);
  return (others.length > 0 ? countedSum(order) : first?.amount) || order.amount;
}

/** The name of a payment at the service, unless it is one that only its order has. */
const referenceOf = (name: string | undefined): string | undefined =>
  name?.startsWith("#") || name?.startsWith(ALIAS) ? undefined : name;

/** The receipt of one payment. */
function paymentRows(words: Words, order: OrderState, money: Money, at = money.at): Row[] {
  const { texts, settings } = words;
  const attempt = order.attempts.find(({ reference }) => reference === money.reference);
  const review = order.reviews.find(({ references }) => references.at(-1) === money.reference);
  const time = at ?? attempt?.endedAt ?? review?.at;
  return [
    [texts.amount, money.amount === "" ? undefined : moneyText(words, money)],
    [filled(texts.transactionId, { wallet: settings.wallet }), money.transactionId],
    [texts.payment, referenceOf(money.reference)],
    [texts.paidBy, attempt?.phone ?? money.phone],
    [texts.paidAt, time === undefined ? undefined : timeText(time, words)],
  ];
}

/** The receipt of an order that is paid. */
function mainReceipt(words: Words, order: OrderState): Html {
  const { texts } = words;
  const [first, ...others] = paidWith(order);
  const attempt = order.attempts.find(({ reference }) => reference === order.paidBy);
  const at = order.paidAt ?? attempt?.askedAt;
  const label: Row = [
    texts.account,
    order.accountReference === order.id ? undefined : order.accountReference,
  ];
  if (first !== undefined) {
    const paidAt = others.length === 0 ? at : first.at;
    return listOf(texts.receipt, [label, ...paymentRows(words, order, first, paidAt)]);
  }
  return listOf(texts.receipt, [
    label,
    [texts.payment, referenceOf(order.paidBy)],
    [texts.paidBy, attempt?.phone],
    [texts.paidAt, at === undefined ? undefined : timeText(at, words)],
  ]);
}

/** What was paid back, each with its reference. */
function refundReceipts(words: Words, order: OrderState): Part {
  const { texts } = words;
  return refundsOf(order).map(
    ({ amount, currency, reference, at }) =>
      html`<h2>${texts.refundReceipt}</h2>${listOf(texts.refundReceipt, [
        [texts.amount, amount === "" ? undefined : moneyText(words, { amount, currency })],
        [texts.refundReference, reference],
        [texts.paidAt, timeText(at, words)],
      ])}`,
  );
}

/** All that came for an order and was paid back, with a button that prints it. Nothing if nothing came. */
export function receipts(words: Words, order: OrderState, isPaid: boolean): Part {
  const { texts } = words;
  const [first] = isPaid ? paidWith(order) : [];
  const others = order.money.filter((one) => one !== first);
  if (!isPaid && others.length === 0) return false;
  const name = isPaid ? texts.otherReceipt : texts.receipt;
  const more = others.map(
    (one) => html`<h2>${name}</h2>${listOf(name, paymentRows(words, order, one))}`,
  );
  return html`${isPaid && mainReceipt(words, order)}${more}${refundReceipts(words, order)}<button class="quiet" type="button" data-print hidden>${texts.print}</button>`;
}
