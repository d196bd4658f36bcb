import { GatewayError } from "./base.ts";

/** Why a webhook was refused. See {@link WebhookVerificationError}. */
export type WebhookErrorCode =
  | "signature_missing"
  | "signature_malformed"
  | "signature_mismatch"
  | "timestamp_out_of_range"
  | "payload_invalid"
  | "body_not_raw";

/**
 * A delivery that must not be trusted. Answer it with `status`: 401 for the signature and the
 * timestamp, 400 for a payload that is no event, 500 where the raw body was lost on the way.
 *
 * Never quotes the body, the digest or the secret.
 *
 * @see Service interface, section 6.
 */
export class WebhookVerificationError extends GatewayError {
  protected static override readonly malipo: string = "WebhookVerificationError";
  declare readonly code: WebhookErrorCode;
  /** The HTTP status to answer with. */
  declare readonly status: 400 | 401 | 500;
  constructor(code: WebhookErrorCode, message: string, status: 400 | 401 | 500 = 401) {
    super(message, "rejected");
    this.code = code;
    this.status = status;
  }
}
