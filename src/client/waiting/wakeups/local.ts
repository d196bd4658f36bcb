/**
 * Subscribes to wake-ups for a payment: `lookNow` is called when there may be news of it. Returns the
 * function that ends the subscription.
 */
export type Wake = (reference: string, lookNow: () => void) => () => void;

/** Hints that there may be news of a payment. A read follows each hint, so a false one does no harm. */
export interface Wakeups {
  /** The option `wake` of `waitFor` and `collect`. */
  readonly wake: Wake;
  /** Makes every wait for this payment read it now. Does nothing if there is no such wait. */
  notify(reference: string): void;
}

/**
 * Wake-ups within one process: a webhook that arrives here ends a wait here with the next read. Use
 * it if one process receives the webhooks and waits for payments, otherwise `redisWakeups`.
 *
 * @example
 * ```ts
 * const wakeups = createWakeups();
 * // In the webhook handler:
 * if (isKnownEvent(event, "payment.completed")) wakeups.notify(event.data.reference);
 * // In the code that waits:
 * const payment = await gateway.payments.waitFor(reference, { wake: wakeups.wake });
 * ```
 */
export function createWakeups(): Wakeups {
  const subscriptions = new Map<string, Set<() => void>>();
  return {
    wake: (reference, lookNow) => {
      const subscribed = subscriptions.get(reference) ?? new Set();
      // A new function for each subscription, since two may pass the same `lookNow`.
      const callback = () => lookNow();
      subscriptions.set(reference, subscribed.add(callback));
      return () => {
        // Only at the first call: later, the reference may have a set of other subscriptions.
        if (subscribed.delete(callback) && subscribed.size === 0) subscriptions.delete(reference);
      };
    },
    notify: (reference) => {
      for (const callback of subscriptions.get(reference) ?? []) callback();
    },
  };
}
