import type { DecidedLine } from "../checkout/orders/decision-lines.ts";
import type { DecidedPayment } from "../checkout/orders/manage-reviews.ts";
import { saidText } from "../checkout/rules/history.ts";
import type { Order } from "../checkout/rules/order-types.ts";
import type { CountryCode } from "../contract/countries.ts";
import { comparePositions, cursorOf } from "../internal/page-cursor.ts";
import { internationalDigits } from "../phones/phone-number.ts";
import { endText, GOODS_TEXTS, STATUS_TEXTS } from "./case-words.ts";
import { countryOf, type Entry, type KnownOfEntry, type Sources } from "./entry.ts";
import { withKnown } from "./event-entries.ts";
import { knownOfOrder, knownOfReview, withOrders } from "./money-entries.ts";
import { LISTS, MAX_ENTRIES } from "./queue-lists.ts";
import { entriesAfter } from "./queue-view.ts";
import { idMatcher } from "./story.ts";
import { amountText, phoneText } from "./wording.ts";

/** What was found, and where. */
interface Found {
  /** `order` for an order of the checkout that does not have to wait, `payment` for money of no order that was decided. */
  readonly list: string;
  readonly entry: Entry;
}

/** Where a search goes on: after which event, and after which page of orders. */
export interface SearchFrom {
  readonly events?: string | undefined;
  readonly orders?: string | undefined;
}

/** What one step of a search has found. */
export interface SearchStep {
  readonly found: readonly Found[];
  /** Where the next step begins; `undefined` if everything was searched. */
  readonly next: SearchFrom | undefined;
  /** The titles of the lists that could not be read, or only in part. */
  readonly unread: readonly string[];
}

/** How many bodies of events one step reads. */
const BODIES = 500;
/** How many orders one step compares with an amount or an id of the network. */
const ORDERS = 10_000;
const PAGE = 1_000;
/** A step ends when it has found this number of orders. */
const ENOUGH = 100;

const plain = (text: string) => text.replaceAll(/[\s,]/g, "").toLowerCase();

/** A label as people type it: without case, blanks, dashes and dots. */
const bare = (text: string) => text.replaceAll(/[\s\p{P}\p{S}]/gu, "").toLowerCase();

/** Whether an amount such as `KES 1,500.00` is the one that is searched for; `undefined` if none is. */
function amountMatcher(query: string): ((amount: string) => boolean) | undefined {
  const [, currency = "", whole, cents = ""] =
    /^([a-z]{3})?(\d+)(?:\.(\d{1,2}))?$/.exec(plain(query)) ?? [];
  if (whole === undefined) return undefined;
  const wanted = `${whole}.${cents.padEnd(2, "0")}`;
  return (amount) => {
    const own = plain(amount);
    return currency === "" ? own.replace(/^\D+/, "") === wanted : own === currency + wanted;
  };
}

/** Whether it is the amount of an order, or one that came for it. */
const hasAmount = (
  { amount = "", cameAmounts = [] }: KnownOfEntry,
  isAmount: (amount: string) => boolean,
): boolean => [amount, ...cameAmounts].some(isAmount);

/** An id of the network, such as the M-Pesa code that a customer reads out. */
const TRANSACTION_ID = /^[a-z\d]{8,20}$/i;

/** Whether money of an order is searched for: by its payer, by its amount, or by its id in the network. */
function moneyMatcher(
  query: string,
  country: CountryCode | undefined,
): ((known: KnownOfEntry) => boolean) | undefined {
  // Only the masked phone of a payer is stored.
  if (internationalDigits(query, country) !== undefined) {
    const masked = phoneText(query, country);
    return ({ payers = [] }) => payers.some((one) => one === masked);
  }
  const isAmount = amountMatcher(query);
  if (isAmount !== undefined) return (known) => hasAmount(known, isAmount);
  if (!TRANSACTION_ID.test(query)) return undefined;
  const wanted = plain(query);
  return ({ transactionIds = [] }) => transactionIds.some((one) => plain(one) === wanted);
}

