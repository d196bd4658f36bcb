import { timeOf } from "../../client/unknown-outcomes/payment-pages.ts";
import type { Payment } from "../../contract/payment.ts";
import { isGatewayError } from "../../errors/any.ts";
import { checkOptions, type OptionRows, wrongOption } from "../../internal/check-options.ts";
import { labelOf } from "../orders/checkout-store.ts";
import { ALIAS, paymentName, updateOf } from "../orders/payment-updates.ts";
import type { OrderState } from "../rules/order-state.ts";
import type { Review } from "../rules/order-types.ts";
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
  isNotedAsPaidBack,
  type ListedPayment,
  moneyDue,
  type OpenByAge,
  Sums,
} from "./compare-books.ts";
import { summaryOf } from "./day-summary.ts";
import { paidBackSums, type WholePayment } from "./paid-back.ts";
import {
  type BookedRefund,
  type BooksSource,
  EDGE_MS,
  type GoodsDue,
  type Listing,
  listed,
  paidAt,
  readList,
  readOrders,
  readReviews,
} from "./read-books.ts";

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
  /** Those that are a part of the amount of an order, on the days on which they came. */
  readonly parts: readonly CurrencySum[];
  /** Those that paid an order with another amount, which a person has accepted. */
  readonly accepted: readonly CurrencySum[];
  /** The payments of `agrees`, `parts` and `accepted`, one by one, by their times. */
  readonly payments: readonly BookedPayment[];
  /** What was received, and what a person says to have paid back. */
  readonly refunded: readonly CurrencySum[];
  /** The payments of `refunded`, one by one. */
  readonly refunds: readonly BookedPayment[];
  /**
   * What was noted as paid back in the time, one by one: of payments of any day, and also in parts. The service has no
   * refund: these are records of what people did.
   */
  readonly paidBack: readonly BookedRefund[];
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

/** How many payments that could not be read are named. */
const MAX_NAMED = 10;

/** @throws {ConfigurationError} */
function timeOfOption(name: string, value: Date | string): number {
  const isTime = value instanceof Date || typeof value === "string";
  const time = isTime ? new Date(value).getTime() : Number.NaN;
  if (Number.isNaN(time)) throw wrongOption(name, "a Date, or a time in ISO 8601", value);
  return time;
}

function checkEnd(to: Date | string, from: Date | string): number {
  const end = timeOfOption("to", to);
  if (end > timeOfOption("from", from)) return end;
  throw wrongOption("to", "later than `from`", to);
}

const QUERY = {
  from: (from) => timeOfOption("from", from),
  to: (to, { from }) => checkEnd(to, from),
  onProgress: (callback) => callback,
} satisfies OptionRows<ReportQuery>;

/** The money of reviews or refunds. */
function sumsOf(reviews: readonly Pick<Review, "amount" | "currency">[]): readonly CurrencySum[] {
  const sums = new Sums();
  for (const { amount, currency } of reviews) {
    if (amount !== undefined && currency !== undefined) sums.add(currency, amount);
  }
  return sums.list();
}

/** Reads the payments and the orders of a time, compares them, and opens a review for each difference. */
export async function reportBooks(source: BooksSource, query: ReportQuery): Promise<BooksReport> {
  const { from, to, onProgress } = checkOptions(query, QUERY, "report");
  const progress = { payments: 0, orders: 0 };
  const onRead = (kind: keyof typeof progress) => (number: number) => {
    progress[kind] = number;
    onProgress?.({ ...progress });
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
    refunds: paidBack,
    problem,
  }: {
    readonly from: number;
    readonly to: number;
    readonly now: number;
    readonly open: readonly number[];
    readonly goodsDue: readonly GoodsDue[];
    readonly refunds: readonly BookedRefund[];
    readonly problem: string | undefined;
  },
): Promise<BooksReport> {
  const { differences, refunds } = books;
  const reviews = await readReviews(source, new Set(differences.map((one) => one.reference)));
  const problems = [problem, books.problem].filter((one) => one !== undefined);
  const why = problems.length === 0 ? undefined : problems.join(" ");
  const sums = {
    agrees: books.agrees.list(),
    parts: books.parts.list(),
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
    ...{ ...sums, payments: books.payments(), refunds, paidBack, differences },
    ...{ openReviews: reviews, goodsDue, open: countByAge(open, now) },
    summary: summaryOf({
      ...{ ...sums, differences, waiting, problem: why },
      ...{ goodsDue: goodsDue.length, refunds: paidBackSums(books.whole, paidBack) },
    }),
  };
}

/** Payments by their names: what the service lists, with the time of each. */
type Payments = Listing["payments"];

/** Collects what agrees and what does not. */
class Books {
  readonly received = new Sums();
  readonly agrees = new Sums();
  readonly parts = new Sums();
  readonly accepted = new Sums();
  readonly refunded = new Sums();
  readonly dismissed = new Sums();
  readonly differences: Difference[] = [];
  readonly refunds: BookedPayment[] = [];
  /** Those of `refunds`, and those that the service does not have. */
  readonly whole: WholePayment[] = [];
  readonly #payments: BookedPayment[] = [];
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

  /** Those that paid an order. */
  payments(): readonly BookedPayment[] {
    return this.#payments.toSorted((a, b) => (a.paidAt ?? "").localeCompare(b.paidAt ?? ""));
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
    const id = await store.orderOf({
      ...{ reference: name, alias: one.alias },
      label: isOurs ? one.label : undefined,
    });
    const order = id === undefined ? undefined : (await store.read(id)).stored?.order;
    const stray = order === undefined ? await store.strayOf(name) : undefined;
    // Without a time, it is of the day of its order; without an order, of that on which it was first seen.
    const known = order?.money.find(({ reference, alias }) => [reference, alias].includes(name));
    const dated = order === undefined ? (stray?.at ?? this.#now) : (known?.at ?? paidAt(order));
    const when = at ?? dated;
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
      await this.#source.note(updateOf(payment, name));
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
    const update = { ...updateOf({}, reference).update, status: "contradiction" };
    await this.#source.write(order.id, { kind: "reported", update });
  }

  #add(compared: Compared, payment?: ListedPayment, order?: OrderState): void {
    const { currency = order?.currency ?? "", amount = order?.amount ?? "0.00" } = payment ?? {};
    if (payment?.status === "completed") this.received.add(currency, amount);
    if (compared.is === "different") {
      this.differences.push(compared.difference);
      return;
    }
    this[compared.is].add(currency, amount);
    if (compared.is === "refunded") {
      const isNoted = order !== undefined && isNotedAsPaidBack(order, payment);
      this.whole.push({
        ...(order !== undefined && { orderId: order.id }),
        currency,
        amount,
        isNoted,
      });
    }
    if (payment === undefined || compared.is === "dismissed") return;
    const list = compared.is === "refunded" ? this.refunds : this.#payments;
    list.push(booked(payment, order));
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
