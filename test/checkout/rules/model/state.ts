// The world of the model: orders in a store, their keys, the service, and the processes of a shop. The rules
// are those of the package; everything around them is small. Time is a whole number.
import type { Action, Context, Input, Times } from "../../../../src/checkout/rules/inputs.ts";
import { askedBy, isOpen, type OrderState } from "../../../../src/checkout/rules/order-state.ts";
import { decide, type Rules } from "../../../../src/checkout/rules/rules.ts";

export const TIMES: Times = {
  promptWithinMs: 2,
  // Longer than a scenario: a payment that is open again blocks to its end.
  promptLifeMs: 100,
  marginMs: 1,
  notSentAfterMs: 1,
  lookMs: [1, 1],
  failedLookMs: [1, 1],
  reviewAfterMs: 4,
  failedForMs: 2,
  effectMs: 2,
  effectTries: 1,
};

/** How often an order is asked for. Customers click once more. */
export const ATTEMPT_LIMIT = 2;

/** How long a key is in flight at most; its request is not on its way any more then. */
export const LEASE = 3;

/** A payment at the service. */
export interface ServicePayment {
  readonly order: number;
  readonly attempt: number;
  readonly reference: string;
  readonly status: "pending" | "completed" | "failed";
  readonly amount: string;
  readonly currency: string;
  /** It had failed before. */
  readonly isOpenAgain?: true;
}

interface Key {
  readonly state: "in_flight" | "unknown" | "succeeded";
  readonly since: number;
  readonly reference?: string;
}

/** What a process does now. A process that dies forgets it. */
export type Work =
  /** The attempt is written; its key is not begun. */
  | {
      readonly at: "reserved" | "begun" | "sent" | "rejected" | "freed" | "lost";
      readonly order: number;
      readonly attempt: number;
      readonly click: number;
      /** What had come at the click, in cents. */
      readonly came: number;
    }
  /** Reads the failed payments before it asks. */
  | {
      readonly at: "checks";
      readonly order: number;
      readonly click: number;
      /** What had come at the click, in cents. */
      readonly came: number;
      readonly reads: readonly string[];
      readonly checked: number;
      readonly openAgain: readonly string[];
    }
  | { readonly at: "works"; readonly order: number; readonly actions: readonly Action[] }
  /** It has looked, and not written what it saw. */
  | {
      readonly at: "saw";
      readonly order: number;
      readonly input: Input;
      readonly rest: readonly Action[];
    };

export interface World {
  /** What a clock shows that is never set. */
  readonly now: number;
  /** How far ahead of it the clock of the machine is. */
  readonly ahead: number;
  readonly orders: readonly OrderState[];
  readonly keys: Readonly<Record<string, Key>>;
  readonly payments: readonly ServicePayment[];
  /** Prompts that the service took, by key. */
  readonly prompts: readonly string[];
  readonly goods: readonly number[];
  readonly processes: readonly (Work | undefined)[];
  /** How many faults may still happen, and how often customers may still click. */
  readonly faults: number;
  readonly clicks: readonly number[];
}

export interface Scenario {
  readonly name: string;
  readonly processes: number;
  readonly orders: number;
  readonly clicks: number;
  readonly faults: number;
  readonly until: number;
  /** How many attempts of each order were rejected before. */
  readonly rejected?: number;
  /** How many payments came by hand before. */
  readonly parts?: number;
  /** What may happen beside the usual. */
  readonly may: readonly (
    | "amount"
    | "currency"
    | "cancel"
    | "update"
    | "hand"
    | "see_parts"
    | "expire"
    | "decide"
    | "late"
    | "throw"
    | "unclear"
    | "refuse"
    | "refund"
    | "elsewhere"
    | "stale_tab"
    | "contradict"
    | "reject"
    | "clock"
    | "reopen"
    | "unreadable"
  )[];
}

