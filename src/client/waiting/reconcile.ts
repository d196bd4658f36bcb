import { type DoublePayment, DoublePaymentDetector } from "../../contract/double-payment.ts";
import type { Payment } from "../../contract/payment.ts";
import { isFinal } from "../../contract/payment-state.ts";
import {
  checkOptions,
  checkWholeNumber,
  describeValue,
  type OptionRows,
} from "../../internal/check-options.ts";
import { concurrently, iteratorOf } from "../../internal/concurrently.ts";
import { callHook } from "../hooks.ts";
import { invalidParams } from "../invalid-params.ts";
import type { CallOptions } from "../options.ts";

/**
 * What a read says about a payment: `final` (completed or failed), `pending`, `unknown` (a status
 * that is not documented), or `unreadable` (the read failed; `error` says why).
 */
export type ReconcileResult =
  | {
      readonly reference: string;
      readonly state: "final";
      readonly payment: Payment;
      /**
       * Completed payments of this reconciliation that look like the same money twice: two of one
       * `account_reference`, or two with one `transaction_id`. Left out if there is none. The last
       * 10,000 completed payments are compared.
       */
      readonly doublePayments?: readonly DoublePayment[];
    }
  | { readonly reference: string; readonly state: "pending"; readonly payment: Payment }
  | { readonly reference: string; readonly state: "unknown"; readonly payment: Payment }
  | { readonly reference: string; readonly state: "unreadable"; readonly error: unknown };

/** How many payments have been read, in all (`done`) and by what the read said. */
export type ReconcileProgress = Readonly<Record<"done" | ReconcileResult["state"], number>>;

/** How to reconcile payments. */
export interface ReconcileOptions {
  /**
   * How many payments are read at the same time. Lower it if the service limits your rate.
   *
   * @default 8
   */
  concurrency?: number | undefined;
  /** Called after each payment. Set it to show how far a long reconciliation is. */
  onProgress?: ((progress: ReconcileProgress) => void) | undefined;
  /**
   * Ends the reconciliation at once. It rejects with the signal's own reason. Set it if the
   * process may have to stop in the middle.
   */
  signal?: AbortSignal | undefined;
}

const OPTIONS = {
  concurrency: (count = 8) => checkWholeNumber("concurrency", count, 1),
  /** An error of it is ignored. */
  onProgress: (callback) => callback,
  signal: (signal) => signal,
} satisfies OptionRows<ReconcileOptions>;

function stateOf({ status }: Payment): "final" | "pending" | "unknown" {
  if (isFinal(status)) return "final";
  return status === "pending" ? "pending" : "unknown";
}

function withDoublePayments(
  result: ReconcileResult,
  detector: DoublePaymentDetector,
): ReconcileResult {
  if (result.state !== "final") return result;
  const { reference, payment } = result;
  const doublePayments = detector.note({ ...payment, reference });
  return doublePayments.length === 0 ? result : { ...result, doublePayments };
}

/**
 * Reads many payments, several at a time, and yields each result as soon as it is there. Goes on
 * after errors. It takes a reference only when the caller is ready for a result, so it needs no more
 * memory for many references than for a few.
 */
export async function* reconcilePayments(
  read: (reference: string, options: CallOptions) => Promise<Payment>,
  references: Iterable<string> | AsyncIterable<string>,
  options: ReconcileOptions = {},
): AsyncGenerator<ReconcileResult, void, void> {
  const { concurrency, onProgress, signal: end } = checkOptions(options, OPTIONS, "reconcile");
  const source = iteratorOf(references);
  if (source === undefined) {
    const message = `\`references\` must be an iterable, such as an array; got ${describeValue(references)}`;
    throw invalidParams("reconcile", [{ path: [], message }]);
  }

  async function readOne(reference: string, signal: AbortSignal): Promise<ReconcileResult> {
    try {
      const payment = await read(reference, { signal });
      return { reference, state: stateOf(payment), payment };
    } catch (error) {
      return { reference, state: "unreadable", error };
    }
  }

  const counts = { done: 0, final: 0, pending: 0, unknown: 0, unreadable: 0 };
  const detector = new DoublePaymentDetector();
  for await (const next of concurrently(source, readOne, concurrency, end)) {
    counts.done++;
    counts[next.state]++;
    callHook(onProgress, () => ({ ...counts }));
    yield withDoublePayments(next, detector);
  }
}
