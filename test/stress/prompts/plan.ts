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

/** A worker that is killed, and when. */
interface Kill {
  /** How many orders have begun by then. */
  readonly afterOrders: number;
  readonly worker: number;
  readonly delayMs: number;
}

/** A worker whose wall clock is stepped, and when. */
interface ClockStep {
  /** How many orders have begun by then. */
  readonly afterOrders: number;
  readonly worker: number;
  /** How far the clock is from the right time from then on. */
  readonly offsetMs: number;
}

export interface Plan {
  readonly orders: readonly Order[];
  readonly kills: readonly Kill[];
  readonly clockSteps: readonly ClockStep[];
}

/** How much of everything that goes wrong there is. */
export interface PlanSize {
  readonly payments: number;
  readonly workers: number;
  readonly kills: number;
  readonly clockSteps: number;
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

const DAY_MS = 24 * 3_600_000;

/** How far a clock is off. From a few seconds to years; a result is remembered for 30 days. */
const CLOCK_OFFSETS_MS = [
  ...[-4_000 * DAY_MS, -31 * DAY_MS, -10_800_000, -60_000, -5_000, 0, 0],
  ...[5_000, 60_000, 10_800_000, 31 * DAY_MS, 4_000 * DAY_MS],
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

/** Decides orders, customers and all that goes wrong in the shop from the seed. */
export function createPlan(seed: string, size: PlanSize): Plan {
  const { payments, workers, kills } = size;
  const random = createRandom(`${seed} orders`);
  const incidents = spread(size.incidents, payments, INCIDENT_PART);
  const killRandom = createRandom(`${seed} kills`);
  const clockRandom = createRandom(`${seed} clocks`);
  return {
    orders: Array.from({ length: payments }, (_, index) => ({
      ...orderOf(random, `ORDER-${index + 1}`, 10_000_000 + index, workers),
      incident: incidents.get(index),
    })),
    kills: Array.from({ length: kills }, () => ({
      afterOrders: killRandom.between(1, payments),
      worker: killRandom.between(0, workers - 1),
      delayMs: killRandom.between(0, 60),
    })),
    clockSteps: Array.from({ length: size.clockSteps }, () => ({
      afterOrders: clockRandom.between(1, payments),
      worker: clockRandom.between(0, workers - 1),
      offsetMs: clockRandom.pick(CLOCK_OFFSETS_MS),
    })),
  };
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