/** Whether an entry says what is searched for: its order, a reference, its money or the phone. */
function matcher(
  query: string,
  orders: readonly Order[],
  country: CountryCode | undefined,
): (entry: Entry) => boolean {
  const wanted = plain(query);
  const digits = internationalDigits(query, country);
  const isMoney = moneyMatcher(query, country);
  const typed = bare(query);
  const orderIds = new Set(orders.map(({ id }) => id));
  return ({ known, orderId }) => {
    if (orderId !== undefined && orderIds.has(orderId)) return true;
    const names = [known?.order, orderId, ...(known?.references ?? [])];
    if (names.some((one) => one !== undefined && plain(one).includes(wanted))) return true;
    if (typed !== "" && known?.label !== undefined && bare(known.label) === typed) return true;
    if (digits !== undefined && known?.phoneDigits === digits) return true;
    // The service sent the phone masked: nothing else is known of it.
    const isMasked = orderId === undefined && known?.phoneDigits === undefined;
    if (digits !== undefined && isMasked && known?.phone === phoneText(query, country)) return true;
    return known !== undefined && isMoney?.(known) === true;
  };
}

/** Orders with some money, the oldest first. */
async function ordersByMoney(
  { checkout }: Sources,
  isMoney: (known: KnownOfEntry) => boolean,
  from: string | undefined,
): Promise<{ orders: Order[]; next: string | undefined }> {
  const orders: Order[] = [];
  let next = from;
  for (let searched = 0; checkout !== undefined; ) {
    const page = await checkout.list({ after: next, limit: PAGE });
    searched += page.items.length;
    next = page.next;
    orders.push(...page.items.filter((one) => isMoney(knownOfOrder(one))));
    if (next === undefined || searched >= ORDERS || orders.length >= ENOUGH) break;
  }
  return { orders, next };
}

interface Listed {
  readonly list: string;
  readonly entry: Entry;
}

/** Everything that waits, without the bodies of events. */
async function waiting(sources: Sources): Promise<{ all: Listed[]; unread: string[] }> {
  const unread: string[] = [];
  const lists = Object.entries(LISTS).map(async ([list, { read, title }]) => {
    const page = await read(sources, MAX_ENTRIES).catch(() => undefined);
    if (page === undefined || page.hasMore) unread.push(title);
    return (page?.entries ?? []).map((entry) => ({ list, entry }));
  });
  return { all: (await Promise.all(lists)).flat(), unread };
}

/** What was listed, with what its orders and bodies say, as far as the limit of bytes goes. */
async function read(sources: Sources, listed: readonly Listed[]): Promise<Found[]> {
  const bare = listed.map(({ entry }) => entry);
  const { entries } = await withKnown(sources, await withOrders(sources, bare));
  return entries.map((entry, at) => ({ list: listed[at]?.list ?? "", entry }));
}

const isEvent = ({ entry: { readBody } }: Listed): boolean => readBody !== undefined;

const orderFound = (order: Order): Found => ({
  list: "order",
  entry: {
    id: order.id,
    at: Date.parse(order.createdAt),
    cause: `${STATUS_TEXTS[order.status]}, received ${amountText(order.received, order.currency)}, ${GOODS_TEXTS[order.effect]}.`,
    orderId: order.id,
    known: knownOfOrder(order),
    choices: [],
  },
});

/** The payment of no order that a line of the log of decisions is about. */
function strayIn({ orderId, payment }: Partial<DecidedLine>): string[] {
  return orderId === undefined && typeof payment === "string" ? [payment] : [];
}

/** How many payments are read at once. */
const READ_AT_ONCE = 16;

/**
 * Payments of no order about which a person has decided: nobody must pay one back twice. The log of decisions names
 * them, and each is read by its reference, which a query may be.
 */
