import type { ReviewDecision } from "malipo/checkout";
import type { EngineFault } from "../../support/engines/faults.ts";
import { number } from "../harness/arguments.ts";
import type { EngineName } from "../harness/databases.ts";
import { ENGINES } from "../harness/engines.ts";
import type { Incident as AnyIncident } from "../harness/incidents.ts";
import { type KindOf, planMore as more, type SoldOrder, spread } from "../harness/plan.ts";
import { createRandom, type Random } from "../harness/random.ts";
import type { Act } from "../harness/service/customers.ts";
import { type WrongName, wrongNames } from "./wrong-on-paid.ts";

/** The steps at which a process of the shop may be stopped: in this order, in the life of an order. */
export type Point =
  /** In the merchant's transaction, after `create`. */
  | "created"
  /** An attempt is written; nothing else was done for it. */
  | "reserved"
  /** The key is begun; nothing was sent. */
  | "request"
  /** The request has ended, with a response or without one; nothing of it is written. */
  | "response"
  /** The same, and the service has taken the request. */
  | "accepted"
  /** In `onPaid`, before its transaction. */
  | "paid"
  /** In the transaction of `onPaid`, after the goods. */
  | "goods";

/** A process sleeps until another one has changed its order in this way. */
export type Incident = AnyIncident<Point, "key" | "reported" | "effect_done">;

// How long processes sleep depends on the times of the shop: see shop-process.ts.
const INCIDENTS: readonly Incident[] = [
  { name: "killed in the merchant's transaction", at: "created", act: "kill" },
  { name: "killed before its key", at: "reserved", act: "kill" },
  { name: "killed before its request", at: "request", act: "kill" },
  { name: "killed after the response", at: "response", act: "kill" },
  {
    name: "slept before its key, too long to send",
    at: "reserved",
    act: "sleep",
    ms: 12_000,
    until: "key",
  },
  { name: "slept before its request, past its lease", at: "request", act: "sleep", ms: 14_000 },
  {
    name: "slept after the response, past its lease",
    at: "accepted",
    act: "sleep",
    ms: 20_000,
    until: "key",
  },
  {
    name: "webhook before the response",
    at: "accepted",
    act: "sleep",
    ms: 6_000,
    until: "reported",
  },
  { name: "killed between goods and commit", at: "goods", act: "kill" },
  {
    name: "slept in onPaid, past its time",
    at: "paid",
    act: "sleep",
    ms: 25_000,
    until: "effect_done",
  },
];

const engineIncidents = (engine: EngineName): Incident[] => {
  const { isFile } = ENGINES[engine];
  const before: readonly Point[] = ["reserved", "response"];
  // A SQLite file is locked by the process that stands between goods and commit.
  const points: readonly Point[] = isFile ? before : [...before, "goods"];
  const faults: readonly EngineFault[] = isFile ? ["hung"] : ["killed", "hung", "cut"];
  return points.flatMap((at) =>
    faults.map(
      (fault) => ({ name: `engine ${fault} at ${at}`, at, act: "engine", fault }) as const,
    ),
  );
};

/** Every kind of incident, from which the plan takes turns. */
export const incidentsOf = (engine: EngineName): readonly Incident[] => [
  ...INCIDENTS,
  ...engineIncidents(engine),
];

/** What two people decide about one review at the same moment. */
export type DecisionPair = readonly [ReviewDecision, ReviewDecision];

/** An order of the campaign, and all that happens to it. */
export interface PlannedOrder extends SoldOrder {
  /** Whether the merchant makes it in his own transaction first, and how that ends. */
  readonly cart: "none" | "kept" | "rolled_back";
  readonly isClickedTwice: boolean;
  /** No webhook of it ever arrives. */
  readonly losesWebhooks: boolean;
  /** The merchant cancels it while the phone is asked. */
  readonly isCanceled: boolean;
  /** The service says that less was paid than was asked for. */
  readonly isUnderpaid: boolean;
  /** How its `onPaid` goes wrong. */
  readonly wrong: WrongName | undefined;
  /** Two people decide each of its reviews. Without it, they stay open. */
  readonly decisions: DecisionPair | undefined;
  readonly incident: Incident | undefined;
}

/** What is fixed of an order that leads to a hard state. */
export type OrderKind = KindOf<PlannedOrder>;

/** One incident for this many orders; each kind at least once. */
const INCIDENT_EVERY = 12;

const ACTS: readonly { readonly act: Act; readonly weight: number }[] = [
  { act: "approve", weight: 70 },
  { act: "cancel", weight: 14 },
  { act: "enterWrongPin", weight: 8 },
  { act: "ignore", weight: 3 },
];

const PLAIN = {
  cart: "none",
  isClickedTwice: false,
  losesWebhooks: false,
  isCanceled: false,
  isUnderpaid: false,
  wrong: undefined,
  decisions: undefined,
} as const;

