import { ASSUMPTIONS } from "../assumptions.ts";
import type { State, StoredDelivery } from "../state/stored.ts";

const { maxPending } = ASSUMPTIONS.deliveryQueue.value;

/** How many deliveries wait for an address, and how many may. */
export interface QueueLength {
  readonly url: string;
  readonly pending: number;
  readonly maxPending: number;
}

function countPending({ deliveries }: State): Map<string, number> {
  const pending = new Map<string, number>();
  for (const { url, state } of deliveries) {
    if (state === "pending") pending.set(url, (pending.get(url) ?? 0) + 1);
  }
  return pending;
}

export const deliveryQueues = (state: State): QueueLength[] =>
  [...countPending(state)].map(([url, pending]) => ({ url, pending, maxPending }));

/** Limits how many deliveries are pending for one address: a receiver may never respond. */
export class PendingCounts {
  #pending = new Map<string, number>();

  /** Counts a new delivery. Returns an error if too many are pending already. */
  add({ url }: StoredDelivery): string | undefined {
    if ((this.#pending.get(url) ?? 0) >= maxPending) {
      return `not sent: ${maxPending} deliveries are pending for this address already`;
    }
    this.#change(url, 1);
    return undefined;
  }

  /** Must be called before a delivery gets its final state. */
  remove({ url, state }: StoredDelivery): void {
    if (state === "pending") this.#change(url, -1);
  }

  /** Must be called after the state was replaced. */
  recount(state: State): void {
    this.#pending = countPending(state);
  }

  #change(url: string, by: number): void {
    this.#pending.set(url, (this.#pending.get(url) ?? 0) + by);
  }
}
