import type { BooksReport, Order } from "malipo/checkout";
import type { CommonHappening, History, Named } from "../harness/history.ts";
import type { LedgerEntry } from "../harness/service/service.ts";
import type { Given } from "../harness/subject.ts";
import type { OrderHappening } from "./messages.ts";
import type { OPTIONS, PlannedOrder } from "./plan.ts";

/** What is there when everything has ended. */
export interface End {
  readonly planned: readonly PlannedOrder[];
  readonly orders: readonly Order[];
  readonly ledger: readonly LedgerEntry[];
  readonly goods: readonly string[];
  readonly carts: readonly string[];
  /** The orders whose money `onPaid` has refused. */
  readonly refused: readonly string[];
  /** The payments that belong to no order. */
  readonly strays: readonly string[];
  readonly books: BooksReport;
  /** How many responses of the service never came to the shop. */
  readonly responsesLost: number;
}

export type OrderHistory = History<OrderHappening | ({ readonly what: "end" } & End)>;
export type OrderGiven = Given<typeof OPTIONS, OrderHistory>;
export type Happened = Named<CommonHappening, "incident">;
type OrderEvent = ReturnType<OrderHistory["events"]>[number];

/** What happened to an order, in the order in which it was reported. */
export const eventsOf = (history: OrderHistory, order: string): OrderEvent[] =>
  history.events().filter((event) => "order" in event && event.order === order);

/** Whether another process than this one has changed an order in this way, in a time. */
export const changedByOther = (
  history: OrderHistory,
  { key, to, from, at }: Happened,
  by: string,
  since = from,
): boolean =>
  history
    .all("changed")
    .some(
      (one) =>
        one.order === key && one.by === by && one.who !== to && since <= one.at && one.at < at,
    );

/** A try may have been interrupted by what happened within this time. */
const TRY_MS = 5_000;

/** How many wrong tries of an order may not have come to their end in time, since their process stopped or the engine died. */
export function interruptedTries(history: OrderHistory, order: string): number {
  // All that a process does stops with it: another one tries again.
  const stopped = [...history.all("killed"), ...history.all("asleep")];
  const ends = [...history.all("engine_back"), ...history.all("engine_failed")];
  // One at a time: each fault ends before the next one begins.
  const untilOf = (from: number) =>
    Math.min(...ends.map(({ at }) => at).filter((at) => at >= from), Number.POSITIVE_INFINITY);
  const harms = history.all("engine").map(({ at }) => ({ from: at, until: untilOf(at) }));
  const tries = history.all("wrong").filter((one) => one.order === order);
  return tries.filter(({ who, at }) => {
    const isStopped = stopped.some((one) => one.who === who && one.at > at && one.at < at + TRY_MS);
    return isStopped || harms.some(({ from, until }) => from < at + TRY_MS && until > at - TRY_MS);
  }).length;
}
