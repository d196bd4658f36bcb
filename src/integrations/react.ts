/**
 * A React hook that shows a payment and its status.
 *
 * @module malipo/react
 */

"use client";

import { useEffect, useRef, useState } from "react";
import { followPayment } from "../client/status/follow-payment.ts";
import type { PaymentWaiter } from "../client/status/shared-wait.ts";
import type { WaitOptions } from "../client/waiting/wait-options.ts";
import type { Payment } from "../contract/payment.ts";

export type { PaymentWaiter };

/** A payment that a route of your server tells about: `statusHandler` of `malipo/status`. */
export interface PaymentRoute {
  /** The address of the route. `undefined` while there is no payment. */
  readonly url: string | undefined;
}

/** The result of `usePayment`. */
export interface PaymentView {
  /**
   * The payment as it was last read, or what the route tells of it: `status`, `user_message`, `retry_possible` and, of
   * an order, `message_code`, such as `refused`. `undefined` before the first read.
   */
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

/** Follows a payment until its final status, and reports each one before it. */
type Follow = (signal: AbortSignal, onUpdate: (payment: Payment) => void) => Promise<Payment>;

/**
 * Follows a payment until it reaches a final status, and renders again whenever the status changes. It
 * stops when the component unmounts, or when the address, the reference or the gateway changes. On a
 * server it renders a payment that was not read yet.
 *
 * With `{ url }`, it follows a route of your server, and the page needs no key. With a gateway and a
 * reference, it reads on the poll schedule of `waitFor`: anyone who opens the page can read its public
 * key, and with it the payments of all your customers.
 *
 * @example
 * ```tsx
 * function Receipt({ order }: { order: string }) {
 *   const { status, isFinal, error } = usePayment({ url: `/orders/${order}/payment` });
 *   if (status === "completed") return <p>Paid. Thank you!</p>;
 *   if (isFinal) return <p>The payment failed.</p>;
 *   return <p>{error ? "No result yet. We will send you an SMS." : "Check your phone."}</p>;
 * }
 * ```
 */
export function usePayment(route: PaymentRoute): PaymentView;
/**
 * Follows a payment with a key in the page, on the poll schedule of `waitFor`.
 *
 * @param gateway - Create it once, outside the component: another gateway starts another wait.
 * @param reference - The reference that your backend got from `mobileMoney.initiate`. Pass
 *   `undefined` while there is none.
 * @param options - Set them to change how long to wait, or which statuses are final.
 */
export function usePayment(
  gateway: PaymentWaiter,
  reference: string | undefined,
  options?: UsePaymentOptions,
): PaymentView;
export function usePayment(
  source: PaymentRoute | PaymentWaiter,
  reference?: string,
  options?: UsePaymentOptions,
): PaymentView {
  const gateway = "payments" in source ? source : undefined;
  const target = "url" in source ? source.url : reference;
  const [shown, setShown] = useState({ gateway, target, view: NOT_READ_YET });
  const latestOptions = useRef(options);
  useEffect(() => {
    latestOptions.current = options;
  });
  useEffect(() => {
    if (target === undefined) return;
    const follow: Follow = (signal, onUpdate) =>
      gateway === undefined
        ? followPayment(target, { signal, onUpdate })
        : gateway.payments.waitFor(target, { ...latestOptions.current, signal, onUpdate });
    return watchPayment(follow, (update) =>
      setShown((before) => {
        const isSame = before.gateway === gateway && before.target === target;
        return { gateway, target, view: update(isSame ? before.view : NOT_READ_YET) };
      }),
    );
  }, [gateway, target]);
  // After a change of target, the state still holds the other payment until the first read.
  const isCurrent = shown.gateway === gateway && shown.target === target;
  return isCurrent ? shown.view : NOT_READ_YET;
}

/** Follows a payment and reports each change of its view. Returns a function that stops it. */
function watchPayment(
  follow: Follow,
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
    signal.throwIfAborted();
    return follow(signal, (payment) => reportPayment(payment, false));
  };
  wait().then(
    (payment) => reportPayment(payment, true),
    (error: unknown) => reportUnlessStopped((before) => ({ ...before, error })),
  );
  return () => controller.abort();
}
