import { setTimeout } from "../clock.ts";
import { deliveryView } from "../deliveries/deliveries.ts";
import type { SandboxPayment } from "../payments/phone.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { paymentView } from "../serializer/assumed.ts";
import type { Delivery } from "../state/sandbox-records.ts";
import type { State, StoredDelivery, StoredPayment } from "../state/stored.ts";

/** What has happened in a sandbox since the last call of the listener. Either list may be empty. */
export interface Activity {
  /** Payments that are new, or have reached a final status. */
  readonly payments: readonly SandboxPayment[];
  /** Deliveries with a new attempt. */
  readonly deliveries: readonly Delivery[];
}

/** Returns the items for which a value has changed since the last call. Items are only added. */
function changesOf<Item>(readValue: (item: Item) => unknown): (items: readonly Item[]) => Item[] {
  let known: unknown[] = [];
  return (items) => {
    const values = items.map(readValue);
    const changed = items.filter((_, index) => values[index] !== known[index]);
    known = values;
    return changed;
  };
}

/** Calls a listener soon after each change. Returns a function that ends it. */
export function watchActivity(
  sandboxState: SandboxState,
  listener: (activity: Activity) => void,
): () => void {
  const { watchers } = sandboxState;
  const changedPayments = changesOf(({ status }: StoredPayment) => status);
  // A delivery without an attempt is like one that is not there yet.
  const changedDeliveries = changesOf(
    ({ attempts }: StoredDelivery) => attempts.length || undefined,
  );
  let known: State | undefined;
  let isScheduled = false;

  function takeActivity(): Activity {
    const { state } = sandboxState;
    const payments = changedPayments(state.payments);
    const deliveries = changedDeliveries(state.deliveries);
    // What a replaced state brings along has not happened just now.
    const isReplaced = state !== known;
    known = state;
    return {
      payments: isReplaced ? [] : payments.map((one) => paymentView(one) as SandboxPayment),
      deliveries: isReplaced ? [] : deliveries.map(deliveryView),
    };
  }

  const watcher = {
    changed: () => {
      if (isScheduled) return;
      isScheduled = true;
      setTimeout(() => {
        isScheduled = false;
        if (watchers.has(watcher)) listener(takeActivity());
      }, 0);
    },
  };
  takeActivity();
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
  };
}
