import { ASSUMPTIONS } from "../assumptions.ts";
import type { State } from "../state/stored.ts";

const { maxPending } = ASSUMPTIONS.deliveryQueue.value;

/** How many deliveries wait for an address, and how many may. */
export interface QueueLength {
  readonly url: string;
  readonly pending: number;
  readonly maxPending: number;
}

/** How many deliveries wait for each address. */
export function countPending({ deliveries }: State): Map<string, number> {
  const pending = new Map<string, number>();
  for (const { url, state } of deliveries) {
    if (state === "pending") pending.set(url, (pending.get(url) ?? 0) + 1);
  }
  return pending;
}

export const deliveryQueues = (state: State): QueueLength[] =>
  [...countPending(state)].map(([url, pending]) => ({ url, pending, maxPending }));
