// What the books of a day are made of: the list of the service, the orders and the reviews.

import type { Gateway } from "../../client/gateway.ts";
import {
  type PaymentHistory,
  readPayments,
  timeOf,
} from "../../client/unknown-outcomes/payment-pages.ts";
import { countryByPrefix } from "../../contract/countries.ts";
import type { Payment } from "../../contract/payment.ts";
import { isGatewayError } from "../../errors/any.ts";
import { describeError } from "../../internal/describe-error.ts";
import { idText } from "../../internal/json.ts";
import { sleep } from "../../internal/timeout.ts";
import { HOUR_MS } from "../../internal/units.ts";
import { maskedPhone } from "../../phones/phone-number.ts";
import type { CheckoutStore } from "../orders/checkout-store.ts";
import { type LabelledUpdate, paymentName, updateOf } from "../orders/payment-updates.ts";
import type { Input } from "../rules/inputs.ts";
import { type OrderState, openReviews, statusOf } from "../rules/order-state.ts";
import type { Refund, Review } from "../rules/order-types.ts";
import { refundsOf } from "../rules/refunds.ts";
import { refundView, reviewView, unmatchedView } from "../rules/view.ts";
import type { ListedPayment } from "./compare-books.ts";

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

/** Money that a person has noted as paid back. */
export interface BookedRefund extends Refund {
  readonly orderId: string;
  readonly accountReference: string;
}

/** What a report reads, and how it brings what it finds into the orders. */
export interface BooksSource {
  readonly store: CheckoutStore;
  readonly gateway: Pick<Gateway, "payments">;
  readonly prefix: string;
  note(update: LabelledUpdate): Promise<unknown>;
  write(id: string, input: Input): Promise<unknown>;
}

const PAGE = 1_000;
/** Waits before a page that could not be read is read again. */
const RETRY_MS = [1_000, 4_000, 15_000];
/** An order may be asked for just before midnight, and its payment be made after it. */
export const EDGE_MS = HOUR_MS;
/** An order that was paid a moment ago has its goods in the next moment. */
const GOODS_LATE_MS = 60_000;

export function listed(payment: Payment): ListedPayment {
  const reference = paymentName(payment) ?? "";
  const { update, label } = updateOf(payment, reference);
  const digits = idText(payment.phone)?.replace(/\D/g, "");
  return {
    reference,
    alias: update.alias,
    status: update.status,
    amount: update.amount,
    currency: update.currency,
    label,
    transactionId: update.transactionId,
    phone: digits && maskedPhone(digits, countryByPrefix(digits)?.iso),
    at: timeOf(payment),
  };
}

/** What was read of the service's list, and why not more. */
export interface Listing {
  readonly payments: ReadonlyMap<
    string,
    { readonly payment: Payment; readonly at: number | undefined }
  >;
  readonly problem: string | undefined;
}

export async function readList(
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
export async function readOrders(
  { store }: BooksSource,
  { from, to }: { readonly from: number; readonly to: number },
  onRead: (orders: number) => void,
) {
  const changed: OrderState[] = [];
  const open: number[] = [];
  const goodsDue: GoodsDue[] = [];
  const refunds: BookedRefund[] = [];
  const { now } = await store.read("");
  const paidBefore = Math.min(to, now - GOODS_LATE_MS);
  let read = 0;
  for (let after: { at: number; id: string } | undefined; ; ) {
    const page = await store.list({ status: undefined, review: false, limit: PAGE, after });
    for (const order of page.slice(0, PAGE)) {
      read++;
      if (order.updatedAt >= from - EDGE_MS) changed.push(order);
      refunds.push(...bookedRefunds(order, from, to));
      const isOpen = ["open", "pending"].includes(statusOf(order));
      if (isOpen && order.createdAt < to) open.push(order.createdAt);
      if (order.effect?.state === "due" && paidAt(order) < paidBefore) goodsDue.push(due(order));
    }
    onRead(read);
    const last = page.length > PAGE ? page[PAGE - 1] : undefined;
    if (last === undefined) return { changed, open, goodsDue, refunds, now };
    after = { at: last.createdAt, id: last.id };
  }
}

/** What was noted as paid back of an order in a time. */
const bookedRefunds = (order: OrderState, from: number, to: number): BookedRefund[] =>
  refundsOf(order)
    .filter(({ at }) => at >= from && at < to)
    .map((one) => ({
      orderId: order.id,
      accountReference: order.accountReference,
      ...refundView(one),
    }));

/** When a paid order was paid. */
export const paidAt = ({ paidAt: at, updatedAt }: OrderState): number => at ?? updatedAt;

const due = (order: OrderState): GoodsDue => ({
  orderId: order.id,
  amount: order.amount,
  currency: order.currency,
  paidAt: new Date(paidAt(order)).toISOString(),
  tries: order.effect?.tries ?? 0,
});

/** All open reviews, apart from those of payments that the report names. */
export async function readReviews({ store }: BooksSource, named: ReadonlySet<string>) {
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
