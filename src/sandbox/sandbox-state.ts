import type { Scheduler } from "./clock.ts";
import type { Watchers } from "./messages.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import type { Serializer } from "./serializer/serializer.ts";
import type { Delivery } from "./state/sandbox-records.ts";
import type { EventRecord, State, StoredPayment } from "./state/stored.ts";

/** Sends the events of a sandbox. */
export interface EventSender {
  /** Sends an event to the webhooks that list its kind. */
  emit(event: string, record: EventRecord): void;
  /** Sends an event to one address, and resolves after the first attempt. */
  emitTo(url: string, event: string, record: EventRecord): Promise<Delivery>;
}

/** What the parts of a sandbox share: the state, the clock, and how they reach each other. */
export interface SandboxState {
  readonly settings: SandboxSettings;
  /** Writes what the sandbox decides. */
  readonly serializer: Serializer;
  /**
   * Replaced as a whole by `reset` and `restore`: what began before must not write into the state that
   * followed.
   */
  readonly state: State;
  readonly clock: Scheduler;
  /** Payments by reference and by checkout request id: derived from the state. */
  readonly payments: Map<string, StoredPayment>;
  readonly deliveries: EventSender;
  readonly watchers: Watchers;
  /** Must be called after any change. It tells the watchers. */
  changed(): void;
}

export function indexPayment(payments: SandboxState["payments"], payment: StoredPayment): void {
  payments.set(payment.reference, payment);
  if (payment.checkout_request_id) payments.set(payment.checkout_request_id, payment);
}
