/** Asks to be told when there may be news of a payment. Gives its unsubscribe. */
export type Wake = (reference: string, lookNow: () => void) => () => void;

/** Hints that there may be news of a payment. The read is the truth; a hint only makes it sooner. */
export interface Wakeups {
  /** What `waitFor` and `collect` take as `wake`. */
  readonly wake: Wake;
  /** Tells whoever waits for this payment to look now. Does nothing where nobody waits. */
  notify(reference: string): void;
}

/**
 * Wake-ups within one process: a webhook that arrives here ends a wait here within one read. Give
 * the same one to the receiver and to `waitFor`.
 *
 * @example
 * ```ts
 * const wakeups = createWakeups();
 * // where webhooks arrive
 * if (isKnownEvent(event, "payment.completed")) wakeups.notify(event.data.reference);
 * // where somebody waits
 * const payment = await gateway.payments.waitFor(reference, { wake: wakeups.wake });
 * ```
 */
export function createWakeups(): Wakeups {
  const waiting = new Map<string, Set<() => void>>();
  return {
    wake: (reference, lookNow) => {
      const looks = waiting.get(reference) ?? new Set();
      // A function of this subscription's own: another may have given the same.
      const look = () => lookNow();
      waiting.set(reference, looks.add(look));
      return () => {
        // Only once: the set may be another's by then.
        if (looks.delete(look) && looks.size === 0) waiting.delete(reference);
      };
    },
    notify: (reference) => {
      for (const lookNow of waiting.get(reference) ?? []) lookNow();
    },
  };
}
