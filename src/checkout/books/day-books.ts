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
import { type OrderState, statusOf } from "../order.ts";
import { type LabelledReport, reportOf } from "../reports.ts";
import {
  type Compared,
  type CurrencySum,
  compareCompleted,
  comparePaid,
  countByAge,
  type Difference,
  difference,
  type ListedPayment,
  type OpenByAge,
  refundsDue,
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
  /** Whether everything could be read. If not, the report is no all-clear, whatever else it says. */
  readonly isComplete: boolean;
  /** Why it is not complete. */
  readonly problem?: string;
  /** What agrees, by currency. */
  readonly agrees: readonly CurrencySum[];
  /** Everything that differs. A review is open for each. */
  readonly differences: readonly Difference[];
  /** Orders that are not paid and not over. */
  readonly open: OpenByAge;
  /** All of it in one line, for an owner. */
  readonly summary: string;
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

/** @throws {ConfigurationError} */
function timeOfOption(name: string, value: Date | string): number {
  const isTime = value instanceof Date || typeof value === "string";
  const time = isTime ? new Date(value).getTime() : Number.NaN;
  if (Number.isNaN(time)) throw wrongOption(name, "a Date, or a time in ISO 8601", value);
  return time;
}

function listed(payment: Payment): ListedPayment {
  const reference = idText(payment.reference) ?? "";
  const { report, label } = reportOf(payment, reference);
  const phone = idText(payment.phone);
  return {
    reference,
    status: report.status,
    amount: report.amount,
    currency: report.currency,
    label,
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
          const key = idText(payment.reference) ?? `#${payments.size}`;
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
    const problem = `the list of payments could not be read whole (${describeError(error)}).`;
    return { payments, problem };
  }
  const isWhole = history.reachesBackTo <= from;
  const problem = isWhole
    ? undefined
    : "the service does not show that its list of payments was read whole.";
  return { payments, problem };
}

/** The orders that a day may be about, and how old those are that are still open. */
async function readOrders({ store }: BooksSource, from: number, onRead: (orders: number) => void) {
  const changed: OrderState[] = [];
  const open: number[] = [];
  let read = 0;
  for (let after: { at: number; id: string } | undefined; ; ) {
    const page = await store.list({ status: undefined, review: false, limit: PAGE, after });
    for (const order of page.slice(0, PAGE)) {
      read++;
      if (order.updatedAt >= from - EDGE_MS) changed.push(order);
      if (["open", "pending"].includes(statusOf(order))) open.push(order.createdAt);
    }
    onRead(read);
    const last = page.length > PAGE ? page[PAGE - 1] : undefined;
    if (last === undefined) return { changed, open };
    after = { at: last.createdAt, id: last.id };
  }
}

/** When an order was paid, as far as it says. */
function paidAt({ attempts, paidBy, updatedAt }: OrderState): number {
  return attempts.find(({ reference }) => reference === paidBy)?.askedAt ?? updatedAt;
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
  const { changed, open } = await readOrders(source, from, onRead("orders"));
  const { payments, problem } = await readList(source, from, onRead("payments"));
  const books = new Books(source, from, to);
  for (const [reference, { payment, at }] of payments)
    await books.addPayment(reference, payment, at);
  for (const order of changed) await books.addOrder(order, payments);
  const { now } = await source.store.read("");
  const agrees = books.sums.list();
  const problems = [problem, ...books.problems].filter((one) => one !== undefined);
  const why = problems.length === 0 ? undefined : problems.join(" ");
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    isComplete: why === undefined,
    ...(why !== undefined && { problem: why }),
    agrees,
    differences: books.differences,
    open: countByAge(open, now),
    summary: summaryOf(agrees, books.differences, why),
  };
}

/** Collects what agrees and what does not. */
class Books {
  readonly sums = new Sums();
  readonly differences: Difference[] = [];
  readonly problems: string[] = [];
  readonly #seen = new Set<string>();
  readonly #source: BooksSource;
  readonly #isWithin: (at: number) => boolean;

  constructor(source: BooksSource, from: number, to: number) {
    this.#source = source;
    this.#isWithin = (at) => at >= from && at < to;
  }

  /** A payment that the service lists. */
  async addPayment(reference: string, payment: Payment, at: number | undefined): Promise<void> {
    const { store, prefix } = this.#source;
    const one = listed(payment);
    if (one.status !== "completed") return;
    const isOurs = one.label === undefined ? prefix === "" : labelOf(one.label).startsWith(prefix);
    const id = await store.orderOf(one.reference, isOurs ? one.label : undefined);
    const order = id === undefined ? undefined : (await store.read(id)).stored?.order;
    // Without a time, it is of the day of its order; without an order, of every day.
    const when = at ?? (order && paidAt(order));
    if ((when !== undefined && !this.#isWithin(when)) || (order === undefined && !isOurs)) return;
    this.#seen.add(reference);
    const compared = compareCompleted(one, order);
    if (compared.agrees) {
      this.sums.add(one.currency ?? order?.currency ?? "", one.amount ?? order?.amount ?? "0.00");
    } else {
      await this.#differ(compared);
      await this.#source.note(reportOf(payment, one.reference));
    }
  }

  /** An order that was changed on the day, or after it. */
  async addOrder(
    order: OrderState,
    payments: ReadonlyMap<string, { readonly payment: Payment }>,
  ): Promise<void> {
    for (const reference of refundsDue(order)) {
      const review = order.reviews.find(({ references }) => references.at(-1) === reference);
      if (this.#seen.has(reference) || !this.#isWithin(review?.at ?? 0)) continue;
      this.#seen.add(reference);
      const money = order.money.find((one) => one.reference === reference);
      const { amount = order.amount, currency = order.currency } = money ?? {};
      const label = order.accountReference;
      await this.#differ(
        difference("paid_twice", { reference, amount, currency, label, phone: undefined }, order),
      );
    }
    const { paidBy: reference } = order;
    if (reference === undefined || reference.startsWith("#") || this.#seen.has(reference)) return;
    if (!this.#isWithin(paidAt(order))) return;
    this.#seen.add(reference);
    const found = payments.get(reference)?.payment ?? (await this.#read(reference));
    if (found === "unreadable") return;
    const compared = comparePaid(order, reference, found && { ...listed(found), reference });
    if (compared.agrees) return this.sums.add(order.currency, order.amount);
    await this.#differ(compared);
    const report = { ...reportOf({}, reference).report, status: "contradiction" };
    await this.#source.change(order.id, { kind: "reported", report });
  }

  /** A payment that is not in the list may be at the service nevertheless. */
  async #read(reference: string): Promise<Payment | undefined | "unreadable"> {
    try {
      return await this.#source.gateway.payments.get(reference);
    } catch (error) {
      if (isGatewayError(error) && error.code === "not_found") return undefined;
      this.problems.push(`the payment ${reference} could not be read (${describeError(error)}).`);
      return "unreadable";
    }
  }

  async #differ(compared: Compared): Promise<void> {
    if (!compared.agrees) this.differences.push(compared.difference);
  }
}
