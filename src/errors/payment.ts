import { GatewayError } from "./base.ts";

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
    options?: ErrorOptions,
  ) {
    super(message, "unknown", options);
    this.reference = reference;
    // The payment holds the customer's data, which must not appear in logs.
    Object.defineProperty(this, "payment", { value: payment });
  }
}

/**
 * The idempotency key was already used with other parameters, so nothing was sent. Use a new key
 * for a new payment. Outcome `not_sent`.
 */
export class IdempotencyConflictError extends GatewayError {
  protected static override readonly malipo: string = "IdempotencyConflictError";
  override readonly code = "idempotency_conflict" as const;
  /** The key that was used twice. */
  readonly idempotencyKey: string;
  constructor(message: string, idempotencyKey: string) {
    super(message, "not_sent");
    this.idempotencyKey = idempotencyKey;
  }
}

/**
 * An earlier attempt with this idempotency key may have taken effect, so nothing was sent now. Find
 * out what happened, then call `gateway.idempotency.resolve`. Outcome `unknown`.
 */
export class OutcomeUnknownError extends GatewayError {
  protected static override readonly malipo: string = "OutcomeUnknownError";
  override readonly code = "outcome_unknown" as const;
  /** The key of the attempt. */
  readonly idempotencyKey: string;
  /** Id of the attempt that may have taken effect. Another process can pass it to `resolve`. */
  readonly attempt: string;
  constructor(message: string, idempotencyKey: string, attempt: string) {
    super(message, "unknown");
    this.idempotencyKey = idempotencyKey;
    this.attempt = attempt;
  }
}
