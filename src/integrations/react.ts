/**
 * A payment, as React sees it.
 *
 * @module malipo/react
 */

"use client";

import { useEffect, useRef, useState } from "react";
import type { WaitOptions } from "../client/waiting/wait-options.ts";
import type { Payment } from "../contract/payment.ts";

/** What can wait for a payment: any `Gateway`. In a browser, one with a public key. */
export interface PaymentWaiter {
  readonly payments: {
    /** As `gateway.payments.waitFor`. */
    waitFor(reference: string, options?: WaitOptions): Promise<Payment>;
  };
}

/** What is known of a payment by now. */
export interface PaymentView {
  /** As it was last read; `undefined` before the first read. */
  readonly payment: Payment | undefined;
  /** Its status; `undefined` before the first read. */
  readonly status: Payment["status"] | undefined;
  /** It is completed or failed, and no longer looked at. */
  readonly settled: boolean;
  /**
   * What ended the wait before that. A `PaymentPendingError` is no failure: the time is up, and the
   * payment may still be paid.
   */
  readonly error: unknown;
}

/** How to wait: as `waitFor` does. Read when the wait begins. */
export type UsePaymentOptions = Omit<WaitOptions, "signal" | "onUpdate">;

const NOTHING: PaymentView = {
  payment: undefined,
  status: undefined,
  settled: false,
  error: undefined,
};

/**
 * Shows a payment as it changes, until it is settled. Reads on the schedule of `waitFor`; stops where
 * the component unmounts, or the reference or the gateway changes. Renders on a server as a payment
 * that is not known yet.
 *
 * @param gateway - Make it once, outside the component: another one begins another wait.
 * @param reference - What the initiation gave your backend. `undefined`: nothing to wait for yet.
 *
 * @example
 * ```tsx
 * const gateway = new Gateway({ apiKey: "pk_live_...", baseUrl });
 *
 * function Receipt({ reference }: { reference: string }) {
 *   const { status, settled, error } = usePayment(gateway, reference);
 *   if (status === "completed") return <p>Paid. Thank you!</p>;
 *   if (settled) return <p>It was not paid.</p>;
 *   return <p>{error ? "No answer yet: we will tell you by SMS." : "Look at your phone …"}</p>;
 * }
 * ```
 */
export function usePayment(
  gateway: PaymentWaiter,
  reference: string | undefined,
  options?: UsePaymentOptions,
): PaymentView {
  const [known, setKnown] = useState({ gateway, reference, view: NOTHING });
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    if (reference === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (change: (before: PaymentView) => PaymentView) => {
      if (signal.aborted) return;
      setKnown((before) => {
        const same = before.gateway === gateway && before.reference === reference;
        return { gateway, reference, view: change(same ? before.view : NOTHING) };
      });
    };
    const seen = (settled: boolean) => (payment: Payment) =>
      show(() => ({ payment, status: payment.status, settled, error: undefined }));
    // The wait may refuse its options before it has a promise.
    Promise.resolve()
      .then(() =>
        gateway.payments.waitFor(reference, { ...latest.current, signal, onUpdate: seen(false) }),
      )
      .then(seen(true), (error: unknown) => show((before) => ({ ...before, error })));
    return () => controller.abort();
  }, [gateway, reference]);
  // What is known of another payment is nothing known of this one.
  return known.gateway === gateway && known.reference === reference ? known.view : NOTHING;
}
