import type { Incident } from "./incidents.ts";
import { createRandom, type Random } from "./random.ts";
import type { CustomersOrder } from "./service/customers.ts";
import type { Progress } from "./waits.ts";

/** An order of a campaign, and what happens in it. Its id is also its key in the history. */
export interface SoldOrder extends CustomersOrder {
  readonly incident: Incident | undefined;
}

/**
 * Gives each thing that is to happen a separate place in a list of this length: evenly, from the first place on.
 *
 * @param part - The part of the list from its begin in which all of them are.
 */
export function spread<T>(things: readonly T[], length: number, part = 1): ReadonlyMap<number, T> {
  const step = Math.max(1, (length * part) / things.length);
  const places = things.map((thing, turn) => [Math.floor(turn * step), thing] as const);
  return new Map(places.filter(([place]) => place < length));
}

/** The counts of a campaign's progress at which something happens, evenly over all. */
export const evenly = (times: number, total: number): number[] =>
  Array.from({ length: times }, (_, turn) => Math.ceil(((turn + 1) * total) / (times + 1)));

/** Does something at each count of a campaign's progress, one after the other. */
export async function atCounts(
  progress: Progress,
  counts: readonly number[],
  work: (turn: number) => unknown,
): Promise<void> {
  for (const [turn, count] of counts.entries()) {
    if (!(await progress.reached(count))) return;
    await work(turn);
  }
}

/**
 * Whether a hard state comes depends on chance too: on a busy machine, the only process that was to sleep at
 * a point may have been killed before. Orders that lead to what never came are sold once more.
 */
const MAX_MORE_ROUNDS = 4;
/** How many orders of a kind are sold once more. */
const MORE_OF_A_KIND = 4;

/** What is fixed of an order; the rest is chance. Its incident is there by name. */
export type KindOf<Order extends SoldOrder> = Partial<Omit<Order, "id" | "incident">> & {
  readonly incident?: string;
};

/** How more orders are planned. */
interface More<Order extends SoldOrder> {
  readonly seed: string;
  readonly round: number;
  readonly kinds: readonly KindOf<Order>[];
  /** Every incident that there is. */
  readonly incidents: readonly Incident[];
  /** @param number - No other order has it. */
  readonly order: (random: Random, number: number, incident: Incident | undefined) => Order;
}

/** More orders of these kinds, for what has not come yet. */
export function planMore<Order extends SoldOrder>({ kinds, incidents, ...more }: More<Order>) {
  const { seed, round, order } = more;
  const random = createRandom(`${seed} more orders ${round}`);
  return kinds.flatMap(({ incident: name, ...kind }, at) => {
    const incident = incidents.find((one) => one.name === name);
    if (name !== undefined && incident === undefined) throw new Error(`No incident is ${name}.`);
    return Array.from({ length: MORE_OF_A_KIND }, (_, times): Order => {
      const number = round * 1_000 + at * MORE_OF_A_KIND + times;
      return { ...order(random, number, incident), ...kind };
    });
  });
}

/** Sells on until no hard state is lacking that an order leads to. */
export async function sellOn<Kind>(
  lacking: () => Promise<readonly Kind[]>,
  sell: (round: number, kinds: readonly Kind[]) => Promise<unknown>,
): Promise<void> {
  for (let round = 1; round <= MAX_MORE_ROUNDS; round++) {
    const kinds = await lacking();
    if (kinds.length === 0) return;
    await sell(round, kinds);
  }
}
