import type { Scheduler } from "../clock/clock.ts";
import type { Watchers } from "../observe/watch.ts";
import type { StoredPayment } from "./records.ts";
import type { State } from "./state.ts";

/** What the parts of a sandbox share: its state, its clock, and how they reach each other. */
export interface World {
  /** Replaced as a whole by `reset` and `restore`. */
  state: State;
  /** Counts those replacements: what began before one must not write into what came after. */
  generation: number;
  readonly auto: "magic" | "approve" | "none";
  readonly limits: { readonly minCents: number; readonly maxCents: number };
  readonly clock: Scheduler;
  /** Payments by reference and by checkout request: derived from the state. */
  readonly payments: Map<string, StoredPayment>;
  /** Sends an event to whoever subscribed to its kind. */
  readonly emit: (event: string, data: object) => void;
  readonly watchers: Watchers;
}

/** Builds anew what is derived from the state. */
export function indexPayments(world: World): void {
  world.payments.clear();
  for (const payment of world.state.payments) indexPayment(world, payment);
}

export function indexPayment({ payments }: World, payment: StoredPayment): void {
  payments.set(payment.reference, payment);
  if (payment.checkout_request_id) payments.set(payment.checkout_request_id, payment);
}

/** The next number of the world: payments and all else that counts up. */
export const nextId = (world: World): number => world.state.nextId++;