async function decidedPayments(
  { checkout }: Sources,
  query: string,
  matches: (entry: Entry) => boolean,
): Promise<Found[]> {
  if (checkout === undefined) return [];
  const lines = (await checkout.decisions.read()) as readonly Partial<DecidedLine>[];
  const names = [...new Set([query, ...lines.flatMap(strayIn)])];
  const found: Found[] = [];
  for (let at = 0; at < names.length; at += READ_AT_ONCE) {
    const some = names.slice(at, at + READ_AT_ONCE).map((one) => checkout.reviews.decided(one));
    for (const one of await Promise.all(some)) {
      const entry = one && decidedEntry(one);
      if (entry !== undefined && matches(entry)) found.push({ list: "payment", entry });
    }
  }
  return found;
}

function decidedEntry({ review, end, note }: DecidedPayment): Entry {
  const known = knownOfReview(review);
  const [reference = ""] = review.references;
  const label = known.order === undefined ? "" : ` The customer typed the label ${known.order}.`;
  return {
    id: reference,
    at: end.decidedAt?.getTime() ?? Date.parse(review.createdAt),
    cause: `${endText(end)}.${saidText(note)}${label}`,
    known,
    choices: [],
  };
}

/** Searches the events that come after one, as many as one step may read. */
async function searchEvents(
  sources: Sources,
  events: readonly Listed[],
  matches: (entry: Entry) => boolean,
): Promise<{ found: Found[]; next: string | undefined }> {
  const some = await read(sources, events.slice(0, BODIES));
  const firstUnread = some.findIndex(({ entry }) => entry.known === undefined);
  const searched = firstUnread === -1 ? some : some.slice(0, firstUnread);
  const last = searched.at(-1);
  const next = last && searched.length < events.length ? cursorOf(last.entry) : undefined;
  return { found: searched.filter(({ entry }) => matches(entry)), next };
}

/**
 * One step of a search in what waits, and in the orders. An event of which the reference is known is found
 * among all of them, without its body. Otherwise the bodies are read, the oldest first: a limited number in one step.
 */
export async function search(
  sources: Sources,
  query: string,
  from: SearchFrom = {},
): Promise<SearchStep> {
  const isFirst = from.events === undefined && from.orders === undefined;
  const named = (await sources.checkout?.find(query)) ?? [];
  const isMoney = moneyMatcher(query, countryOf(sources));
  const byMoney =
    isMoney !== undefined && (isFirst || from.orders !== undefined)
      ? await ordersByMoney(sources, isMoney, from.orders)
      : { orders: [], next: undefined };
  const matches = matcher(query, named, countryOf(sources));
  const { all, unread } = await waiting(sources);
  const references = named.flatMap((one) => knownOfOrder(one).references);
  const isTheirs = idMatcher([query, ...references]);
  const events = all.filter(isEvent).sort((a, b) => comparePositions(a.entry, b.entry));
  const byId = events.filter(({ list, entry }) => isTheirs(list, entry.id));
  const others = events.filter((one) => !byId.includes(one));
  const rest = others.filter(({ entry }) => entriesAfter([entry], from.events).length > 0);
  const isDone = !isFirst && from.events === undefined;
  const inEvents = await searchEvents(sources, isDone ? [] : rest, matches);
  const first = isFirst
    ? [
        ...(
          await read(
            sources,
            all.filter((one) => !isEvent(one)),
          )
        ).filter(({ entry }) => matches(entry)),
        ...(await read(sources, byId.slice(0, ENOUGH))),
        ...(await decidedPayments(sources, query, matches)),
      ]
    : [];
  const orders = new Map(
    [...(isFirst ? named : []), ...byMoney.orders].map((one) => [one.id, one]),
  );
  const next = { events: inEvents.next, orders: byMoney.next };
  return {
    found: [...first, ...inEvents.found, ...[...orders.values()].map(orderFound)],
    next: next.events === undefined && next.orders === undefined ? undefined : next,
    unread,
  };
}
