import type { Order } from "malipo/checkout";
import type { History } from "./history.ts";
import type { PlannedOrder } from "./plan.ts";

/** A payment in the service's own ledger. */
export interface LedgerPayment {
  readonly account_reference: string;
  readonly reference: string;
  readonly status: string;
  readonly cents: number;
  /** That of the prompt on the phone: a phone with an open prompt shows no second one. */
  readonly checkout_request_id?: string;
  /** The customer did not answer. */
  readonly ignored?: boolean;
}

/** What is there when everything has ended. */
export interface End {
  readonly planned: readonly PlannedOrder[];
  readonly orders: readonly Order[];
  readonly ledger: readonly LedgerPayment[];
  readonly goods: readonly string[];
  readonly carts: readonly string[];
}

/** A promise that did not hold. */
export interface Breach {
  readonly kind: string;
  readonly order: string;
  readonly what: string;
}

/** Whether nothing is under way. */
export const isEnded = ({ status, effect, attempts }: Order): boolean =>
  (status === "paid" ? effect === "done" : status !== "pending") &&
  attempts.every((one) => !["starting", "pending", "unknown"].includes(one.status));

/** How long after its click a request for a prompt may leave, with what a busy machine adds. */
const MAX_SEND_MS = 5_000 + 1_500;

const times = (list: readonly string[], id: string) => list.filter((one) => one === id).length;

/** The rules of an order that has ended, each with what is wrong. */
function wrongWith(order: Order, ledger: readonly LedgerPayment[], goods: number) {
  const { status, attempts, reviews } = order;
  const completed = ledger.filter((one) => one.status === "completed");
  const hasReview = (kind: string) => reviews.some((one) => one.kind === kind);
  const references = attempts.flatMap(({ reference }) => reference ?? []);
  const isPaid = status === "paid";
  const isOver = status === "canceled" || status === "expired";
  const received = completed.reduce((sum, { cents }) => sum + cents, 0);
  const rules: readonly (readonly [kind: string, isWrong: boolean, what: string])[] = [
    ["never ended", !isEnded(order), "something is still under way"],
    ["goods", goods !== (isPaid ? 1 : 0), `its goods were given ${goods} times`],
    ["paid wrongly", isPaid && completed.length === 0, "it is paid, without money"],
    ["not paid", completed.length > 0 && !isPaid && !isOver, "the money came"],
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
    ["received", Number(order.received) * 100 !== received, `${received} cents were paid`],
    [
      "reviews",
      hasReview("overpaid") !== (isPaid && completed.length > 1) ||
        hasReview("late_payment") !== (isOver && completed.length > 0),
      `${completed.length} payments were completed`,
    ],
  ];
  return rules.filter(([, isWrong]) => isWrong);
}

function checkOrders({ orders, ledger, goods }: End): Breach[] {
  return orders.flatMap((order) => {
    const own = ledger.filter((one) => one.account_reference === order.accountReference);
    return wrongWith(order, own, times(goods, order.id)).map(([kind, , what]) => ({
      ...{ kind, order: order.id },
      what: `${what}. ${JSON.stringify(order)}`,
    }));
  });
}

/** An order of a cart that was rolled back, and not made otherwise. */
const neverMade = ({ cart, incident }: PlannedOrder) =>
  cart === "rolled_back" || (incident?.at === "created" && incident.act === "kill");

function checkCarts({ answered }: History, { planned, orders, carts, goods }: End): Breach[] {
  const there = new Set(orders.map(({ id }) => id));
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
  for (const id of goods) if (!there.has(id)) breach("goods", id, "there is no such order");
  return breaches;
}

function checkPrompts({ reports }: History, { ledger }: End): Breach[] {
  const late = reports.flatMap(({ report }) =>
    report.what === "sending" && report.sinceMs > MAX_SEND_MS
      ? [{ kind: "sent late", order: report.order, what: `${report.sinceMs} ms after its click` }]
      : [],
  );
  const busy = ledger
    .filter(({ checkout_request_id }) => checkout_request_id === undefined)
    .map(({ account_reference: order, reference }) => ({
      ...{ kind: "two prompts on one phone", order },
      what: `${reference} came while another prompt was open`,
    }));
  return [...late, ...busy];
}

const checkCanceled = ({ canceled }: History, { orders }: End): Breach[] =>
  orders
    .filter(({ id, status }) => canceled.includes(id) && status !== "canceled")
    .map(({ id: order, status }) => ({
      ...{ kind: "paid wrongly", order },
      what: `it was canceled, and is ${status}`,
    }));

/** Compares what the shop has with the service's own ledger and with the table of goods. */
export const checkEnd = (history: History, end: End): Breach[] => [
  ...checkOrders(end),
  ...checkCarts(history, end),
  ...checkPrompts(history, end),
  ...checkCanceled(history, end),
];
