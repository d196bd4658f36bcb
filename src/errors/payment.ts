import { GatewayError } from "./base.ts";

/**
 * The wait is over and the payment is not settled. That is no failure: it may still be paid. Keep
 * `reference`, and look again later or let the webhook tell. Outcome `unknown`.
 */
export class PaymentPendingError<Payment = unknown> extends GatewayError {
  protected static override readonly malipo: string = "PaymentPendingError";
  override readonly code = "payment_pending" as const;
  /** What `gateway.payments.get(reference)` takes. */
  readonly reference: string;
  /** The payment as it was last read; `undefined` where no read succeeded. Not enumerable. */
  declare readonly payment: Payment | undefined;
  constructor(
    message: string,
    reference: string,
    payment: Payment | undefined,
    options?: ErrorOptions,
  ) {
    super(message, "unknown", options);
    this.reference = reference;
    // It holds the customer's data, which logs should not.
    Object.defineProperty(this, "payment", { value: payment });
  }
}

/** The idempotency key was used with other parameters. Nothing was sent. Outcome `not_sent`. */
export class IdempotencyConflictError extends GatewayError {
  protected static override readonly malipo: string = "IdempotencyConflictError";
  override readonly code = "idempotency_conflict" as const;
  readonly idempotencyKey: string;
  constructor(message: string, idempotencyKey: string) {
    super(message, "not_sent");
    this.idempotencyKey = idempotencyKey;
  }
}

/**
 * An earlier attempt under this idempotency key may have happened, so nothing was sent now. Look,
 * then close it with `gateway.idempotency.settle`. Outcome `unknown`.
 */
export class OutcomeUnknownError extends GatewayError {
  protected static override readonly malipo: string = "OutcomeUnknownError";
  override readonly code = "outcome_unknown" as const;
  readonly idempotencyKey: string;
  /** Names the attempt that may have happened, for `settle` in another process. */
  readonly attempt: string;
  constructor(message: string, idempotencyKey: string, attempt: string) {
    super(message, "unknown");
    this.idempotencyKey = idempotencyKey;
    this.attempt = attempt;
  }
}
