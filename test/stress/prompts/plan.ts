import { drawsOf } from "./random.ts";

/** What the customer does about a prompt. */
export type Act = "approve" | "cancel" | "wrongPin" | "ignore";

/** One order of the shop. */
export interface Order {
  /** Goes out as `account_reference`: what the ledger is counted by. */
  readonly id: string;
  readonly idempotencyKey: string;
  readonly phone: string;
  readonly amount: number;
  /** By `collect`, or by `initiate` and `waitFor`. */
  readonly way: "collect" | "initiate";
  /** The worker that each click lands on: more than one is a double click, at the same moment. */
  readonly clicks: readonly number[];
  readonly act: Act;
  /** How long the customer takes, in milliseconds. */
  readonly afterMs: number;
  /** Nothing is on the customer's account. */
  readonly poor: boolean;
}

/** A worker that is killed, and when. */
interface Kill {
  /** How many orders have been begun by then. */
  readonly afterOrders: number;
  readonly worker: number;
  readonly delayMs: number;
}

export interface Plan {
  readonly orders: readonly Order[];
  readonly kills: readonly Kill[];
}

const ACTS: readonly { readonly act: Act; readonly weight: number }[] = [
  { act: "approve", weight: 80 },
  { act: "cancel", weight: 9 },
  { act: "wrongPin", weight: 6 },
  { act: "ignore", weight: 5 },
];

// Some customers take longer than the shop waits for them.
const TEMPERS = [
  { weight: 75, leastMs: 20, mostMs: 600 },
  { weight: 21, leastMs: 600, mostMs: 2_000 },
  { weight: 4, leastMs: 3_200, mostMs: 4_500 },
];

const CLICKS = [
  { weight: 60, clicks: 1 },
  { weight: 32, clicks: 2 },
  { weight: 8, clicks: 3 },
];

/** Who orders what, how customers act, and which workers die: decided by the seed. */
export function planOf(seed: string, payments: number, workers: number, kills: number): Plan {
  const draws = drawsOf(`${seed} orders`);
  const orders = Array.from({ length: payments }, (_, index): Order => {
    const id = `ORDER-${index + 1}`;
    const temper = draws.row(TEMPERS);
    return {
      id,
      idempotencyKey: `${id}/1`,
      // One phone an order: a second prompt is to be a second payment, and nothing else.
      phone: `07${10_000_000 + index}`,
      amount: draws.between(1, 5_000),
      way: draws.pick(["collect", "initiate"]),
      clicks: Array.from({ length: draws.row(CLICKS).clicks }, () => draws.between(0, workers - 1)),
      act: draws.row(ACTS).act,
      afterMs: draws.between(temper.leastMs, temper.mostMs),
      poor: draws.chance(0.04),
    };
  });
  const fate = drawsOf(`${seed} kills`);
  return {
    orders,
    kills: Array.from({ length: kills }, () => ({
      afterOrders: fate.between(1, payments),
      worker: fate.between(0, workers - 1),
      delayMs: fate.between(0, 60),
    })),
  };
}
