import { GatewayError } from "./base.ts";

/** Why a webhook was rejected. See {@link WebhookVerificationError}. */
export type WebhookErrorCode =
  | "signature_missing"
  | "signature_malformed"
  | "signature_mismatch"
  | "timestamp_out_of_range"
  | "payload_invalid"
  | "body_not_raw";

/**
 * A webhook that must not be trusted. Respond with `status`: 401 for a wrong signature or an old
 * timestamp, 400 for a payload that is not an event, 500 if the raw body is no longer available.
 *
 * The message never contains the body, the signature or the secret.
 *
 * @see docs/reference/events.md, "Events and deliveries"
 */
export class WebhookVerificationError extends GatewayError {
  protected static override readonly malipo: string = "WebhookVerificationError";
  declare readonly code: WebhookErrorCode;
  /** The HTTP status to respond with. */
  declare readonly status: 400 | 401 | 500;
  constructor(code: WebhookErrorCode, message: string, status: 400 | 401 | 500 = 401) {
    super(message, "rejected");
    this.code = code;
    this.status = status;
  }
}
