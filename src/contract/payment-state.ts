import { InvalidParamsError } from "../errors/configuration.ts";
import type { Payment } from "./payment.ts";

/** What became of a payment after one more report. */
export interface MergedPayment {
  /** The payment as it is to be taken from now on. */
  readonly payment: Payment;
  /** Whether its status is another than before. */
  readonly changed: boolean;
  /**
   * One report says completed, another failed. Money has moved, or the reports are wrong: a person
   * should look.
   */
  readonly contradiction: boolean;
}

/** What only a failed payment has. */
const FAILURE_FIELDS = ["failure_reason", "user_message", "retry_possible"];

const isSettled = (status: string) => status === "completed" || status === "failed";

/**
 * What a later report of a payment (a read, a webhook's `data`) may do to what is known of it.
 * Reports come late, doubled and out of order; this decides, the same way everywhere:
 *
 * - `completed` is never taken back.
 * - `completed` or `failed` beats `pending` and every status that the interface does not show.
 * - A late success after a failure is a success, and a contradiction for a person to see.
 *
 * Whatever the order in which the same reports come: once one of them is `completed` or `failed`, the
 * status ends up the same. Of open ones alone, the last is taken.
 *
 * @param known - What is known so far; `undefined` where nothing is.
 * @param report - What a read or a webhook says now.
 * @throws {InvalidParamsError} where the two are of different payments.
 *
 * @example
 * ```ts
 * const { payment, contradiction } = mergePayment(stored, event.data);
 * await save(payment);
 * if (contradiction) await tellSomebody(stored, event.data);
 * ```
 */
export function mergePayment(known: Payment | undefined, report: Payment): MergedPayment {
  if (known === undefined) return { payment: report, changed: true, contradiction: false };
  const [reference, reported] = [known.reference, report.reference];
  if (reference !== undefined && reported !== undefined && reference !== reported) {
    const message = "expected two reports of one payment, got two references";
    throw new InvalidParamsError(`mergePayment: ${message}.`, [{ path: ["reference"], message }]);
  }
  const contradiction =
    isSettled(known.status) && isSettled(report.status) && known.status !== report.status;
  const takes =
    report.status === "completed" || (known.status !== "completed" && isSettled(report.status));
  // Between two open states the later one is taken; there is no telling them apart.
  if (!takes && isSettled(known.status)) {
    const filled = contradiction ? known : { ...report, ...known };
    return { payment: filled, changed: false, contradiction };
  }
  const payment: Payment = { ...known, ...report };
  if (payment.status === "completed") {
    for (const field of FAILURE_FIELDS) if (!(field in report)) delete payment[field];
  }
  return { payment, changed: known.status !== report.status, contradiction };
}
