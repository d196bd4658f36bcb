import { setTimeout } from "../clock/machine.ts";
import { deliveryView } from "../deliveries/deliveries.ts";
import type { Watcher } from "../exchange/watch.ts";
import type { SandboxPayment } from "../payments/phone.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { paymentView } from "../serializer/views.ts";
import type { Delivery, StoredPayment } from "../state/records.ts";

/** What has happened in a sandbox since the last call of the listener. Either list may be empty. */
export interface Activity {
  /** Payments that are new, or have reached a final status. */
  readonly payments: readonly SandboxPayment[];
  /** Deliveries with a new attempt. */
  readonly deliveries: readonly Delivery[];
}

/** Calls a listener soon after each change. Returns a function that ends it. */
export function watchActivity(
  sandboxState: SandboxState,
  listener: (activity: Activity) => void,
): () => void {
  const watcher = new ActivityWatcher(sandboxState, listener);
  sandboxState.watchers.add(watcher);
  return () => {
    sandboxState.watchers.delete(watcher);
  };
}

class ActivityWatcher implements Watcher {
  readonly #sandboxState: SandboxState;
  readonly #listener: (activity: Activity) => void;
  #generation = -1;
  #knownPayments = 0;
  readonly #pendingPayments = new Set<StoredPayment>();
  /** How many attempts each delivery had, in the order of the log. */
  #attemptCounts: number[] = [];
  #isScheduled = false;

  constructor(sandboxState: SandboxState, listener: (activity: Activity) => void) {
    this.#sandboxState = sandboxState;
    this.#listener = listener;
    this.#takeActivity();
  }

  changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#callListener(), 0);
  }

  exchanged(): void {}

  #callListener(): void {
    this.#isScheduled = false;
    if (this.#sandboxState.watchers.has(this)) this.#listener(this.#takeActivity());
  }

  #takeActivity(): Activity {
    if (this.#generation !== this.#sandboxState.generation) {
      this.#skipExisting();
      return { payments: [], deliveries: [] };
    }
    const payments = this.#takePayments().map((one) => paymentView(one) as SandboxPayment);
    return { payments, deliveries: this.#takeDeliveries().map(deliveryView) };
  }

  /** What a replaced state brings along has not happened just now. */
  #skipExisting(): void {
    this.#generation = this.#sandboxState.generation;
    this.#pendingPayments.clear();
    this.#knownPayments = 0;
    this.#takePayments();
    this.#takeDeliveries();
  }

  #takePayments(): StoredPayment[] {
    const { payments } = this.#sandboxState.state;
    const changed = [...this.#pendingPayments].filter(({ status }) => status !== "pending");
    for (const payment of changed) this.#pendingPayments.delete(payment);
    for (const payment of payments.slice(this.#knownPayments)) {
      if (payment.status === "pending") this.#pendingPayments.add(payment);
      changed.push(payment);
    }
    this.#knownPayments = payments.length;
    return changed;
  }

  #takeDeliveries() {
    const { deliveries } = this.#sandboxState.state;
    const changed = deliveries.filter(
      ({ attempts }, index) => attempts.length !== (this.#attemptCounts[index] ?? 0),
    );
    this.#attemptCounts = deliveries.map(({ attempts }) => attempts.length);
    return changed;
  }
}
