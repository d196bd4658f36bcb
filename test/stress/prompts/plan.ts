import { createRandom } from "./random.ts";

/** What the customer does about a prompt. */
export type Act = "approve" | "cancel" | "wrongPin" | "ignore";

/** One order of the shop. */
export interface Order {
  /** Sent as `account_reference`, by which the ledger is counted. */
  readonly id: string;
  readonly idempotencyKey: string;
  readonly phone: string;
  readonly amount: number;
  /** Paid by `collect`, or by `initiate` and `waitFor`. */
  readonly way: "collect" | "initiate";
  /** The worker of each click. Several clicks happen at the same moment. */
  readonly clicks: readonly number[];
  readonly act: Act;
  /** How long the customer takes to act, in milliseconds. */
  readonly afterMs: number;
  /** Whether the customer's balance is zero. */
  readonly hasNoMoney: boolean;
}

/** A worker that is killed, and when. */
interface Kill {
  /** How many orders have begun by then. */
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

/** Decides orders, customers and kills from the seed. */
export function createPlan(seed: string, payments: number, workers: number, kills: number): Plan {
  const random = createRandom(`${seed} orders`);
  const orders = Array.from({ length: payments }, (_, index): Order => {
    const id = `ORDER-${index + 1}`;
    const time = random.weighted(DECISION_TIMES);
    return {
      id,
      idempotencyKey: `${id}/1`,
      // One phone per order, so that a second prompt can only be a second payment.
      phone: `07${10_000_000 + index}`,
      amount: random.between(1, 5_000),
      way: random.pick(["collect", "initiate"]),
      clicks: Array.from({ length: random.weighted(CLICKS).clicks }, () =>
        random.between(0, workers - 1),
      ),
      act: random.weighted(ACTS).act,
      afterMs: random.between(time.minMs, time.maxMs),
      hasNoMoney: random.chance(0.04),
    };
  });
  const killRandom = createRandom(`${seed} kills`);
  return {
    orders,
    kills: Array.from({ length: kills }, () => ({
      afterOrders: killRandom.between(1, payments),
      worker: killRandom.between(0, workers - 1),
      delayMs: killRandom.between(0, 60),
    })),
  };
}
