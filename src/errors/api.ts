import { GatewayError, type Outcome } from "./base.ts";

const API_ERROR_CODES = [
  "api",
  "authentication",
  "permission",
  "not_found",
  "conflict",
  "invalid_request",
  "rate_limit",
  "server",
] as const;

/** The codes of {@link ApiError} and its subclasses. */
export type ApiErrorCode = (typeof API_ERROR_CODES)[number];

/** What the service answered, as an error carries it. */
export interface AnswerFields {
  /** HTTP status; 0 where a browser hides the status of a redirect. */
  readonly status: number;
  /** The parsed JSON body, or the text where it is no JSON. Your key, if echoed, is taken out. */
  readonly body: unknown;
  /** The answer's headers. */
  readonly headers: Headers;
  /** What `Retry-After` asked for, in milliseconds, where the answer had one. */
  readonly retryAfterMs?: number | undefined;
}

// The body and the headers may hold a customer's data: they are there for whoever asks for them,
// and stay out of `console.log(error)` and `JSON.stringify(error)`.
function holdAnswer(error: object, { body, headers }: AnswerFields): void {
  Object.defineProperties(error, { body: { value: body }, headers: { value: headers } });
}

/**
 * The service answered with a refusal. The subclasses tell the usual ones apart; a status without
 * a subclass, and `success: false` under a 2xx, are plain `ApiError`s.
 *
 * Outcome `rejected`; `unknown` for 5xx, 408 and redirects, and where an earlier attempt of the
 * same call may have got through.
 *
 * @see Service interface, section 7.
 */
export class ApiError extends GatewayError {
  protected static override readonly malipo: string = "ApiError";
  override readonly code: ApiErrorCode = "api";
  readonly status: number;
  /** Parsed body or text. Not enumerable, so that logs do not print a customer's data. */
  declare readonly body: unknown;
  /** The answer's headers. Not enumerable. */
  declare readonly headers: Headers;
  /** What `Retry-After` asked for, in milliseconds, where the answer had one. */
  declare readonly retryAfterMs?: number;
  constructor(message: string, outcome: Outcome, answer: AnswerFields) {
    super(message, outcome);
    this.status = answer.status;
    if (answer.retryAfterMs !== undefined) this.retryAfterMs = answer.retryAfterMs;
    holdAnswer(this, answer);
  }
  /** Holds for subclasses that another copy of the package made, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isSubclass = (error: GatewayError) =>
      (API_ERROR_CODES as readonly string[]).includes(error.code);
    return (
      super[Symbol.hasInstance](value) ||
      (this === ApiError && value instanceof GatewayError && isSubclass(value))
    );
  }
}

/** 401: the key is missing, unknown or revoked. */
export class AuthenticationError extends ApiError {
  protected static override readonly malipo: string = "AuthenticationError";
  override readonly code = "authentication" as const;
}

/** 403: the key is of the wrong kind or lacks a scope. */
export class PermissionError extends ApiError {
  protected static override readonly malipo: string = "PermissionError";
  override readonly code = "permission" as const;
}

/** 404: no such payment, invoice, webhook or path. */
export class NotFoundError extends ApiError {
  protected static override readonly malipo: string = "NotFoundError";
  override readonly code = "not_found" as const;
}

/** 409: the request contradicts the present state. */
export class ConflictError extends ApiError {
  protected static override readonly malipo: string = "ConflictError";
  override readonly code = "conflict" as const;
}

/** 400 or 422: the service found the request malformed or a field invalid. */
export class InvalidRequestError extends ApiError {
  protected static override readonly malipo: string = "InvalidRequestError";
  override readonly code = "invalid_request" as const;
}

/** 429: too many requests. `retryAfterMs` says how long to wait, where the service said so. */
export class RateLimitError extends ApiError {
  protected static override readonly malipo: string = "RateLimitError";
  override readonly code = "rate_limit" as const;
}

/** 5xx: the service failed. Outcome `unknown`, whatever the body says. */
export class ServerError extends ApiError {
  protected static override readonly malipo: string = "ServerError";
  override readonly code = "server" as const;
}

/**
 * A 2xx that cannot be used: no JSON, or without what the method promises (`data.status` of a
 * payment, `data.reference` of an initiation, the items of a list). Outcome `unknown`.
 */
export class UnexpectedResponseError extends GatewayError {
  protected static override readonly malipo: string = "UnexpectedResponseError";
  override readonly code = "unexpected_response" as const;
  readonly status: number;
  /** Parsed body or text. Not enumerable, so that logs do not print a customer's data. */
  declare readonly body: unknown;
  /** The answer's headers. Not enumerable. */
  declare readonly headers: Headers;
  constructor(message: string, outcome: Outcome, answer: AnswerFields, options?: ErrorOptions) {
    super(message, outcome, options);
    this.status = answer.status;
    holdAnswer(this, answer);
  }
}
