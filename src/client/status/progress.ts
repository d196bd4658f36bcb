import type { Payment } from "../../contract/payment.ts";

/**
 * What a page learns of a payment. It holds no reference, no phone and no name. A type and not an
 * interface, so that it is a {@link Payment} too.
 */
export type PaymentProgress = {
  /** `pending`, `completed`, `failed`, or a status that is not documented. */
  readonly status: Payment["status"];
  /** Whether the payment has reached a final status. */
  readonly final: boolean;
  /** Of a failed payment: what to tell the customer. */
  readonly user_message?: string;
  /** Of a failed payment: whether the customer may try again. */
  readonly retry_possible?: boolean;
};
