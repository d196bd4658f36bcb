import { GatewayError, type KeyStatus } from "./base.ts";

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
  /** `taken`, by another call or by another attempt; `free` if there was nothing to resolve. */
  declare readonly key: KeyStatus;
  constructor(
    message: string,
    idempotencyKey: string,
    retryAfterMs?: number,
    key: KeyStatus = "taken",
  ) {
    super(message, "not_sent");
    this.idempotencyKey = idempotencyKey;
    this.key = key;
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
  /** `taken`: no call with the key is sent until the attempt is resolved. */
  declare readonly key: KeyStatus;
  constructor(message: string, idempotencyKey: string, attempt: string, notSentFrom: Date) {
    super(message, "unknown");
    this.idempotencyKey = idempotencyKey;
    this.attempt = attempt;
    this.notSentFrom = notSentFrom;
    this.key = "taken";
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
  /** `taken`, by that attempt. */
  declare readonly key: KeyStatus;
  constructor(message: string, attempt: InFlightAttempt) {
    super(message, "unknown");
    Object.assign(this, attempt, { key: "taken" });
  }
}
