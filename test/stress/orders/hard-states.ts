import type { End } from "./check.ts";
import { changedByOther, type History } from "./history.ts";
import { incidentsOf, type OrderKind } from "./plan.ts";
import type { StoreName } from "./store.ts";

type Count = (history: History, end: End) => number;
type Incident = History["incidents"][number];

/** Incidents of a name after which something is so. */
const incidents =
  (name: string, isSo: (one: Incident, history: History, end: End) => boolean): Count =>
  (history, end) =>
    history.incidents.filter((one) => one.incident.name === name && isSo(one, history, end)).length;

/** Whether another process changed the order in this way while one stood at its point. */
const changedMeanwhile = (by: string) => (one: Incident, history: History) =>
  changedByOther(history, one.order.id, by, one);

/** A webhook may be faster than the message that a process stands at its point. */
const reportedSinceRequest = (one: Incident, { reports }: History) => {
  const own = reports.filter(({ report }) => "order" in report && report.order === one.order.id);
  const sent = own.findLast(
    ({ report, shop, at }) => report.what === "sending" && shop === one.shop && at < one.until,
  );
  return own.some(
    ({ report, shop, at }) =>
      report.what === "changed" &&
      report.by === "reported" &&
      shop !== one.shop &&
      at >= (sent?.at ?? one.from) &&
      at < one.until,
  );
};

const sentNothingAfter = (one: Incident, { reports }: History) =>
  !reports.some(
    ({ report, shop, at }) =>
      report.what === "sending" &&
      report.order === one.order.id &&
      shop === one.shop &&
      at > one.from,
  );

const orderOf = (end: End, id: string) => end.orders.find((one) => one.id === id);
const changes =
  (
    isSo: (report: Extract<History["reports"][number]["report"], { what: "changed" }>) => boolean,
  ): Count =>
  ({ reports }) =>
    reports.filter(({ report }) => report.what === "changed" && isSo(report)).length;

type HardState = readonly [name: string, count: Count, leadsTo: OrderKind];

const ORDINARY: OrderKind = {};
const incident = (name: string): OrderKind => ({ incident: name });

/** What makes an order hard, beside the incidents themselves, and which order leads to it. */
const STATES: readonly HardState[] = [
  [
    "slept too long to send, and sent nothing",
    incidents("slept before its key, too long to send", sentNothingAfter),
    incident("slept before its key, too long to send"),
  ],
  [
    "ended as not sent by another process, while its own slept",
    incidents("slept before its key, too long to send", changedMeanwhile("key")),
    incident("slept before its key, too long to send"),
  ],
  [
    "its payment was found by another process, while its own slept",
    incidents("slept after the response, past its lease", changedMeanwhile("key")),
    incident("slept after the response, past its lease"),
  ],
  [
    "its webhook was written before the response",
    incidents("webhook before the response", reportedSinceRequest),
    incident("webhook before the response"),
  ],
  [
    "its goods were given by another process, while its own slept in onPaid",
    (history, end) =>
      incidents("slept in onPaid, past its time", changedMeanwhile("effect_done"))(history, end) &&
      history.reports.filter(({ report }) => report.what === "rejected").length,
    incident("slept in onPaid, past its time"),
  ],
  [
    "goods given after a kill between goods and commit",
    incidents("killed between goods and commit", ({ order }, _, end) =>
      end.goods.includes(order.id),
    ),
    incident("killed between goods and commit"),
  ],
  [
    "paid, with all webhooks lost",
    (_, end) =>
      end.planned.filter(
        ({ id, losesWebhooks }) => losesWebhooks && orderOf(end, id)?.status === "paid",
      ).length,
    { losesWebhooks: true, acts: ["approve"] },
  ],
  [
    "prompts ignored",
    (_, { ledger }) => ledger.filter(({ ignored }) => ignored).length,
    { acts: ["ignore", "approve"] },
  ],
  ["response lost", ({ counts }) => counts["responses lost"] ?? 0, ORDINARY],
  [
    "outcome unknown",
    changes(({ attempts }) => attempts.includes("unknown")),
    incident("killed before its request"),
  ],
  [
    "unknown, and closed by a look",
    changes(({ by, attempts }) => by === "key" && !attempts.includes("unknown")),
    incident("killed after the response"),
  ],
  [
    "not sent",
    changes(({ attempts }) => attempts.includes("not_sent")),
    incident("killed before its key"),
  ],
  [
    "paid by a later attempt",
    (_, { orders }) =>
      orders.filter(({ attempts }) => attempts.findIndex((one) => one.status === "completed") > 0)
        .length,
    { acts: ["cancel", "approve"] },
  ],
  [
    "rejected, since its phone had another prompt",
    ({ reports }) => reports.filter(({ report }) => report.what === "busy").length,
    { phone: "254799000000", acts: ["ignore", "approve"] },
  ],
  [
    "paid after it was canceled: a review",
    (_, { orders }) =>
      orders.filter(({ reviews }) => reviews.some(({ kind }) => kind === "late_payment")).length,
    { isCanceled: true, acts: ["approve"] },
  ],
  [
    "made in the merchant's transaction",
    (_, { carts }) => carts.length,
    { cart: "kept", acts: ["approve"] },
  ],
  [
    "rolled back with the merchant's transaction",
    ({ counts }) => counts["carts rolled back"] ?? 0,
    { cart: "rolled_back" },
  ],
  [
    "two clicks at once",
    ({ counts }) => counts["double clicks"] ?? 0,
    { isClickedTwice: true, acts: ["approve"] },
  ],
  ["processes killed anywhere", ({ counts }) => counts.kills ?? 0, ORDINARY],
  ["restarts of the service", ({ counts }) => counts["service restarts"] ?? 0, ORDINARY],
];

/** Counts the hard states of a campaign. One that never came makes the campaign fail. */
export function hardStates(store: StoreName, history: History, end: End): [string, number][] {
  const stops = incidentsOf(store).map(({ name }): [string, number] => [
    name,
    history.incidents.filter((one) => one.incident.name === name).length,
  ]);
  return [
    ...stops,
    ...STATES.map(([name, count]): [string, number] => [name, count(history, end)]),
  ];
}

/** The kind of order that leads to a hard state. */
export const leadsTo = (state: string): OrderKind =>
  STATES.find(([name]) => name === state)?.[2] ?? incident(state);
