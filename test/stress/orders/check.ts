import type { Order, Review } from "malipo/checkout";
import type { LedgerEntry } from "../harness/service/service.ts";
import type { Breach } from "../harness/table.ts";
import { checkDecisions } from "./check-decisions.ts";
import { centsIn, centsOf, checkMoney, paidBack, sumOf } from "./check-money.ts";
import { type End, interruptedTries, type OrderHistory } from "./history.ts";
import type { PlannedOrder } from "./plan.ts";

/** Whether nothing is under way. */
export const isEnded = ({ status, effect, reviews, attempts }: Order): boolean =>
  // Goods of which it is not known what was kept are not tried again before a person has decided.
  (status === "paid"
    ? effect !== "due" || reviews.some(({ kind }) => kind === "effect_unclear")
    : // Money of an attempt waits for a person.
      status !== "pending" || reviews.some(({ kind }) => kind === "amount_mismatch")) &&
  attempts.every((one) => !["starting", "pending", "unknown"].includes(one.status));

/** How long after its click a request for a prompt may leave, with what a busy machine adds. */
const MAX_SEND_MS = 5_000 + 5_000;

const times = (list: readonly string[], id: string) => list.filter((one) => one === id).length;

/** An order at its end, with what is known of it elsewhere. */
interface Case {
  readonly order: Order;
  readonly planned: PlannedOrder | undefined;
  /** The payments that its attempts have asked for. */
  readonly ledger: readonly LedgerEntry[];
  /** What came, in cents: also by hand. */
  readonly came: number;
  readonly goods: number;
  /** The kinds of its reviews, open and decided. */
  readonly reviews: readonly Review["kind"][];
  /** How many of its wrong tries may have been interrupted. */
  readonly interrupted: number;
}

/** How often the goods of an order may have been given: at least, and at most. */
function goodsOf({ order, planned, reviews, interrupted }: Case): readonly [number, number] {
  if (order.status !== "paid" || ["refused", "refunded"].includes(order.effect)) return [0, 0];
  if (planned?.wrong === undefined) return [1, 1];
  const { wrong } = planned;
  // A review says so. Only if the process dies before it can be written, there is none.
  const isTold = reviews.some((kind) => kind === "effect_unclear" || kind === "effect_failed");
  const mayLack =
    wrong === "uses transaction after it returned" && (isTold || interrupted > 0)
      ? true
      : isTold && order.effect === "due";
  // What is written outside of the transaction is written at each try whose process dies.
  const isOutside = wrong === "rolls back by itself, and writes the goods then";
  return [mayLack ? 0 : 1, isOutside ? 1 + interrupted : 1];
}

/** The rules of an order that has ended, each with what is wrong. */
function wrongWith(one: Case) {
  const { order, planned, ledger, came, goods, reviews } = one;
  const { status, attempts, effect } = order;
  const amount = centsIn(order.amount);
  const hasReview = (kind: string) => reviews.some((one) => one === kind);
  const [least, most] = goodsOf(one);
  const references = attempts.flatMap(({ reference }) => reference ?? []);
  const isPaid = status === "paid";
  const isOver = status === "canceled" || status === "expired";
  const isOther = hasReview("amount_mismatch");
  const rules: readonly (readonly [kind: string, isWrong: boolean, what: string])[] = [
    ["never ended", !isEnded(order), "something is still under way"],
    ["goods", goods < least || goods > most, `its goods were given ${goods} times`],
    ["paid wrongly", isPaid && came < amount && !isOther, `${came} cents came`],
    ["not paid", came >= amount && !isPaid && !isOver && !isOther, "the money came"],
    [
      "attempts",
      new Set(references).size < references.length,
      "two of its attempts have one payment",
    ],
    [
      "a payment of no attempt",
      ledger.some(({ reference }) => !references.includes(reference)),
      `the ledger has ${ledger.length} payments`,
    ],
    [
      "a payment that is not there",
      references.some((reference) => !ledger.some((one) => one.reference === reference)),
      "an attempt has a payment that the ledger does not have",
    ],
    ["received", centsIn(order.received) !== came - paidBack(order), `${came} cents came`],
    [
      "due",
      planned?.decisions === undefined && status === "open" && centsIn(order.due) !== amount - came,
      `${came} cents came`,
    ],
    [
      "reviews",
      // What people decide changes what is paid and over.
      planned?.decisions === undefined &&
        (hasReview("overpaid") !== (isPaid && came > amount) ||
          hasReview("refund_due") !== ((isOver && came > 0) || effect === "refused")),
      `${came} cents came`,
    ],
  ];
  return rules.filter(([, isWrong]) => isWrong);
}