type Kind = Omit<OrderKind, "incident">;

/** An order that is paid at once. */
const PAID = { ...PLAIN, acts: ["approve"] } as const satisfies Kind;

/** One whose `onPaid` goes wrong. What it leaves is decided, so that it ends. */
export const wrongKind = (wrong: WrongName): Kind => ({
  ...{ ...PAID, wrong },
  decisions: ["accept", "refunded"],
});

/** Orders that come into a review which two people decide. */
export const REVIEWED = {
  amount_mismatch: { ...PAID, isUnderpaid: true, decisions: ["accept", "refunded"] },
  refund_due: { ...PAID, isCanceled: true, decisions: ["refunded", "accept"] },
  effect_failed: wrongKind("throws in its transaction until a person has decided"),
  effect_unclear: wrongKind("rolls back by itself at the end"),
} as const satisfies Readonly<Record<string, Kind>>;

/** Orders of these kinds are there in every campaign, however small it is. */
const ALWAYS: readonly Kind[] = [
  { acts: ["ignore", "approve"] },
  { acts: ["cancel", "approve"] },
  { losesWebhooks: true, acts: ["approve"] },
  { losesWebhooks: true, acts: ["cancel", "approve"] },
  { isCanceled: true, acts: ["approve"] },
  { cart: "kept", acts: ["approve"] },
  { cart: "rolled_back" },
  { isClickedTwice: true, acts: ["approve"] },
  REVIEWED.amount_mismatch,
  { ...REVIEWED.amount_mismatch, decisions: ["dismiss", "accept"] },
  REVIEWED.refund_due,
  { ...REVIEWED.refund_due, decisions: ["accept", "dismiss"] },
];

/** Kinds of orders, from which those without an incident take turns; every other turn or so is an ordinary one. */
const kindsOf = (engine: EngineName): readonly (Kind | undefined)[] => {
  const kinds = [...ALWAYS, ...wrongNames(engine).map(wrongKind)];
  return [...kinds, ...kinds.map(() => undefined)];
};

/** The fewest orders with which each kind is there. */
export const MIN_ORDERS = 60;

export const OPTIONS = { orders: number([MIN_ORDERS, 50_000], 2_000, "orders to sell") };

function ordinary(random: Random): Omit<PlannedOrder, "id" | "phone" | "incident"> {
  return {
    ...PLAIN,
    cart: random.chance(0.05) ? random.pick(["kept", "rolled_back"]) : "none",
    acts: [random.weighted(ACTS).act, random.weighted(ACTS).act, "approve"],
    afterMs: random.between(0, 900),
    isClickedTwice: random.chance(0.3),
    losesWebhooks: random.chance(0.1),
    isCanceled: random.chance(0.03),
  };
}

/** An order to which an incident happens is plain otherwise. */
const withIncident = (incident: Incident | undefined) =>
  ({ ...PLAIN, acts: ["approve"], afterMs: 0, incident }) as const;

/** The orders of a campaign. The seed decides all. */
export function planOrders(seed: string, engine: EngineName, count: number): PlannedOrder[] {
  const random = createRandom(`${seed} orders`);
  // What they are for needs chance: a response that is not lost, a process without an open transaction.
  const often = INCIDENTS.filter(({ at }) => at === "accepted" || at === "paid");
  const kinds = [...incidentsOf(engine), ...often, ...often, ...often];
  const turns = Math.max(kinds.length, Math.floor(count / INCIDENT_EVERY));
  const all = Array.from({ length: turns }, (_, turn) => kinds[turn % kinds.length]);
  const incidents = spread(all, count);
  const plain = kindsOf(engine);
  let others = 0;
  return Array.from({ length: count }, (_, at) => {
    // A phone may be that of the order before: then two orders want it at the same time.
    const phoneOf = at % 6 === 5 ? at - 1 : at;
    const order = {
      ...{ id: `ORDER-${at}`, phone: `2547${10_000_000 + phoneOf}`, incident: undefined },
      ...ordinary(random),
    };
    if (incidents.has(at)) return { ...order, ...withIncident(incidents.get(at)) };
    return { ...order, ...plain[others++ % plain.length] };
  });
}

/** More orders of these kinds, for what has not come yet. */
export const planMore = (
  { seed, engine }: { readonly seed: string; readonly engine: EngineName },
  round: number,
  kinds: readonly OrderKind[],
): PlannedOrder[] =>
  more<PlannedOrder>({
    ...{ seed, round, kinds, incidents: incidentsOf(engine) },
    order: (random, number, incident) => {
      // The service's account reference is this id: it must be short.
      const order = { id: `MORE-${number}`, phone: `2547${20_000_000 + number}` };
      return incident === undefined
        ? { ...order, ...ordinary(random), incident }
        : { ...order, ...withIncident(incident as Incident) };
    },
  });
