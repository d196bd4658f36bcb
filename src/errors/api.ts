import { type ErrorCause, GatewayError, type Outcome } from "./base.ts";
import { requestIdOf } from "./request-id.ts";

/** The codes of {@link ApiError} and its subclasses. */
export type ApiErrorCode =
  | "api"
  | "authentication"
  | "permission"
  | "not_found"
  | "conflict"
  | "invalid_request"
  | "rate_limit"
  | "server";

/** The parts of the service's response that an error carries. */
export interface ResponseFields {
  /** HTTP status. 0 if a browser hides the status of a redirect. */
  readonly status: number;
  /** The parsed JSON body, or the text if it is not JSON. Your API key is removed from it. */
  readonly body: unknown;
  /** The response headers. */
  readonly headers: Headers;
  /** The wait that `Retry-After` asked for, in milliseconds, if the response had that header. */
  readonly retryAfterMs?: number | undefined;
  /** The reference of the payment that the body names. */
  readonly reference?: string | undefined;
}

/** What the errors of a response have in common. */
abstract class ResponseError extends GatewayError {
  /** HTTP status. */
  readonly status: number;
  /** The parsed JSON body, or the text. Not enumerable: logs do not print a customer's data. */
  declare readonly body: unknown;
  /** The response headers. Not enumerable. */
  declare readonly headers: Headers;
  /**
   * The reference of the payment that the body names. The payment may exist: read it with
   * `payments.get(reference)` before you send the call again.
   */
  declare readonly reference?: string;
  constructor(message: string, outcome: Outcome, response: ResponseFields, options?: ErrorCause) {
    super(message, outcome, options);
    const { status, body, headers, reference } = response;
    this.status = status;
    Object.defineProperties(this, { body: { value: body }, headers: { value: headers } });
    const requestId = requestIdOf(headers);
    if (requestId !== undefined) Object.assign(this, { requestId });
    if (reference !== undefined) Object.assign(this, { reference });
  }
}

/**
 * The service returned an error. Common statuses have a subclass. Every other status, and
 * `success: false` with a 2xx, is a plain `ApiError`.
 *
 * The outcome is `rejected`. It is `unknown` for 5xx, 408, 460, 499 and redirects, if the body of a
 * call that creates something names a payment nevertheless (`reference`), and if an earlier attempt
 * of the same call may have reached the service.
 *
 * @example
 * ```ts
 * if (error instanceof ApiError) log.warn("gateway error", error.status, error.code);
 * ```
 *
 * @see docs/reference/service.md, "Errors"
 */
export class ApiError extends ResponseError {
  protected static override readonly malipo: string = "ApiError";
  override readonly code: ApiErrorCode = "api";
  /** The wait that `Retry-After` asked for, in milliseconds, if the response had that header. */
  declare readonly retryAfterMs?: number;
  constructor(message: string, outcome: Outcome, response: ResponseFields) {
    super(message, outcome, response);
    if (response.retryAfterMs !== undefined) this.retryAfterMs = response.retryAfterMs;
  }
}

/** 401: the key is missing, unknown or revoked. */
export class AuthenticationError extends ApiError {
  protected static override readonly malipo: string = "ApiError/AuthenticationError";
  override readonly code = "authentication" as const;
}

/** 403: the key is of the wrong kind, or it lacks a scope. */
export class PermissionError extends ApiError {
  protected static override readonly malipo: string = "ApiError/PermissionError";
  override readonly code = "permission" as const;
}

/** 404: the payment, invoice, webhook or path does not exist. */
export class NotFoundError extends ApiError {
  protected static override readonly malipo: string = "ApiError/NotFoundError";
  override readonly code = "not_found" as const;
}

/** 409: the request conflicts with the current state of the resource. */
export class ConflictError extends ApiError {
  protected static override readonly malipo: string = "ApiError/ConflictError";
  override readonly code = "conflict" as const;
}

/** 400 or 422: the request is malformed, or a field is invalid. */
export class InvalidRequestError extends ApiError {
  protected static override readonly malipo: string = "ApiError/InvalidRequestError";
  override readonly code = "invalid_request" as const;
}

/** 429: too many requests. `retryAfterMs` is the time to wait, if the service gave one. */
export class RateLimitError extends ApiError {
  protected static override readonly malipo: string = "ApiError/RateLimitError";
  override readonly code = "rate_limit" as const;
}

/** 5xx: the service failed. The outcome is `unknown`, whatever the body says. */
export class ServerError extends ApiError {
  protected static override readonly malipo: string = "ApiError/ServerError";
  override readonly code = "server" as const;
}

/**
 * The service returned a 2xx that cannot be used: the body is not JSON, or a required field is
 * missing or not usable (`data.status` of a payment, `data.reference` of an initiation, the items of
 * a list). Or the body contradicts itself: it says `success: false` and names a payment. Or
 * its body is larger than `maxResponseBytes`; then it may have any status, and `body` is `undefined`.
 *
 * Outcome `unknown`, except if a body that is too large came with a 4xx: `rejected`.
 */
export class UnexpectedResponseError extends ResponseError {
  protected static override readonly malipo: string = "UnexpectedResponseError";
  override readonly code = "unexpected_response" as const;
}
