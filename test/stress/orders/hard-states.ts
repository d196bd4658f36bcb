import type { EngineName } from "../harness/databases.ts";
import { ENGINES } from "../harness/engines.ts";
import type { HardStateRow } from "../harness/hard-states.ts";
import { CHANGES } from "./changed-states.ts";
import {
  type Count,
  changes,
  incident,
  incidents,
  ORDINARY,
  orderOf,
  ordersWith,
  type State,
} from "./count-states.ts";
import { changedByOther, type End, eventsOf, type Happened, type OrderHistory } from "./history.ts";
import type { OrderHappening } from "./messages.ts";
import { incidentsOf, type OrderKind, REVIEWED, wrongKind } from "./plan.ts";
import { showsOn, WRONG_ON_PAID, type WrongName } from "./wrong-on-paid.ts";

/** Whether another process changed the order in this way while one stood at its point. */
const changedMeanwhile = (by: string) => (one: Happened, history: OrderHistory) =>
  changedByOther(history, one, by);

/** What an incident's own process has sent of its order. */
const sentBy = ({ key, to }: Happened, history: OrderHistory) =>
  history.all("sending").filter((event) => event.order === key && event.who === to);

/** A webhook may be faster than the message that a process stands at its point. */
const reportedSinceRequest = (one: Happened, history: OrderHistory) =>
  changedByOther(
    history,
    one,
    "reported",
    sentBy(one, history).findLast(({ at }) => at < one.at)?.at,
  );

const sentNothingAfter = (one: Happened, history: OrderHistory) =>
  !sentBy(one, history).some(({ at }) => at > one.from);

/** How often something of this name happened. */
const times =
  (name: OrderHappening["what"]): Count =>
  (history) =>
    history.all(name).length;

/** Whether a process began a wrong try of an order, and reported later what it leads to. */
function wrongTryEnded(history: OrderHistory, order: string, shows: string | undefined): boolean {
  const own = eventsOf(history, order);
  const ended = own.filter(
    (event) => event.what === shows || (event.what === "changed" && event.by === shows),
  );
  return own
    .filter(({ what }) => what === "wrong")
    .some(({ who, at }) => ended.some((one) => one.who === who && one.at >= at));
}

/** The orders whose `onPaid` went wrong in a way, and came to what that leads to. */
const wrongTries =
  (engine: EngineName, name: WrongName): Count =>
  (history, { planned }) =>
    planned.filter(
      ({ id, wrong }) => wrong === name && wrongTryEnded(history, id, showsOn(engine, name)),
    ).length;

/** Reviews of a kind that two people have decided, of whom one was told that the other one was faster. */
const decidedByTwo =
  (kind: keyof typeof REVIEWED): Count =>
  (history) =>
    history
      .all("decided")
      .filter(
        ({ calls, ...one }) =>
          one.kind === kind &&
          calls.some(({ outcome }) => outcome === "won") &&
          calls.some(({ outcome }) => outcome === "review_decided"),
      ).length;

/** Orders with their goods, of which a decision about a review of this kind won. */
const givenAfter =
  (kind: keyof typeof REVIEWED): Count =>
  (history, { goods }) =>
    history
      .all("decided")
      .filter(
        ({ order, calls, ...one }) =>
          one.kind === kind &&
          calls.some(({ outcome, decision }) => outcome === "won" && decision === "accept") &&
          goods.includes(order),
      ).length;

/** Processes that were killed where they were, not at a point. */
function killedAnywhere(history: OrderHistory): number {
  const atPoints = new Set(history.all("incident").map(({ to }) => to));
  return history.all("killed").filter(({ who }) => !atPoints.has(who)).length;
}

/** What makes an order hard, beside the incidents themselves, and which order leads to it. */
const STATES: readonly State[] = [
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
      times("rejected")(history, end),
    incident("slept in onPaid, past its time"),
  ],
  [
    "goods given after a kill between goods and commit",
    incidents("killed between goods and commit", ({ key }, _, end) => end.goods.includes(key)),
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
  ["response lost", (_, { responsesLost }) => responsesLost, ORDINARY],
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
    times("busy"),
    { phone: "254799000000", acts: ["ignore", "approve"] },
  ],
  [
    "paid after it was canceled: a review",
    ordersWith(
      ({ status, reviews }) =>
        status === "canceled" && reviews.some(({ kind }) => kind === "refund_due"),
    ),
    { cancelsFor: "canceled", acts: ["approve"] },
  ],
  [
    "made in the merchant's transaction",
    (_, { carts }) => carts.length,
    { cart: "kept", acts: ["approve"] },
  ],
  [
    "rolled back with the merchant's transaction",
    times("cart_rolled_back"),
    { cart: "rolled_back" },
  ],
  ["two clicks at once", times("double_click"), { isClickedTwice: true, acts: ["approve"] }],
  ...(Object.keys(REVIEWED) as (keyof typeof REVIEWED)[]).map(
    (kind): State => [
      `two people decided a review at once: ${kind}`,
      decidedByTwo(kind),
      REVIEWED[kind],
    ],
  ),
  [
    "paid back while its goods were due, and not given",
    ordersWith(({ effect }, { refunds }) => effect === "refunded" && refunds.length === 0),
    REVIEWED.effect_failed,
  ],
  [
    "given after a person accepted another amount",
    givenAfter("amount_mismatch"),
    REVIEWED.amount_mismatch,
  ],
  ["processes killed anywhere", killedAnywhere, ORDINARY],
  ["restarts of the service", (history) => history.all("service_restarted").length, ORDINARY],
];

const rejectedWithoutFile =
  (kind: "order" | "webhook"): Count =>
  (history) =>
    history
      .all("asked_without_file")
      .filter((asked) => asked.kind === kind && asked.isAcknowledged === false).length;

/** What needs a file: a server has none. */
const OF_FILES: readonly State[] = [
  ["orders rejected while the SQLite file was away", rejectedWithoutFile("order"), ORDINARY],
  ["webhooks rejected while the SQLite file was away", rejectedWithoutFile("webhook"), ORDINARY],
];

/** What a campaign of orders has at its end. */
export interface World {
  readonly history: OrderHistory;
  readonly end: End;
}

/** The hard states of a campaign on an engine. Those that it cannot have do not apply. */
export function rowsOn(engine: EngineName): readonly HardStateRow<World, OrderKind>[] {
  const row =
    (applies: boolean) =>
    ([name, count, leadsTo]: State): HardStateRow<World, OrderKind> => ({
      ...{ name, leadsTo: [leadsTo], applies: () => applies },
      count: ({ history, end }) => count(history, end),
    });
  const stops = incidentsOf(engine).map(
    ({ name }): State => [name, incidents(name, () => true), incident(name)],
  );
  const wrong = (Object.keys(WRONG_ON_PAID) as WrongName[]).map((name) =>
    row(showsOn(engine, name) !== undefined)([
      ...([`onPaid ${name}`, wrongTries(engine, name), wrongKind(name)] as const),
    ]),
  );
  return [
    ...stops.map(row(true)),
    ...wrong,
    ...[...STATES, ...CHANGES].map(row(true)),
    ...OF_FILES.map(row(ENGINES[engine].isFile)),
  ];
}
