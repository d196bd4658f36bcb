// Orders that change, are paid in parts, are refused or are paid back: what was asked for, what came, and the books of
// all of it, to the cent, by the service's own ledger.
import type { Order } from "malipo/checkout";
import type { LedgerEntry } from "../harness/service/service.ts";
import type { Breach } from "../harness/table.ts";
import type { End, OrderHistory } from "./history.ts";
import { UNDERPAID } from "./messages.ts";

export const centsIn = (amount: string): number => Math.round(Number(amount) * 100);

export const sumOf = (cents: readonly number[]): number => cents.reduce((sum, one) => sum + one, 0);

/** What was paid back of an order, in cents. */
export const paidBack = ({ refunds }: Order): number =>
  sumOf(refunds.map(({ amount }) => centsIn(amount)));

/** What the service says of the amount of a payment, in cents. */
export const centsOf =
  ({ planned }: End) =>
  ({ account_reference, cents }: LedgerEntry): number =>
    planned.some(({ id, isUnderpaid }) => isUnderpaid && id === account_reference)
      ? centsIn(UNDERPAID)
      : cents;

/**
 * Each prompt asks for the amount of its order at that time, without the money that had come. A prompt that was paid with
 * less does not count: a person decides about it.
 */
function checkAsked(history: OrderHistory, end: End): Breach[] {
  const underpaid = new Set(
    end.planned.flatMap(({ id, isUnderpaid }) => (isUnderpaid ? [id] : [])),
  );
  const counted = end.ledger.filter((one) => !underpaid.has(one.account_reference));
  const cents = new Map(counted.map((one) => [one.reference, one.cents]));
  const asked = history.all("changed").filter(({ by }) => by === "asked");
  return history.all("sending").flatMap(({ order, who, at, amount }) => {
    const click = asked.findLast((one) => one.order === order && one.who === who && one.at <= at);
    if (click === undefined) return [];
    const come = sumOf(click.money.map((reference) => cents.get(reference) ?? 0));
    const due = centsIn(click.amount) - come;
    if (due === centsIn(amount)) return [];
    const what = `a prompt asked for ${amount}, and ${due} cents were due`;
    return [{ kind: "asked wrongly", order, what }];
  });
}

const OPEN = ["starting", "pending", "unknown"];

/** What no change of an order may show. */
const checkChanges = (history: OrderHistory): Breach[] =>
  history.all("changed").flatMap((change) => {
    const { order, by, status, attempts, reviews } = change;
    const what = JSON.stringify(change);
    const isAsked = attempts.some((one) => OPEN.includes(one));
    return [
      ...(by === "updated" && isAsked ? [{ kind: "changed while asked", order, what }] : []),
      ...(status === "open" && reviews.includes("amount_mismatch")
        ? [{ kind: "open under review", order, what }]
        : []),
    ];
  });

/** Money that `onPaid` refuses: its goods are not given, what it wrote is there once, and a person is told. */
function checkRefusals(history: OrderHistory, { planned, orders, refused }: End): Breach[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  return planned.flatMap(({ id, refuses }) => {
    const { effect = "none", reviews = [] } = byId.get(id) ?? {};
    const isOver = effect === "refused" || (refuses && effect === "refunded");
    const written = refused.filter((one) => one === id).length;
    const decided = history.all("decided").filter(({ order }) => order === id);
    const isTold = [...reviews, ...decided].some(({ kind }) => kind === "refund_due");
    const isRight = written === (isOver ? 1 : 0) && (!isOver || isTold);
    if (isRight && !(refuses && effect === "done")) return [];
    const what = `its effect is ${effect}, its refusal is there ${written} times. ${JSON.stringify(byId.get(id))}`;
    return [{ kind: "refused", order: id, what }];
  });
}

/** A refund is noted once, if the people were told so, and never more than came. */
function checkRefunds(history: OrderHistory, { orders }: End): Breach[] {
  const noted = history.all("refund");
  return orders.flatMap((order) => {
    const { id, refunds, payments } = order;
    const came = sumOf(payments.map(({ amount }) => centsIn(amount)));
    const own = noted.filter((one) => one.order === id);
    const wrong = [...new Set(own.map(({ reference }) => reference))].filter((reference) => {
      const calls = own.filter((one) => one.reference === reference);
      const outcomes = calls.flatMap((one) => one.outcomes);
      const times = refunds.filter((one) => one.reference === reference).length;
      if (outcomes.includes("won")) return times !== 1;
      return times > (outcomes.includes("failed") ? 1 : 0);
    });
    const isTooMuch = paidBack(order) > came;
    if (wrong.length === 0 && !isTooMuch) return [];
    const what = `${isTooMuch ? "more than came" : wrong}. ${JSON.stringify([order, own])}`;
    return [{ kind: "refunds", order: id, what }];
  });
}

type Sum = { readonly amount: string };
const total = (...sums: readonly (readonly Sum[])[]): number =>
  sumOf(sums.flat().map(({ amount }) => centsIn(amount)));

/** The books agree with the ledger of the service, to the cent, and a person is told of each difference. */
function checkBooks(end: End): Breach[] {
  const { books, ledger, orders, strays } = end;
  const { agrees, parts, accepted, refunded, dismissed, differences } = books;
  const came = sumOf(ledger.filter(({ status }) => status === "completed").map(centsOf(end)));
  const different = differences.map(({ amount = "0.00" }) => ({ amount }));
  const told = new Set([
    ...strays,
    ...orders.flatMap(({ reviews }) => reviews.flatMap(({ references }) => references)),
  ]);
  const wrong = [
    total(books.received) !== came && `${came} cents came`,
    total(agrees, parts, accepted, refunded, dismissed, different) !== came &&
      `of ${came} cents, some are missing or counted twice`,
    total(books.paidBack) !== sumOf(orders.map(paidBack)) &&
      "its refunds are not those of the orders",
    differences.some(({ reference }) => !told.has(reference)) && "nobody is told of a difference",
  ];
  return wrong
    .filter((one) => one !== false)
    .map((what) => ({ kind: "books", order: "", what: `${what}. ${JSON.stringify(books)}` }));
}

export const checkMoney = (history: OrderHistory, end: End): Breach[] => [
  ...checkAsked(history, end),
  ...checkChanges(history),
  ...checkRefusals(history, end),
  ...checkRefunds(history, end),
  ...checkBooks(end),
];
