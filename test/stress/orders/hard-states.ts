import type { End } from "./check.ts";
import { changedByOther, type History } from "./history.ts";
import { incidentsOf, type OrderKind, REVIEWED, wrongKind } from "./plan.ts";
import type { StoreName } from "./store.ts";
import { showsOn, WRONG_ON_PAID, type WrongName, wrongNames } from "./wrong-on-paid.ts";

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

/** Whether a process began a wrong try of an order, and reported later what it leads to. */
function wrongTryEnded({ reports }: History, order: string, shows: string | undefined): boolean {
  const own = reports.filter(({ report }) => "order" in report && report.order === order);
  const begun = own.filter(({ report }) => report.what === "wrong");
  const ended = own.filter(
    ({ report }) => report.what === shows || (report.what === "changed" && report.by === shows),
  );
  return begun.some(({ shop, at }) => ended.some((one) => one.shop === shop && one.at >= at));
}

/** The orders whose `onPaid` went wrong in a way, and came to what that leads to. */
const wrongTries =
  (store: StoreName, name: WrongName): Count =>
  (history, { planned }) =>
    planned.filter(
      ({ id, wrong }) => wrong === name && wrongTryEnded(history, id, showsOn(store, name)),
    ).length;

/** Reviews of a kind that two people have decided, of whom one was told that the other one was faster. */
const decidedByTwo =
  (kind: keyof typeof REVIEWED): Count =>
  ({ decided }) =>
    decided.filter(
      ({ calls, ...one }) =>
        one.kind === kind &&
        calls.some(({ outcome }) => outcome === "won") &&
        calls.some(({ outcome }) => outcome === "review_decided"),
    ).length;

/** Orders with their goods, of which a decision about a review of this kind won. */
const givenAfter =
  (kind: keyof typeof REVIEWED): Count =>
  ({ decided }, { goods }) =>
    decided.filter(
      ({ order, calls, ...one }) =>
        one.kind === kind &&
        calls.some(({ outcome, decision }) => outcome === "won" && decision === "accept") &&
        goods.includes(order),
    ).length;

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
  ...(Object.keys(REVIEWED) as (keyof typeof REVIEWED)[]).map(
    (kind): HardState => [
      `two people decided a review at once: ${kind}`,
      decidedByTwo(kind),
      REVIEWED[kind],
    ],
  ),
  [
    "paid back while its goods were due, and not given",
    (_, { orders }) => orders.filter(({ effect }) => effect === "refunded").length,
    REVIEWED.effect_failed,
  ],
  [
    "given after a person accepted another amount",
    givenAfter("amount_mismatch"),
    REVIEWED.amount_mismatch,
  ],
  ["processes killed anywhere", ({ counts }) => counts.kills ?? 0, ORDINARY],
  ["restarts of the service", ({ counts }) => counts["service restarts"] ?? 0, ORDINARY],
];

/** What needs a file: PostgreSQL has none. */
const OF_FILES: readonly HardState[] = [
  [
    "orders rejected while the SQLite file was away",
    ({ withoutFile }) => rejectedWithoutFile(withoutFile, "order"),
    ORDINARY,
  ],
  [
    "webhooks rejected while the SQLite file was away",
    ({ withoutFile }) => rejectedWithoutFile(withoutFile, "webhook"),
    ORDINARY,
  ],
];

function rejectedWithoutFile(asked: History["withoutFile"], kind: string): number {
  return asked.filter(({ what, isAcknowledged }) => what === kind && isAcknowledged === false)
    .length;
}

const onPaid = (name: WrongName) => `onPaid ${name}`;

/** The hard states that a store cannot have. */
export const notAskedFor = (store: StoreName): readonly string[] => [
  ...(store === "sqlite" ? [] : OF_FILES.map(([name]) => name)),
  ...(Object.keys(WRONG_ON_PAID) as WrongName[])
    .filter((name) => showsOn(store, name) === undefined)
    .map(onPaid),
];

/** Counts the hard states of a campaign. One that never came makes the campaign fail. */
export function hardStates(store: StoreName, history: History, end: End): [string, number][] {
  const stops = incidentsOf(store).map(({ name }): [string, number] => [
    name,
    history.incidents.filter((one) => one.incident.name === name).length,
  ]);
  const states = [...STATES, ...(store === "sqlite" ? OF_FILES : [])];
  return [
    ...stops,
    ...wrongNames(store).map((name): [string, number] => [
      onPaid(name),
      wrongTries(store, name)(history, end),
    ]),
    ...states.map(([name, count]): [string, number] => [name, count(history, end)]),
  ];
}

/** The kind of order that leads to a hard state. */
export function leadsTo(state: string): OrderKind {
  const found = [...STATES, ...OF_FILES].find(([name]) => name === state);
  if (found !== undefined) return found[2];
  const wrong = (Object.keys(WRONG_ON_PAID) as WrongName[]).find((name) => onPaid(name) === state);
  return wrong === undefined ? incident(state) : wrongKind(wrong);
}
