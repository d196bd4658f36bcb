import type { Gateway } from "../../client/gateway.ts";
import {
  type PaymentHistory,
  readPayments,
  timeOf,
} from "../../client/unknown-outcomes/payment-pages.ts";
import type { Payment } from "../../contract/payment.ts";
import { maskedPhone } from "../../contract/phone-number.ts";
import { isGatewayError } from "../../errors/any.ts";
import { ownOptions, wrongOption } from "../../internal/check-options.ts";
import { describeError } from "../../internal/describe-error.ts";
import { idText } from "../../internal/json.ts";
import { sleep } from "../../internal/timeout.ts";
import { type CheckoutStore, labelOf } from "../checkout-store.ts";
import type { Input } from "../inputs.ts";
import { type OrderState, openReviews, statusOf } from "../order.ts";
import type { Review } from "../order-types.ts";
import { ALIAS, type LabelledReport, paymentName, reportOf } from "../reports.ts";
import { reviewView, unmatchedView } from "../view.ts";
import {
  type BookedPayment,
  booked,
  type Compared,
  type CurrencySum,
  compareCompleted,
  comparePaid,
  countByAge,
  type Difference,
  difference,
  type ListedPayment,
  moneyDue,
  type OpenByAge,
  Sums,
  summaryOf,
} from "./compare-books.ts";

/** The time of a report. */
export interface ReportQuery {
  /** A `Date`, or ISO 8601 with its offset: `"2026-11-23T00:00:00+03:00"`. */
  from: Date | string;
  /** The first moment that is not in it. */
  to: Date | string;
  /** Called as payments and orders are read. */
  onProgress?: ((read: { readonly payments: number; readonly orders: number }) => void) | undefined;
}

/** The books of a time: what the service received against what the orders say. */
export interface BooksReport {
  /** ISO 8601. */
  readonly from: string;
  /** ISO 8601. */
  readonly to: string;
  /** Whether everything could be read. If not, the report is not an all-clear, whatever else it says. */
  readonly isComplete: boolean;
  /** Why it is not complete. */
  readonly problem?: string;
  /** All completed payments of the time that the service has for this shop, by currency. */
  readonly received: readonly CurrencySum[];
  /** Those that paid an order, with its amount. */
  readonly agrees: readonly CurrencySum[];
  /** Those that paid an order with another amount, which a person has accepted. */
  readonly accepted: readonly CurrencySum[];
  /** What was received, and what a person says to have paid back. */
  readonly refunded: readonly CurrencySum[];
  /** The payments of `refunded`, one by one. */
  readonly refunds: readonly BookedPayment[];
  /** What a person has dismissed: it belongs to no order that is paid by it. */
  readonly dismissed: readonly CurrencySum[];
  /** Everything that differs. A review is open for each. */
  readonly differences: readonly Difference[];
  /** The other reviews that are open, such as refunds that are due since earlier days. */
  readonly openReviews: readonly Review[];
  /** Orders that were paid before `to`, and for which `onPaid` has not committed a minute later. */
  readonly goodsDue: readonly GoodsDue[];
  /** Orders that were made before `to`, and are now neither paid nor over; by their age. */
  readonly open: OpenByAge;
  /** All of it in one line, for an owner. */
  readonly summary: string;
}

/** A paid order whose goods were not given. */
export interface GoodsDue {
  readonly orderId: string;
  readonly amount: string;
  readonly currency: string;
  /** ISO 8601. */
  readonly paidAt: string;
  /** How often `onPaid` was called for it. */
  readonly tries: number;
}

/** What a report reads, and how it brings what it finds into the orders. */
export interface BooksSource {
  readonly store: CheckoutStore;
  readonly gateway: Pick<Gateway, "payments">;
  readonly prefix: string;
  note(report: LabelledReport): Promise<unknown>;
  change(id: string, input: Input): Promise<unknown>;
}

const PAGE = 1_000;
/** Waits before a page that could not be read is read again. */
const RETRY_MS = [1_000, 4_000, 15_000];
/** An order may be asked for just before midnight, and its payment be made after it. */
const EDGE_MS = 3_600_000;
/** An order that was paid a moment ago has its goods in the next moment. */
const GOODS_LATE_MS = 60_000;
/** How many payments that could not be read are named. */
const MAX_NAMED = 10;

