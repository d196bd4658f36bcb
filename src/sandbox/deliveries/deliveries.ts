import { ASSUMPTIONS } from "../assumptions.ts";
import type { Delivery } from "../state/sandbox-records.ts";
import type { State, StoredDelivery } from "../state/stored.ts";

/** Carries the id of a delivery. Not a header of the service: msw handlers recognise deliveries by it. */
export const DELIVERY_HEADER = "x-sandbox-delivery";

/** The log of all deliveries, and a way to send one again. */
export interface Deliveries {
  /** Every delivery so far, oldest first, as copies. */
  all(): Delivery[];
  /** Resolves when no attempt is in flight. Deliveries that wait for a retry are not in flight. */
  settled(): Promise<void>;
  /**
   * Sends a delivery again, now, with the same body and signature. Resolves with the delivery and its
   * new attempt.
   *
   * @throws {ConfigurationError} for an id that does not exist.
   */
  resend(id: string): Promise<Delivery>;
}

/** A copy of a delivery without what only the sandbox needs. */
export const deliveryView = ({
  tries: _,
  responses: _body,
  ...delivery
}: StoredDelivery): Delivery => structuredClone(delivery);

/** Whether the last attempt to deliver failed. */
export const hasFailed = ({ state, attempts }: Delivery): boolean =>
  state !== "delivered" && attempts.length > 0 && attempts.at(-1)?.status !== 200;

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
