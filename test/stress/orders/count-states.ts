// How hard states are counted.
import type { Order } from "malipo/checkout";
import type { End, Happened, OrderHistory } from "./history.ts";
import type { OrderHappening } from "./messages.ts";
import type { OrderKind, PlannedOrder } from "./plan.ts";

export type Count = (history: OrderHistory, end: End) => number;

/** Incidents of a name after which something is so. */
export const incidents =
  (name: string, isSo: (one: Happened, history: OrderHistory, end: End) => boolean): Count =>
  (history, end) =>
    history.all("incident").filter((one) => one.name === name && isSo(one, history, end)).length;

export type State = readonly [name: string, count: Count, leadsTo: OrderKind];

export const orderOf = (end: End, id: string) => end.orders.find((one) => one.id === id);
export const changes =
  (isSo: (change: Extract<OrderHappening, { what: "changed" }>) => boolean): Count =>
  (history) =>
    history.all("changed").filter(isSo).length;

/** How many orders are so at the end. */
export const ordersWith =
  (isSo: (order: Order, planned: PlannedOrder) => boolean): Count =>
  (_, { orders, planned }) =>
    planned.filter((one) => orders.some((order) => order.id === one.id && isSo(order, one))).length;

export const ORDINARY: OrderKind = {};
export const incident = (name: string): OrderKind => ({ incident: name });
