/**
 * A React hook that shows a payment and its status.
 *
 * @module malipo/react
 */

"use client";

import { useEffect, useRef, useState } from "react";
import type { WaitOptions } from "../client/waiting/wait-options.ts";
import type { Payment } from "../contract/payment.ts";

/** The part of a `Gateway` that `usePayment` calls. In a browser, make it with a public key. */
export interface PaymentWaiter {
  readonly payments: {
    /** See `gateway.payments.waitFor`. */
    waitFor(reference: string, options?: WaitOptions): Promise<Payment>;
  };
}

/** The result of `usePayment`. */
export interface PaymentView {
  /** The payment as it was last read. `undefined` before the first read. */
  readonly payment: Payment | undefined;
  /** The status of the payment. `undefined` before the first read. */
  readonly status: Payment["status"] | undefined;
  /** Whether the payment has reached a final status. It is no longer read then. */
  readonly isFinal: boolean;
  /**
   * The error that ended the wait, if one did. A `PaymentPendingError` does not mean that the
   * payment failed: the time is over, and the customer may still pay.
   */
  readonly error: unknown;
}

/**
 * The options of `gateway.payments.waitFor`, but for `signal` and `onUpdate`. Set `waitMs` to wait longer
 * or shorter than the default. The hook reads the options when the wait starts.
 */
export type UsePaymentOptions = Omit<WaitOptions, "signal" | "onUpdate">;

const NOT_READ_YET: PaymentView = {
  payment: undefined,
  status: undefined,
  isFinal: false,
  error: undefined,
};

/**
 * Reads a payment until it reaches a final status, and renders again whenever the status changes.
 * It uses the poll schedule of `waitFor`. It stops when the component unmounts, or when the
 * reference or the gateway changes. On a server it renders a payment that was not read yet.
 *
 * @param gateway - Create it once, outside the component: another gateway starts another wait.
 * @param reference - The reference that your backend got from `mobileMoney.initiate`. Pass
 *   `undefined` while there is none.
 * @param options - Set them to change how long to wait, or which statuses are final.
 *
 * @example
 * ```tsx
 * const gateway = new Gateway({ apiKey: "pk_live_...", baseUrl });
 *
 * function Receipt({ reference }: { reference: string }) {
 *   const { status, isFinal, error } = usePayment(gateway, reference);
 *   if (status === "completed") return <p>Paid. Thank you!</p>;
 *   if (isFinal) return <p>The payment failed.</p>;
 *   return <p>{error ? "No result yet. We will send you an SMS." : "Check your phone."}</p>;
 * }
 * ```
 */
export function usePayment(
  gateway: PaymentWaiter,
  reference: string | undefined,
  options?: UsePaymentOptions,
): PaymentView {
  const [shown, setShown] = useState({ gateway, reference, view: NOT_READ_YET });
  const latestOptions = useRef(options);
  useEffect(() => {
    latestOptions.current = options;
  });
  useEffect(() => {
    if (reference === undefined) return;
    return watchPayment(gateway, reference, latestOptions.current, (update) =>
      setShown((before) => {
        const isSame = before.gateway === gateway && before.reference === reference;
        return { gateway, reference, view: update(isSame ? before.view : NOT_READ_YET) };
      }),
    );
  }, [gateway, reference]);
  // After a change of reference, the state still holds the other payment until the first read.
  const isCurrent = shown.gateway === gateway && shown.reference === reference;
  return isCurrent ? shown.view : NOT_READ_YET;
}

/** Waits for a payment and reports each change of its view. Returns a function that stops it. */
function watchPayment(
  gateway: PaymentWaiter,
  reference: string,
  options: UsePaymentOptions | undefined,
  report: (update: (before: PaymentView) => PaymentView) => void,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const reportUnlessStopped: typeof report = (update) => {
    if (!signal.aborted) report(update);
  };
  const reportPayment = (payment: Payment, isFinal: boolean) =>
    reportUnlessStopped(() => ({ payment, status: payment.status, isFinal, error: undefined }));
  const wait = async () => {
    // Strict mode stops the first of two effects at once. Starting later saves its read.
    await Promise.resolve();
    return gateway.payments.waitFor(reference, {
      ...options,
      signal,
      onUpdate: (payment) => reportPayment(payment, false),
    });
  };
  wait().then(
    (payment) => reportPayment(payment, true),
    (error: unknown) => reportUnlessStopped((before) => ({ ...before, error })),
  );
  return () => controller.abort();
}