function checkOrders(history: OrderHistory, end: End): Breach[] {
  const { planned, orders, ledger, goods, strays } = end;
  const plan = new Map(planned.map((one) => [one.id, one]));
  const byHand = new Map(history.all("by_hand").map((one) => [one.reference, one.order]));
  return orders.flatMap((order) => {
    const { id, accountReference } = order;
    const asked = ledger.filter(
      (one) => one.account_reference === accountReference && !byHand.has(one.reference),
    );
    // A label that was typed otherwise may have come too late: a person is told.
    const sent = ledger.filter(
      ({ reference }) => byHand.get(reference) === id && !strays.includes(reference),
    );
    const completed = [...asked, ...sent].filter((one) => one.status === "completed");
    const decided = history.all("decided").filter((one) => one.order === id);
    const one: Case = {
      ...{ order, planned: plan.get(id), goods: times(goods, id) },
      ...{ ledger: asked, came: sumOf(completed.map(centsOf(end))) },
      reviews: [...order.reviews, ...decided].map(({ kind }) => kind),
      interrupted: interruptedTries(history, id),
    };
    return wrongWith(one).map(([kind, , what]) => ({
      ...{ kind, order: order.id },
      what: `${what}. ${JSON.stringify(order)}`,
    }));
  });
}

/** An order of a cart that was rolled back, and not made otherwise. */
const neverMade = ({ cart, incident }: PlannedOrder) =>
  cart === "rolled_back" || (incident?.at === "created" && incident.act === "kill");

function checkCarts(history: OrderHistory, { planned, orders, carts, goods }: End): Breach[] {
  const there = new Set(orders.map(({ id }) => id));
  const answered = new Set(history.all("answered").map(({ order }) => order));
  const breaches: Breach[] = [];
  const breach = (kind: string, order: string, what: string) =>
    breaches.push({ kind, order, what });
  for (const { id, cart, ...one } of planned) {
    const isMissing = neverMade({ id, cart, ...one });
    if (isMissing && there.has(id)) breach("cart", id, "it was rolled back, and is there");
    if (!isMissing && answered.has(id) && !there.has(id)) breach("lost", id, "it is not there");
    const rows = times(carts, id);
    if (rows > 0 && !there.has(id)) breach("cart", id, "its cart is there without it");
    if (cart === "kept" && answered.has(id) && rows !== 1)
      breach("cart", id, `its cart is there ${rows} times`);
  }
  for (const id of goods) if (!there.has(id)) breach("goods", id, "the order does not exist");
  return breaches;
}

function checkPrompts(history: OrderHistory, { ledger }: End): Breach[] {
  const late = history
    .all("sending")
    .filter(({ sinceMs }) => sinceMs > MAX_SEND_MS)
    .map(({ order, sinceMs }) => ({
      kind: "sent late",
      order,
      what: `${sinceMs} ms after its click`,
    }));
  const busy = ledger
    .filter(({ checkout_request_id }) => checkout_request_id === undefined)
    .map(({ account_reference: order, reference }) => ({
      ...{ kind: "two prompts on one phone", order },
      what: `${reference} came while another prompt was open`,
    }));
  return [...late, ...busy];
}

/** Whether a person may have decided that money which came too late pays its order. */
const isAccepted = (history: OrderHistory, id: string) =>
  history
    .all("decided")
    .some(
      ({ order, kind, calls }) =>
        order === id &&
        kind === "refund_due" &&
        calls.some(
          ({ decision, outcome }) => decision === "accept" && outcome !== "review_decided",
        ),
    );

const checkCanceled = (history: OrderHistory, { orders }: End): Breach[] => {
  const canceled = new Set(history.all("canceled").map(({ order }) => order));
  return orders
    .filter(({ id, status }) => canceled.has(id) && status !== "canceled")
    .filter(({ id, status }) => status !== "paid" || !isAccepted(history, id))
    .map(({ id: order, status }) => ({
      ...{ kind: "paid wrongly", order },
      what: `it was canceled, and is ${status}`,
    }));
};

const checkFile = (history: OrderHistory): Breach[] =>
  history
    .all("asked_without_file")
    .filter(({ isAcknowledged }) => isAcknowledged)
    .map(({ kind, order }) => ({
      ...{ kind: "acknowledged without its file", order },
      what: `a process has acknowledged the ${kind} ${order} while its SQLite file was away`,
    }));

const checkDeaths = (history: OrderHistory): Breach[] =>
  history.all("died").map(({ who, error: what }) => ({ kind: "died", order: who, what }));

/** Compares what the shop has with the service's own ledger and with the table of goods. */
export const checkEnd = (history: OrderHistory, end: End): Breach[] => [
  ...checkOrders(history, end),
  ...checkCarts(history, end),
  ...checkPrompts(history, end),
  ...checkCanceled(history, end),
  ...checkDecisions(history, end),
  ...checkMoney(history, end),
  ...checkFile(history),
  ...checkDeaths(history),
];