/** @throws {ConfigurationError} */
function timeOfOption(name: string, value: Date | string): number {
  const isTime = value instanceof Date || typeof value === "string";
  const time = isTime ? new Date(value).getTime() : Number.NaN;
  if (Number.isNaN(time)) throw wrongOption(name, "a Date, or a time in ISO 8601", value);
  return time;
}

function listed(payment: Payment): ListedPayment {
  const reference = paymentName(payment) ?? "";
  const { report, label } = reportOf(payment, reference);
  const phone = idText(payment.phone);
  return {
    reference,
    alias: report.alias,
    status: report.status,
    amount: report.amount,
    currency: report.currency,
    label,
    transactionId: report.transactionId,
    phone: phone === undefined ? undefined : maskedPhone(phone.replace(/\D/g, "")),
  };
}

/** What was read of the service's list, and why not more. */
interface Listing {
  readonly payments: ReadonlyMap<
    string,
    { readonly payment: Payment; readonly at: number | undefined }
  >;
  readonly problem: string | undefined;
}

async function readList(
  { gateway }: BooksSource,
  from: number,
  onRead: (payments: number) => void,
): Promise<Listing> {
  const payments = new Map<string, { payment: Payment; at: number | undefined }>();
  const readPage = async (query: Parameters<Gateway["payments"]["list"]>[0]) => {
    for (const [attempt, waitMs] of [...RETRY_MS, undefined].entries()) {
      try {
        const page = await gateway.payments.list(query).withResponse();
        for (const payment of page.data.items) {
          const key = paymentName(payment) ?? `#${payments.size}`;
          payments.set(key, { payment, at: timeOf(payment) });
        }
        onRead(payments.size);
        return page;
      } catch (error) {
        const isFinal = isGatewayError(error) && error.outcome === "not_sent";
        if (waitMs === undefined || isFinal || attempt === RETRY_MS.length) throw error;
        await sleep(waitMs);
      }
    }
    throw new Error("unreachable");
  };
  let history: PaymentHistory;
  try {
    history = await readPayments(readPage, from);
  } catch (error) {
    const problem = `The list of payments could not be read whole (${describeError(error)}).`;
    return { payments, problem };
  }
  const isWhole = history.reachesBackTo <= from;
  const problem = isWhole
    ? undefined
    : "The service does not show that its list of payments was read whole.";
  return { payments, problem };
}

/** The orders that a day may be about, and how old those are that are still open. */
async function readOrders(
  { store }: BooksSource,
  { from, to }: { readonly from: number; readonly to: number },
  onRead: (orders: number) => void,
) {
  const changed: OrderState[] = [];
  const open: number[] = [];
  const goodsDue: GoodsDue[] = [];
  const { now } = await store.read("");
  const paidBefore = Math.min(to, now - GOODS_LATE_MS);
  let read = 0;
  for (let after: { at: number; id: string } | undefined; ; ) {
    const page = await store.list({ status: undefined, review: false, limit: PAGE, after });
    for (const order of page.slice(0, PAGE)) {
      read++;
      if (order.updatedAt >= from - EDGE_MS) changed.push(order);
      const isOpen = ["open", "pending"].includes(statusOf(order));
      if (isOpen && order.createdAt < to) open.push(order.createdAt);
      if (order.effect?.state === "due" && paidAt(order) < paidBefore) goodsDue.push(due(order));
    }
    onRead(read);
    const last = page.length > PAGE ? page[PAGE - 1] : undefined;
    if (last === undefined) return { changed, open, goodsDue, now };
    after = { at: last.createdAt, id: last.id };
  }
}

/** When an order was paid, as far as it says. */
function paidAt({ attempts, paidBy, paidAt: at, updatedAt }: OrderState): number {
  return at ?? attempts.find(({ reference }) => reference === paidBy)?.askedAt ?? updatedAt;
}

const due = (order: OrderState): GoodsDue => ({
  orderId: order.id,
  amount: order.amount,
  currency: order.currency,
  paidAt: new Date(paidAt(order)).toISOString(),
  tries: order.effect?.tries ?? 0,
});

