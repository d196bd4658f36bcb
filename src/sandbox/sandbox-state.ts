import type { Scheduler } from "./clock/scheduler.ts";
import type { Watchers } from "./exchange/watch.ts";
import type { SandboxSettings } from "./options.ts";
import type { Serializer } from "./serializer/serializer.ts";
import type { Delivery } from "./state/records.ts";
import type { EventRecord, State, StoredPayment } from "./state/stored.ts";

/** What the parts of a sandbox share: the state, the clock, and how they reach each other. */
export interface SandboxState extends Pick<SandboxSettings, "auto" | "limits"> {
  /** Writes what the sandbox decides. */
  readonly serializer: Serializer;
  /** Replaced as a whole by `reset` and `restore`. */
  state: State;
  /** Counts the replacements: what began before one must not write into the state that followed. */
  generation: number;
  readonly clock: Scheduler;
  /** Payments by reference and by checkout request id: derived from the state. */
  readonly payments: Map<string, StoredPayment>;
  /** Sends an event to the webhooks that list its kind. */
  readonly emit: (event: string, record: EventRecord) => void;
  /** Sends an event to one address, and resolves after the first attempt. */
  readonly emitTo: (url: string, event: string, record: EventRecord) => Promise<Delivery>;
  readonly watchers: Watchers;
}

/** Rebuilds the index of payments. Must be called after the state was replaced. */
export function indexPayments(sandboxState: SandboxState): void {
  sandboxState.payments.clear();
  for (const payment of sandboxState.state.payments) indexPayment(sandboxState, payment);
}

export function indexPayment({ payments }: SandboxState, payment: StoredPayment): void {
  payments.set(payment.reference, payment);
  if (payment.checkout_request_id) payments.set(payment.checkout_request_id, payment);
}
