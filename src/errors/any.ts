import type {
  ApiError,
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnexpectedResponseError,
} from "./api.ts";
import { GatewayError } from "./base.ts";
import type { ConfigurationError, InvalidParamsError, KeyTypeError } from "./configuration.ts";
import type { ConnectionError, TimeoutError } from "./connection.ts";
import type {
  IdempotencyConflictError,
  OutcomeUnknownError,
  PaymentPendingError,
} from "./payment.ts";
import type { WebhookVerificationError } from "./webhook.ts";

/** Every error of this package, as one union: a `switch` on `code` narrows it. */
export type AnyGatewayError =
  | ConfigurationError
  | KeyTypeError
  | InvalidParamsError
  | AuthenticationError
  | PermissionError
  | NotFoundError
  | ConflictError
  | InvalidRequestError
  | RateLimitError
  | ServerError
  | (ApiError & { readonly code: "api" })
  | ConnectionError
  | TimeoutError
  | UnexpectedResponseError
  | PaymentPendingError
  | IdempotencyConflictError
  | OutcomeUnknownError
  | WebhookVerificationError;

/**
 * Is this one of ours? Holds across entry points and across ESM and CJS, like `instanceof`, and
 * gives the union whose `code` narrows.
 *
 * @example
 * ```ts
 * if (isGatewayError(error)) switch (error.code) {
 *   case "rate_limit": return wait(error.retryAfterMs);
 *   case "invalid_params": return show(error.issues);
 * }
 * ```
 */
export function isGatewayError(error: unknown): error is AnyGatewayError {
  return error instanceof GatewayError;
}

/** Every `code` that an error of this package can have. Switch on it, never on the message. */
export type GatewayErrorCode = AnyGatewayError["code"];