/** All open reviews, apart from those of payments that the report names. */
async function readReviews({ store }: BooksSource, named: ReadonlySet<string>) {
  const found: Review[] = [];
  for (let after: { at: number; id: string } | undefined; ; ) {
    const page = await store.list({ status: undefined, review: true, limit: PAGE, after });
    for (const order of page.slice(0, PAGE)) {
      for (const review of openReviews(order)) found.push(reviewView(review, order));
    }
    const last = page.length > PAGE ? page[PAGE - 1] : undefined;
    if (last === undefined) break;
    after = { at: last.createdAt, id: last.id };
  }
  for (const { report, at } of await store.unmatched(PAGE)) found.push(unmatchedView(report, at));
  return found.filter(({ references }) => !named.has(references.at(-1) ?? ""));
}

/** The money of reviews. */
function sumsOf(reviews: readonly Review[]): readonly CurrencySum[] {
  const sums = new Sums();
  for (const { amount, currency } of reviews) {
    if (amount !== undefined && currency !== undefined) sums.add(currency, amount);
  }
  return sums.list();
}

/** Reads the payments and the orders of a time, compares them, and opens a review for each difference. */
export async function reportBooks(source: BooksSource, query: ReportQuery): Promise<BooksReport> {
  const own = ownOptions(query, ["from", "to", "onProgress"], "report");
  const [from, to] = [timeOfOption("from", own.from), timeOfOption("to", own.to)];
  if (from >= to) throw wrongOption("to", "later than `from`", own.to);
  const progress = { payments: 0, orders: 0 };
  const onRead = (kind: keyof typeof progress) => (number: number) => {
    progress[kind] = number;
    own.onProgress?.({ ...progress });
  };
  // Orders first: a payment that comes meanwhile is then in the list, and its order is read again.
  const { changed, ...read } = await readOrders(source, { from, to }, onRead("orders"));
  const { payments, problem } = await readList(source, from, onRead("payments"));
  const books = new Books(source, { from, to, now: read.now });
  for (const [reference, { payment, at }] of payments)
    await books.addPayment(reference, payment, at);
  for (const order of changed) await books.addOrder(order, payments);
  return report(source, books, { from, to, ...read, problem });
}

/** The report of books that are whole. */
async function report(
  source: BooksSource,
  books: Books,
  {
    from,
    to,
    now,
    open,
    goodsDue,
    problem,
  }: {
    readonly from: number;
    readonly to: number;
    readonly now: number;
    readonly open: readonly number[];
    readonly goodsDue: readonly GoodsDue[];
    readonly problem: string | undefined;
  },
): Promise<BooksReport> {
  const { differences, refunds } = books;
  const reviews = await readReviews(source, new Set(differences.map((one) => one.reference)));
  const problems = [problem, books.problem].filter((one) => one !== undefined);
  const why = problems.length === 0 ? undefined : problems.join(" ");
  const sums = {
    agrees: books.agrees.list(),
    accepted: books.accepted.list(),
    refunded: books.refunded.list(),
    dismissed: books.dismissed.list(),
  };
  const waiting = { count: reviews.length, sums: sumsOf(reviews) };
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    isComplete: why === undefined,
    ...(why !== undefined && { problem: why }),
    received: books.received.list(),
    ...{ ...sums, refunds, differences },
    ...{ openReviews: reviews, goodsDue, open: countByAge(open, now) },
    summary: summaryOf({
      ...{ ...sums, differences, waiting, problem: why },
      goodsDue: goodsDue.length,
    }),
  };
}

/** Payments by their names: what the service lists, with the time of each. */
type Payments = Listing["payments"];

/** Collects what agrees and what does not. */
class Books {
  readonly received = new Sums();
  readonly agrees = new Sums();
  readonly accepted = new Sums();
  readonly refunded = new Sums();
  readonly dismissed = new Sums();
  readonly differences: Difference[] = [];
  readonly refunds: BookedPayment[] = [];
  /** Payments of paid orders that could not be read. */
  readonly #unread: string[] = [];
  readonly #seen = new Set<string>();
  readonly #source: BooksSource;
  readonly #from: number;
  readonly #to: number;
  /** By the store's clock. */
  readonly #now: number;

