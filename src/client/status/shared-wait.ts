import type { Payment } from "../../contract/payment.ts";
import { isFinal } from "../../contract/payment-state.ts";
import { isGatewayError } from "../../errors/any.ts";
import { HOUR_MS } from "../../internal/units.ts";
import type { WaitOptions } from "../waiting/wait-options.ts";

/** The part of a `Gateway` that reads payments. */
export interface PaymentWaiter {
  readonly payments: {
    /** See `gateway.payments.waitFor`. */
    waitFor(reference: string, options?: WaitOptions): Promise<Payment>;
  };
}

/** What is known of a payment: nothing yet, its last read, its final status, or why it cannot be read. */
export interface KnownPayment {
  readonly payment?: Payment;
  readonly final: boolean;
  readonly error?: unknown;
  /** Whether it was read only once, since too many others wait. */
  readonly isCut?: boolean;
}

type Listener = (known: KnownPayment) => void;

/** A wait that ends without a final status begins again, while a page follows the payment. */
const WAIT_MS = HOUR_MS;

/** How long a wait goes on after its last page left: pages are loaded again, and some only poll. */
const LINGER_MS = 15_000;

/** Whether nothing follows. */
export const isOver = ({ final, error, isCut = false }: KnownPayment): boolean =>
  final || isCut || error !== undefined;

/** Calls the listener with what is known now, and at each change. Returns what ends that. */
export type Subscribe = (listener: Listener) => () => void;

/**
 * One wait for one payment, for all pages that show it.
 *
 * @param isOnce - Whether it ends with its first read.
 * @param onEnd - Called when the last page has left, or nothing follows.
 */
function shareWait(
  wait: (options: WaitOptions) => Promise<Payment>,
  finalStatuses: readonly string[],
  isOnce: boolean,
  onEnd: () => void,
): Subscribe {
  const listeners = new Set<Listener>();
  const controller = new AbortController();
  const { signal } = controller;
  let known: KnownPayment = { final: false };
  let lingering: ReturnType<typeof setTimeout> | undefined;

  const endLater = () => {
    lingering ??= setTimeout(
      () => {
        controller.abort();
        onEnd();
      },
      isOnce ? 0 : LINGER_MS,
    );
  };
  const publish = (now: KnownPayment) => {
    known = now;
    for (const listener of listeners) listener(known);
    // An error is forgotten too, however often pages ask: then the payment is read again.
    if (isOver(known)) endLater();
  };
  const onUpdate = (payment: Payment) => {
    const { status } = payment;
    // A wait that began again repeats the same status. Of a final one, the wait resolves next.
    if (status === known.payment?.status || isFinal(status) || finalStatuses.includes(status))
      return;
    publish({ payment, final: false, isCut: isOnce });
  };
  const run = async () => {
    while (!signal.aborted && !isOver(known)) {
      try {
        publish({ payment: await wait({ waitMs: WAIT_MS, signal, onUpdate }), final: true });
      } catch (error) {
        if (isGatewayError(error) && error.code === "payment_pending") continue;
        if (!signal.aborted) publish({ ...known, error });
      }
    }
  };

  void run();
  return (listener) => {
    if (!isOver(known)) {
      clearTimeout(lingering);
      lingering = undefined;
    }
    // A new function for each page, since two may pass the same one.
    const own: Listener = (now) => listener(now);
    listeners.add(own);
    own(known);
    return () => {
      if (listeners.delete(own) && listeners.size === 0) endLater();
    };
  };
}

/** The waits of one route, one for each payment. Beyond `maxWaits`, each is one read. */
export function sharedWaits(
  { payments }: PaymentWaiter,
  options: Pick<WaitOptions, "wake" | "finalStatuses">,
  maxWaits: number,
): (reference: string) => Subscribe {
  const waits = new Map<string, Subscribe>();
  const reads = new Map<string, Subscribe>();
  return (reference) => {
    const found = waits.get(reference) ?? reads.get(reference);
    if (found !== undefined) return found;
    const isOnce = waits.size >= maxWaits;
    const all = isOnce ? reads : waits;
    const subscribe = shareWait(
      (each) => payments.waitFor(reference, { ...options, ...each }),
      options.finalStatuses ?? [],
      isOnce,
      () => all.delete(reference),
    );
    all.set(reference, subscribe);
    return subscribe;
  };
}
