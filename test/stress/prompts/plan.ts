import { type KindOf, planMore as more, type SoldOrder, spread } from "../harness/plan.ts";
import { createRandom, type Random } from "../harness/random.ts";
import type { Act } from "../harness/service/customers.ts";
import { INCIDENTS, type Incident } from "./incidents.ts";

/** One order of the shop. Its id is its idempotency key and its account reference. */
export interface Order extends SoldOrder {
  readonly amount: number;
  /** Paid by `collect`, or by `initiate` and `waitFor`. */
  readonly way: "collect" | "initiate";
  /** The worker of each click. Several clicks happen at the same moment. */
  readonly clicks: readonly number[];
  /** Whether the customer's balance is zero. */
  readonly hasNoMoney: boolean;
  /** Whether its prompt is on its way when its client has stopped waiting. */
  readonly isLate: boolean;
  /** What happens in the middle of its first click. */
  readonly incident: Incident | undefined;
}

/** What the orders of a campaign depend on. */
export interface PlanSize {
  readonly payments: number;
  readonly workers: number;
  readonly incidents: readonly Incident[];
}

const ACTS: readonly { readonly act: Act; readonly weight: number }[] = [
  { act: "approve", weight: 80 },
  { act: "cancel", weight: 9 },
  { act: "enterWrongPin", weight: 6 },
  { act: "ignore", weight: 5 },
];

// Some customers take longer than the shop waits for them.
const DECISION_TIMES = [
  { weight: 75, minMs: 20, maxMs: 600 },
  { weight: 21, minMs: 600, maxMs: 2_000 },
  { weight: 4, minMs: 3_200, maxMs: 4_500 },
];

const CLICKS = [
  { weight: 60, clicks: 1 },
  { weight: 32, clicks: 2 },
  { weight: 8, clicks: 3 },
];

/** Incidents are in this first part of the orders, since the slowest take half a minute. */
const INCIDENT_PART = 0.6;

function orderOf(random: Random, id: string, phone: number, workers: number): Order {
  const time = random.weighted(DECISION_TIMES);
  return {
    id,
    // One phone per order, so that a second prompt can only be a second payment.
    phone: `07${phone}`,
    amount: random.between(1, 5_000),
    way: random.pick(["collect", "initiate"]),
    clicks: Array.from({ length: random.weighted(CLICKS).clicks }, () =>
      random.between(0, workers - 1),
    ),
    acts: [random.weighted(ACTS).act],
    afterMs: random.between(time.minMs, time.maxMs),
    hasNoMoney: random.chance(0.04),
    ...{ isLate: false, incident: undefined },
  };
}

/** The orders of a campaign. The seed decides all. */
export function planOrders(seed: string, { payments, workers, ...size }: PlanSize): Order[] {
  const random = createRandom(`${seed} orders`);
  const incidents = spread(size.incidents, payments, INCIDENT_PART);
  return Array.from({ length: payments }, (_, index) => ({
    ...orderOf(random, `ORDER-${index + 1}`, 10_000_000 + index, workers),
    incident: incidents.get(index),
  }));
}

/** What is fixed of an order that leads to a hard state. */
export type OrderKind = KindOf<Order>;

/** More orders of these kinds, for what has not come yet. */
export const planMore = (seed: string, round: number, kinds: readonly OrderKind[]): Order[] =>
  more<Order>({
    ...{ seed, round, kinds, incidents: INCIDENTS.map(([incident]) => incident) },
    order: (random, number, incident) => ({
      ...orderOf(random, `MORE-${number}`, 20_000_000 + number, 2),
      incident: incident as Incident | undefined,
    }),
  });
