import { ASSUMPTIONS } from "../assumptions.ts";
import type { StoredDelivery } from "../state/records.ts";
import type { State } from "../state/state.ts";
import { createLanes } from "./limiter.ts";

const { maxPending, maxInFlight } = ASSUMPTIONS.deliveryQueue.value;

/** How many deliveries wait for an address, and how many may. */
export interface DeliveryQueue {
  readonly url: string;
  readonly pending: number;
  readonly maxPending: number;
}

function pendingIn({ deliveries }: State): Map<string, number> {
  const pending = new Map<string, number>();
  for (const { url, state } of deliveries) {
    if (state === "pending") pending.set(url, (pending.get(url) ?? 0) + 1);
  }
  return pending;
}

/** The addresses that deliveries wait for. */
export const deliveryQueues = (state: State): DeliveryQueue[] =>
  [...pendingIn(state)].map(([url, pending]) => ({ url, pending, maxPending }));

/** Keeps what waits for one address within bounds: a receiver may never answer. */
export function createDeliveryQueue() {
  let pending = new Map<string, number>();
  const count = (url: string, by: number) => pending.set(url, (pending.get(url) ?? 0) + by);
  return {
    /** Sends, once fewer than so many are under way to the same address. */
    inTurn: createLanes(maxInFlight),
    /** Takes up a new delivery. Gives why it is turned away, where it is. */
    enter: ({ url }: StoredDelivery): string | undefined => {
      if ((pending.get(url) ?? 0) >= maxPending) {
        return `not sent: ${maxPending} deliveries wait for this address already`;
      }
      count(url, 1);
      return undefined;
    },
    /** To be called before a delivery's state is set to what it ends in. */
    leave: ({ url, state }: StoredDelivery): void => {
      if (state === "pending") count(url, -1);
    },
    /** To be called after the state was replaced. */
    restart: (state: State): void => {
      pending = pendingIn(state);
    },
  };
}
