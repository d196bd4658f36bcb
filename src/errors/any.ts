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
import type {
  AttemptInFlightError,
  IdempotencyConflictError,
  OutcomeUnknownError,
} from "./attempt.ts";
import { GatewayError } from "./base.ts";
import type { ConfigurationError, InvalidParamsError, KeyTypeError } from "./configuration.ts";
import type { ConnectionError, TimeoutError } from "./connection.ts";
import type {
  OrderBusyError,
  OrderConflictError,
  OrderPaidError,
  ReviewDecidedError,
} from "./order.ts";
import type { PaymentPendingError } from "./payment.ts";
import type { WebhookVerificationError } from "./webhook.ts";

/** Every error of this package, as one union. A `switch` on `code` narrows it to a class. */
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
  | AttemptInFlightError
  | OrderBusyError
  | OrderConflictError
  | OrderPaidError
  | ReviewDecidedError
  | WebhookVerificationError;

/**
 * Whether an error comes from this package. Works across entry points and across ESM and CJS, as
 * `instanceof` does, and narrows to the union that a `switch` on `code` needs.
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

/** Every `code` that an error of this package can have. Compare the code, not the message. */
export type GatewayErrorCode = AnyGatewayError["code"];
