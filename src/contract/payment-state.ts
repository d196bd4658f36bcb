import { InvalidParamsError } from "../errors/configuration.ts";
import { maskPhones } from "../internal/phone-digits.ts";
import type { Payment, PaymentFields } from "./payment.ts";

/** The statuses that a payment does not leave, of those that the service documents. */
const FINAL_STATUSES: readonly string[] = ["completed", "failed"];

/** Whether a payment with this status has ended: it is `completed` or `failed`. */
export function isFinal(status: string): boolean {
  return FINAL_STATUSES.includes(status);
}

/** The result of `mergePayment`. */
export interface MergedPayment {
  /** The payment to store and use from now on. */
  readonly payment: Payment;
  /** Whether the status is different from the status known before. */
  readonly changed: boolean;
  /**
   * Whether one payment update says `completed` and another says `failed`. Let a person check it:
   * the customer may have paid for something that you treated as not paid.
   */
  readonly contradiction: boolean;
}

/** Fields that only a completed payment has. */
export const COMPLETED_FIELDS = [
  "transaction_id",
  "provider_transaction_id",
  "provider_reference",
  "payer_name",
] as const satisfies readonly (keyof PaymentFields)[];

/** Fields that only a failed payment has. */
export const FAILURE_FIELDS = [
  "failure_reason",
  "user_message",
  "retry_possible",
] as const satisfies readonly (keyof PaymentFields)[];

/** A field that only a failed payment has. */
export type FailureField = (typeof FAILURE_FIELDS)[number];

/**
 * Combines what you know of a payment with a payment update: a read, or the `data` of a webhook event.
 * Updates arrive late, twice and out of order. The rules are:
 *
 * - A `completed` payment stays `completed`.
 * - `completed` and `failed` replace `pending` and every undocumented status.
 * - `completed` after `failed` results in `completed`, and sets `contradiction`.
 *
 * If one of the updates is `completed` or `failed`, the resulting status does not depend on their
 * order. Otherwise the last update decides.
 *
 * @param known - The payment as you know it. `undefined` if this is the first update.
 * @param update - The payment as a read or a webhook shows it now.
 * @throws {InvalidParamsError} if the two have different references.
 *
 * @example
 * ```ts
 * const { payment, contradiction } = mergePayment(stored, event.data);
 * await save(payment);
 * if (contradiction) await alertSupport(stored, event.data);
 * ```
 */
export function mergePayment(
  known: Payment | PaymentFields | undefined,
  update: Payment | PaymentFields,
): MergedPayment {
  if (known === undefined) return { payment: { ...update }, changed: true, contradiction: false };
  const payment = addUpdate(known, update);
  const changed = known.status !== update.status;
  const contradiction = isFinal(known.status) && isFinal(update.status) && changed;
  if (isFinal(known.status) && !replacesFinal(known, update)) {
    // The update may still fill in fields that are not known yet, unless it contradicts them.
    const merged = contradiction ? { ...known } : { ...update, ...known };
    return { payment: merged, changed: false, contradiction };
  }
  return { payment, changed, contradiction };
}

/**
 * A payment whose status is not final, with what an update adds.
 *
 * @throws {InvalidParamsError} if the two have different references.
 */
export function addUpdate(known: PaymentFields | undefined, update: PaymentFields): Payment {
  if (known === undefined) return { ...update };
  checkSamePayment(known, update);
  const payment: Payment = { ...known, ...update };
  if (payment.status === "completed") {
    for (const field of FAILURE_FIELDS) if (!(field in update)) delete payment[field];
  }
  return payment;
}

/** Whether an update replaces a final status: a success always does, a failure only a failure. */
function replacesFinal(known: PaymentFields, update: PaymentFields): boolean {
  return update.status === "completed" || (known.status === "failed" && update.status === "failed");
}

function checkSamePayment(known: PaymentFields, update: PaymentFields): void {
  const references = [known.reference, update.reference];
  if (references.includes(undefined) || known.reference === update.reference) return;
  const [first, second] = references.map((reference) => maskPhones(String(reference)));
  const message = `expected two updates of one payment, got the references "${first}" and "${second}"`;
  throw new InvalidParamsError(
    `mergePayment: ${message}. Pass the payment that has the reference of the update.`,
    [{ path: ["reference"], message }],
  );
}