  constructor(
    source: BooksSource,
    { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
  ) {
    this.#source = source;
    this.#from = from;
    this.#to = to;
    this.#now = now;
  }

  /** Why not every payment was compared. */
  get problem(): string | undefined {
    const { length } = this.#unread;
    if (length === 0) return undefined;
    const named = this.#unread.slice(0, MAX_NAMED).join(", ");
    const isOne = length === 1;
    return `${length} ${isOne ? "payment" : "payments"} of paid orders could not be read, and ${isOne ? "was" : "were"} not checked: ${named}${length > MAX_NAMED ? ", ..." : ""}.`;
  }

  #isWithin(at: number, edgeMs = 0): boolean {
    return at >= this.#from - edgeMs && at < this.#to + edgeMs;
  }

  /** A payment that the service lists. */
  async addPayment(name: string, payment: Payment, at: number | undefined): Promise<void> {
    const { store, prefix } = this.#source;
    const one = { ...listed(payment), reference: name };
    if (one.status !== "completed") return;
    const isOurs = one.label === undefined ? prefix === "" : labelOf(one.label).startsWith(prefix);
    const id = await store.orderOf(name, isOurs ? one.label : undefined);
    const order = id === undefined ? undefined : (await store.read(id)).stored?.order;
    const stray = order === undefined ? await store.strayOf(name) : undefined;
    // Without a time, it is of the day of its order; without an order, of that on which it was first seen.
    const when = at ?? (order === undefined ? (stray?.at ?? this.#now) : paidAt(order));
    const isAway = !this.#isWithin(when);
    if (isAway || order !== undefined) {
      for (const known of [name, one.alias ?? name]) this.#seen.add(known);
    }
    const isNew = at === undefined && order === undefined && stray === undefined;
    if ((isAway && !isNew) || (order === undefined && !isOurs)) return;
    const compared = compareCompleted(one, order, stray?.decision);
    if (!isAway) {
      this.#seen.add(name);
      this.#add(compared, one, order);
    }
    // A payment without any name could not be recognised when it is reported again.
    if (compared.is === "different" && paymentName(payment) !== undefined) {
      await this.#source.note(reportOf(payment, name));
    }
  }

  /** An order that was changed on the day, or after it. */
  async addOrder(order: OrderState, payments: Payments): Promise<void> {
    for (const { review, kind } of moneyDue(order)) {
      const reference = review.references.at(-1) ?? "";
      if (this.#seen.has(reference) || !this.#isWithin(review.at)) continue;
      this.#seen.add(reference);
      const money = order.money.find((one) => one.reference === reference);
      const { amount = order.amount, currency = order.currency } = money ?? {};
      const label = order.accountReference;
      this.#add(difference(kind, { reference, amount, currency, label, phone: undefined }, order));
    }
    const { paidBy: reference } = order;
    if (reference === undefined || reference.startsWith("#") || this.#seen.has(reference)) return;
    // Its payment may have been made before or after midnight.
    if (!this.#isWithin(paidAt(order), EDGE_MS)) return;
    const payment = payments.get(reference)?.payment ?? (await this.#read(reference));
    if (payment === "unreadable") return;
    const at = (payment && timeOf(payment)) ?? paidAt(order);
    if (!this.#isWithin(at)) return;
    this.#seen.add(reference);
    const found = payment && { ...listed(payment), reference };
    const compared = comparePaid(order, reference, found);
    this.#add(compared, found, order);
    if (compared.is !== "different") return;
    const report = { ...reportOf({}, reference).report, status: "contradiction" };
    await this.#source.change(order.id, { kind: "reported", report });
  }

  #add(compared: Compared, payment?: ListedPayment, order?: OrderState): void {
    const { currency = order?.currency ?? "", amount = order?.amount ?? "0.00" } = payment ?? {};
    if (payment?.status === "completed") this.received.add(currency, amount);
    if (compared.is === "different") {
      this.differences.push(compared.difference);
      return;
    }
    this[compared.is].add(currency, amount);
    if (compared.is === "refunded" && payment !== undefined) {
      this.refunds.push(booked(payment, order));
    }
  }

  /** A payment that is not in the list may be at the service nevertheless. */
  async #read(reference: string): Promise<Payment | undefined | "unreadable"> {
    // It has no reference by which it can be read.
    if (reference.startsWith(ALIAS)) return undefined;
    try {
      return await this.#source.gateway.payments.get(reference);
    } catch (error) {
      if (isGatewayError(error) && error.code === "not_found") return undefined;
      this.#unread.push(reference);
      return "unreadable";
    }
  }
}
