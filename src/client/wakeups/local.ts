/**
 * Subscribes to wake-ups for a payment: `lookNow` is called when there may be news of it. Returns the
 * function that ends the subscription.
 */
export type Wake = (reference: string, lookNow: () => void) => () => void;

/** Hints that there may be news of a payment. A read follows each hint, so a false one does no harm. */
export interface Wakeups {
  /** The option `wake` of `waitFor` and `collect`. */
  readonly wake: Wake;
  /**
   * The option `wake` for the payments of one merchant, if you serve many: two merchants may have the same
   * references. A receiver with `merchant` notifies these.
   *
   * @example
   * ```ts
   * const payment = await gatewayOf("shop-1").payments.waitFor(reference, { wake: wakeups.wakeOf("shop-1") });
   * ```
   */
  wakeOf(merchant: string): Wake;
  /**
   * Makes every wait for this payment read it now. Does nothing if there is no such wait.
   *
   * @param merchant - Whose payment it is, if you serve many merchants.
   */
  notify(reference: string, merchant?: string): void;
}

/** What a payment is known by, in a process and in the messages between processes. */
const wakeupName = (reference: string, merchant: string | undefined): string =>
  merchant === undefined ? reference : JSON.stringify([merchant, reference]);

/** Wake-ups whose `wake` subscribes to names. */
export const wakeupsBy = (wake: Wake, notify: (name: string) => void): Wakeups => ({
  wake,
  wakeOf: (merchant) => (reference, lookNow) => wake(wakeupName(reference, merchant), lookNow),
  notify: (reference, merchant) => notify(wakeupName(reference, merchant)),
});

/**
 * Wake-ups within one process: a webhook that arrives here ends a wait here with the next read. Use
 * it if one process receives the webhooks and waits for payments, otherwise `wakeups()` of `postgres()` or `redis()`.
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
  const wake: Wake = (name, lookNow) => {
    const subscribed = subscriptions.get(name) ?? new Set();
    // A new function for each subscription, since two may pass the same `lookNow`.
    const callback = () => lookNow();
    subscriptions.set(name, subscribed.add(callback));
    return () => {
      // Only at the first call: later, the reference may have a set of other subscriptions.
      if (subscribed.delete(callback) && subscribed.size === 0) subscriptions.delete(name);
    };
  };
  return wakeupsBy(wake, (name) => {
    for (const callback of subscriptions.get(name) ?? []) callback();
  });
}
