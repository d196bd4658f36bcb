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
 * The idempotency key was already used with other parameters, or for another service, so nothing was
 * sent. Use a new key for a new payment. From `gateway.idempotency.resolve`: nothing was resolved.
 * Outcome `not_sent`.
 */
export class IdempotencyConflictError extends GatewayError {
  protected static override readonly malipo: string = "IdempotencyConflictError";
  override readonly code = "idempotency_conflict" as const;
  /** The key that was used twice. */
  readonly idempotencyKey: string;
  /**
   * When the attempt may be resolved as not sent, in milliseconds from now. Only if
   * `resolve(key, "not_sent")` came too early: look again after this time.
   */
  declare readonly retryAfterMs?: number;
  constructor(message: string, idempotencyKey: string, retryAfterMs?: number) {
    super(message, "not_sent");
    this.idempotencyKey = idempotencyKey;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
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
  /**
   * From then on, no request of the attempt can be on its way any more: look for the payment then. A
   * payment that cannot be found before this time may still appear.
   */
  readonly notSentFrom: Date;
  constructor(message: string, idempotencyKey: string, attempt: string, notSentFrom: Date) {
    super(message, "unknown");
    this.idempotencyKey = idempotencyKey;
    this.attempt = attempt;
    this.notSentFrom = notSentFrom;
  }
}

/** An attempt that another call makes now. */
export interface InFlightAttempt {
  readonly idempotencyKey: string;
  readonly attempt: string;
  readonly since: Date;
  readonly until: Date;
}

/**
 * Another call makes an attempt with this idempotency key, and it did not end while this call waited
 * (`idempotencyWaitMs`). This call sent nothing. Make it again later to get the result of that
 * attempt. Outcome `unknown`.
 */
export class AttemptInFlightError extends GatewayError {
  protected static override readonly malipo: string = "AttemptInFlightError";
  override readonly code = "attempt_in_flight" as const;
  /** The key of the attempt. */
  declare readonly idempotencyKey: string;
  /** Id of the attempt. */
  declare readonly attempt: string;
  /** When the attempt began. */
  declare readonly since: Date;
  /** When the attempt ends at the latest. If its process has died, its outcome is unknown then. */
  declare readonly until: Date;
  constructor(message: string, attempt: InFlightAttempt) {
    super(message, "unknown");
    Object.assign(this, attempt);
  }
}