const newOrder = (at: number, scenario: Scenario): OrderState => ({
  id: `O${at}`,
  accountReference: `O${at}`,
  amount: "1.00",
  currency: "KES",
  metadata: {},
  attempts: Array.from({ length: scenario.rejected ?? 0 }, (_, index) => ({
    number: index + 1,
    status: "not_sent",
    phone: "",
    phoneDigest: "",
    askedAt: 0,
    endedAt: 0,
  })),
  money: Array.from({ length: scenario.parts ?? 0 }, (_, index) => ({
    reference: `P${index}`,
    amount: "0.01",
    currency: "KES",
    counts: true,
  })),
  ...(scenario.may.includes("see_parts") && { partPayments: "review" as const }),
  reviews: [],
  attemptLimit: ATTEMPT_LIMIT,
  createdAt: 0,
  updatedAt: 0,
  ...(scenario.may.includes("expire") && { expiresAt: 1 }),
});

export const initialWorld = (scenario: Scenario): World => ({
  now: 0,
  ahead: 0,
  orders: Array.from({ length: scenario.orders }, (_, at) => newOrder(at, scenario)),
  keys: {},
  payments: [],
  prompts: [],
  goods: Array.from({ length: scenario.orders }, () => 0),
  processes: Array.from({ length: scenario.processes }, () => undefined),
  faults: scenario.faults,
  clicks: Array.from({ length: scenario.orders }, () => scenario.clicks),
});

export const replaceAt = <Item>(items: readonly Item[], at: number, item: Item): Item[] =>
  items.map((one, index) => (index === at ? item : one));

/** What the clock of the machine shows. */
export const wallOf = ({ now, ahead }: World): number => now + ahead;

/** What the rules make of an input. The store rejects an attempt while the phone is busy. */
export function applied(
  world: World,
  order: number,
  input: Input,
  rules: Rules,
): {
  readonly world: World;
  readonly actions: readonly Action[];
  readonly isRefused?: true | undefined;
} {
  const context: Context = { now: wallOf(world), times: TIMES };
  const before = world.orders[order] as OrderState;
  const { order: after, actions, isRefused } = decide(before, input, context, rules);
  if (after === before) return { world, actions, isRefused };
  const isNew = after.attempts.length > before.attempts.length;
  const isBusy = world.orders.some((one, at) => at !== order && one.attempts.some(isOpen));
  if (isNew && isBusy) {
    const blocked = { kind: "blocked", until: wallOf(world) + 1, message: "" } as const;
    const { order: blockedOrder } = decide(before, blocked, context, rules);
    return {
      world: { ...world, orders: replaceAt(world.orders, order, blockedOrder) },
      actions: [],
    };
  }
  // No rule looks at these times.
  const reviews = after.reviews.map(({ endedAt: _, ...one }) => ({ ...one, at: 0 }));
  const money = after.money.map(({ at: _, ...one }) => one);
  const refunds = after.refunds?.map((one) => ({ ...one, at: 0 }));
  const stored = { ...after, reviews, money, ...(refunds && { refunds }) };
  return { world: { ...world, orders: replaceAt(world.orders, order, stored) }, actions };
}

export const centsOf = (amount: string): number => Math.round(Number(amount) * 100);

/** The payments that came for the amount of an order, as they were asked for or sent by hand. */
export const cameFor = (order: OrderState): OrderState["money"] =>
  order.money.filter(({ reference, amount, currency, counts }) => {
    const attempt = order.attempts.find((one) => one.reference === reference);
    const isReviewed = order.reviews.some(
      ({ kind, references }) => /_mismatch$|^late_/.test(kind) && references.at(-1) === reference,
    );
    const isOther = attempt !== undefined && amount !== askedBy(order, attempt);
    // It had come before it was known whose it is.
    const isPaidWithIt = order.paidBy !== undefined && counts === true;
    return currency === "KES" && !isReviewed && (!isOther || isPaidWithIt);
  });

export const sumOf = (money: readonly { readonly amount: string }[]): number =>
  money.reduce((sum, { amount }) => sum + centsOf(amount), 0);

export const keyName = (order: number, attempt: number): string => `O${order}/${attempt}`;
