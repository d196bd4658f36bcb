import { type ErrorCause, GatewayError } from "./base.ts";

/**
 * The wait ended before the payment reached a final status. The payment has not failed: the
 * customer may still pay. Keep `reference`, and read the payment later or rely on the webhook.
 * Outcome `unknown`.
 */
export class PaymentPendingError<Payment = unknown> extends GatewayError {
  protected static override readonly malipo: string = "PaymentPendingError";
  override readonly code = "payment_pending" as const;
  /** Reference of the payment, for `gateway.payments.get(reference)`. */
  readonly reference: string;
  /** The payment as it was last read. `undefined` if no read succeeded. Not enumerable. */
  declare readonly payment: Payment | undefined;
  constructor(
    message: string,
    reference: string,
    payment: Payment | undefined,
    options?: ErrorCause,
  ) {
    super(message, "unknown", options);
    this.reference = reference;
    // The payment holds the customer's data, which must not appear in logs.
    Object.defineProperty(this, "payment", { value: payment });
  }
}
