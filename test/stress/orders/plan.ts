import type { CancelReason, ReviewDecision } from "malipo/checkout";
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
  | "goods"
  /** The same, after it has refused the money. */
  | "refused";

/** A process sleeps until another one has changed its order in this way. */
export type Incident = AnyIncident<Point, "key" | "reported" | "effect_done">;

/** What another process does comes after the lease of the one that sleeps, or after its time. */
const asleep = <Until extends string>(until: Until) => ({ act: "sleep", ms: 0, until }) as const;

// How long processes sleep depends on the times of the shop: see shop-process.ts.
const INCIDENTS: readonly Incident[] = [
  { name: "killed in the merchant's transaction", at: "created", act: "kill" },
  { name: "killed before its key", at: "reserved", act: "kill" },
  { name: "killed before its request", at: "request", act: "kill" },
  { name: "killed after the response", at: "response", act: "kill" },
  { name: "slept before its key, too long to send", at: "reserved", ...asleep("key") },
  { name: "slept before its request, past its lease", at: "request", act: "sleep", ms: 14_000 },
  { name: "slept after the response, past its lease", at: "accepted", ...asleep("key") },
  { name: "webhook before the response", at: "accepted", ...asleep("reported") },
  { name: "killed between goods and commit", at: "goods", act: "kill" },
  { name: "killed between refusal and commit", at: "refused", act: "kill" },
  { name: "slept in onPaid, past its time", at: "paid", ...asleep("effect_done") },
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

/** A part of the amount that someone pays by hand: before the first prompt, beside it, or with the refund. */
export interface Part {
  readonly amount: number;
  readonly when: "before" | "beside" | "after";
  /** The label is typed as people type it. */
  readonly isTyped?: boolean;
}

/** The phone of someone who pays a part of an order by hand. No other one pays with it: a phone shows one prompt. */
export function handPhone(id: string, part: number): string {
  const [kind, number = ""] = id.split("-");
  return `2547${kind === "ORDER" ? 3 : 4}${part}${number.padStart(6, "0")}`;
}

/** An order of the campaign, and all that happens to it. */
export interface PlannedOrder extends SoldOrder {
  /** Whether the merchant makes it in his own transaction first, and how that ends. */
  readonly cart: "none" | "kept" | "rolled_back";
  readonly isClickedTwice: boolean;
  /** No webhook of it ever arrives. */
  readonly losesWebhooks: boolean;
  /** Why the merchant cancels it while the phone is asked. */
  readonly cancelsFor: CancelReason | undefined;
  /** The amount that the merchant wants while the phone is asked, and gets after it. */
  readonly becomes: number | undefined;
  readonly byHand: readonly Part[];
  /** `onPaid` refuses its money. */
  readonly refuses: boolean;
  /** What people pay back as soon as it is paid, all at the same moment. */
  readonly refunds: readonly number[];
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
  cancelsFor: undefined,
  becomes: undefined,
  byHand: [],
  refuses: false,
  refunds: [],
  isUnderpaid: false,
  wrong: undefined,
  decisions: undefined,
} as const;

type Kind = Omit<OrderKind, "incident">;

/** An order that is paid at once. */
const PAID = { ...PLAIN, acts: ["approve"] } as const satisfies Kind;

const before = (...amounts: readonly number[]): Part[] =>
  amounts.map((amount) => ({ amount, when: "before" }));

/** One whose `onPaid` goes wrong. What it leaves is decided, so that it ends. */
export const wrongKind = (wrong: WrongName): Kind => ({
  ...{ ...PAID, wrong },
  decisions: ["accept", "refunded"],
});

/** Orders that come into a review which two people decide. */
export const REVIEWED = {
  amount_mismatch: { ...PAID, isUnderpaid: true, decisions: ["accept", "refunded"] },
  refund_due: { ...PAID, cancelsFor: "canceled", decisions: ["refunded", "accept"] },
  overpaid: {
    ...{ ...PAID, byHand: [{ amount: 40, when: "beside" }] },
    decisions: ["refunded", "accept"],
  },
  effect_failed: wrongKind("throws in its transaction until a person has decided"),
  effect_unclear: wrongKind("rolls back by itself at the end"),
} as const satisfies Readonly<Record<string, Kind>>;

/** Orders that change, are paid in parts, are refused or are paid back. */
export const CHANGED = {
  grows: { ...PLAIN, becomes: 130, acts: ["cancel", "approve"] },
  shrinks: { ...PLAIN, becomes: 70, acts: ["cancel", "approve"] },
  isPaidByUpdate: { ...PLAIN, byHand: before(40), becomes: 40, acts: ["cancel", "approve"] },
  part: { ...PAID, byHand: [{ amount: 40, when: "before", isTyped: true }] },
  parts: { ...PAID, byHand: before(40, 60) },
  partFound: { ...PAID, byHand: before(40), losesWebhooks: true },
  refused: { ...PAID, refuses: true },
  refusedPart: {
    ...{ ...PAID, byHand: before(40), refuses: true },
    decisions: ["refunded", "dismiss"],
  },
  refundedInParts: { ...PAID, refunds: [30, 70] },
  refundedTooMuch: { ...PAID, refunds: [60, 60] },
  refundedBeforeGoods: {
    ...{ ...PAID, refunds: [100] },
    wrong: "throws in its transaction for the first tries",
  },
  paidAfterRefund: {
    ...{ ...PAID, refunds: [100], byHand: [{ amount: 40, when: "after" }] },
    decisions: ["refunded", "dismiss"],
  },
  paidElsewhere: {
    ...{ ...PAID, byHand: before(40), cancelsFor: "paid_elsewhere" },
    decisions: ["accept", "refunded"],
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** Orders of these kinds are there in every campaign, however small it is. */
const ALWAYS: readonly Kind[] = [
  { acts: ["ignore", "approve"] },
  { acts: ["cancel", "approve"] },
  { losesWebhooks: true, acts: ["cancel", "approve"] },
  { cancelsFor: "canceled", acts: ["approve"] },
  { cart: "kept", isClickedTwice: true, acts: ["approve"] },
  { cart: "rolled_back" },
  REVIEWED.amount_mismatch,
  { ...REVIEWED.amount_mismatch, decisions: ["dismiss", "accept"] },
  REVIEWED.refund_due,
  { ...REVIEWED.refund_due, decisions: ["accept", "dismiss"] },
  REVIEWED.overpaid,
  ...Object.values(CHANGED),
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
    cancelsFor: random.chance(0.03) ? "canceled" : undefined,
  };
}

/** An order to which an incident happens is plain otherwise. */
const withIncident = (incident: Incident | undefined) =>
  ({ ...PAID, afterMs: 0, incident, refuses: incident?.at === "refused" }) as const;

/** The orders of a campaign. The seed decides all. */
export function planOrders(seed: string, engine: EngineName, count: number): PlannedOrder[] {
  const random = createRandom(`${seed} orders`);
  // What they are for needs chance: a response that is not lost, a process without an open transaction.
  const often = INCIDENTS.filter(({ at }) => at === "accepted" || at === "paid");
  const kinds = [...incidentsOf(engine), ...often, ...often];
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
