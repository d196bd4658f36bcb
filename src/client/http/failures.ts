import { connectionDetails } from "#platform";
import type { Effect } from "../../contract/endpoints.ts";
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnexpectedResponseError,
} from "../../errors/api.ts";
import type { GatewayError, Outcome } from "../../errors/base.ts";
import { ConnectionError, TimeoutError } from "../../errors/connection.ts";
import { describeError } from "../../internal/describe-error.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import type { HttpResponse } from "./exchange.ts";
import { paymentIn } from "./payment-in-body.ts";
import { excerpt, parseJson, responseFields, safeHeaders } from "./response-fields.ts";

/** An attempt that failed: what decides about a retry, and the error to throw otherwise. */
export interface Failure {
  readonly outcome: Outcome;
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  /** Another attempt would fail in the same way. */
  readonly isPermanent?: boolean;
  /** `outcome`: the worst of all attempts. */
  toError(outcome: Outcome): GatewayError;
}

/** What an error needs to know of the call that failed. */
export interface CallContext {
  /** Method and path, as the interface writes them. */
  readonly endpoint: string;
  readonly effect: Effect;
  /** The base URL without its path, for messages. */
  readonly origin: string;
  readonly redactor: Redactor;
}

/** From the best to the worst. */
const OUTCOMES: readonly Outcome[] = ["not_sent", "rejected", "unknown"];

export const worse = (a: Outcome, b: Outcome): Outcome =>
  OUTCOMES.indexOf(a) > OUTCOMES.indexOf(b) ? a : b;

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: InvalidRequestError,
  429: RateLimitError,
};

/** What the caller may do now: the last sentence of a message. */
function nextStep(outcome: Outcome, effect: Effect): string {
  if (outcome === "not_sent") return "Nothing was sent. You can send it again.";
  if (outcome === "rejected" && effect === "read") return "The service rejected it.";
  if (outcome === "rejected")
    return "The service rejected it. Fix the cause before you send it again.";
  if (effect === "read") return "It changed nothing. You can send it again.";
  return effect === "create"
    ? "It may have happened. Look before you send it again."
    : "It may have happened. You can send it again: the result is the same.";
}

const messageOf = ({ endpoint, effect, redactor }: CallContext, what: string, outcome: Outcome) =>
  redactor.text(`${endpoint}${what} ${nextStep(outcome, effect)}`);

/** Statuses below 500 of a service or a proxy that stopped waiting: the service may have acted before. */
const UNKNOWN_STATUSES: ReadonlySet<number> = new Set([
  408, // Request Timeout
  460, // AWS: the client closed the connection
  499, // nginx: the client closed the request
]);

/** The service may also have acted before a 5xx and before a redirect (status 0 if a browser hides it). */
const isRejectionStatus = (status: number): boolean =>
  status >= 400 && status < 500 && !UNKNOWN_STATUSES.has(status);

/** The payment that the body of a call that creates something names. */
function startedPayment({ effect, redactor }: CallContext, { text }: HttpResponse) {
  const payment = effect === "create" ? paymentIn(parseJson(text)) : undefined;
  return payment?.reference === undefined
    ? payment
    : { reference: redactor.text(payment.reference) };
}

/**
 * A response that is not a 2xx, or says `success: false`. If it names a payment nevertheless, it
 * contradicts itself, and the payment may exist.
 */
export function statusFailure(context: CallContext, received: HttpResponse): Failure {
  const { status } = received.response;
  const payment = startedPayment(context, received);
  const reference = payment?.reference;
  const fields = { ...responseFields(received, context.redactor), reference };
  const saysRejected = isRejectionStatus(status) || received.response.ok;
  const outcome = saysRejected && payment === undefined ? "rejected" : "unknown";
  if (received.response.ok && payment !== undefined) {
    const named = reference === undefined ? "a payment" : `the payment ${reference}`;
    const what = `its body says \`success: false\` and names ${named}`;
    const toError = () => unexpectedResponse(context, received, what);
    return { outcome, status, toError };
  }
  const isRedirect = status < 400 && !received.response.ok;
  const ErrorType = BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
  return {
    outcome,
    status,
    retryAfterMs: fields.retryAfterMs,
    toError: (outcome) => {
      const description = isRedirect
        ? "a redirect, which is not followed. Is the base URL right?"
        : excerpt(fields.body) || "no body.";
      const message = messageOf(context, ` returned ${status}: ${description}`, outcome);
      return new ErrorType(message, outcome, fields);
    },
  };
}

/** A 2xx that cannot be used. */
export function unexpectedResponse(
  context: CallContext,
  received: HttpResponse,
  what: string,
  options?: ErrorOptions,
): UnexpectedResponseError {
  const { reference } = startedPayment(context, received) ?? {};
  const fields = { ...responseFields(received, context.redactor), reference };
  const description = excerpt(fields.body) || "no body.";
  const failed = ` returned ${fields.status}, but ${what}: ${description}`;
  const message = messageOf(context, failed, "unknown");
  return new UnexpectedResponseError(message, "unknown", fields, options);
}

export function tooLargeFailure(
  context: CallContext,
  response: Response,
  maxBytes: number,
): Failure {
  const { status } = response;
  const headers = safeHeaders(response.headers, context.redactor);
  const limit = `maxResponseBytes (${maxBytes} bytes)`;
  const what = ` returned ${status}, but its body is larger than ${limit} and was not read. Raise maxResponseBytes if the service sends such bodies.`;
  return {
    outcome: isRejectionStatus(status) ? "rejected" : "unknown",
    status,
    isPermanent: true,
    toError: (outcome) =>
      new UnexpectedResponseError(messageOf(context, what, outcome), outcome, {
        status,
        body: undefined,
        headers,
      }),
  };
}

/** What was thrown and why: `fetch` itself says only that it failed. */
function describeCauses(error: unknown, more = 2): string {
  const { cause } = Object(error) as { cause?: unknown };
  const why = cause === undefined || more === 0 ? "" : `: ${describeCauses(cause, more - 1)}`;
  return describeError(error) + why;
}

/**
 * No response, or one that broke off.
 *
 * @param wasSent - The request has left this machine, whatever the error says.
 */
export function connectionFailure(context: CallContext, error: unknown, wasSent: boolean): Failure {
  const { origin, redactor } = context;
  // A plain copy if it is not safe: from here on, nothing of a foreign object is called or read.
  const cause = redactor.cause(error);
  const { wasNotSent, code, hint } = connectionDetails(cause, origin);
  const why = code ?? maskPhones(describeCauses(cause));
  const what = `: the connection to ${origin} failed (${why}).${hint === undefined ? "" : ` ${hint}`}`;
  return {
    outcome: !wasSent && wasNotSent ? "not_sent" : "unknown",
    toError: (outcome) =>
      new ConnectionError(messageOf(context, what, outcome), outcome, { cause }),
  };
}

export function timeoutFailure(
  context: CallContext,
  option: "timeoutMs" | "totalTimeoutMs",
  ms: number,
): Failure {
  const what = `: no complete response within ${option} (${ms} ms).`;
  return {
    outcome: "unknown",
    toError: (outcome) => new TimeoutError(messageOf(context, what, outcome), outcome, ms),
  };
}

/** An attempt that was not sent, since its lease may be over. */
export function leaseFailure(context: CallContext, reason: string, totalMs: number): Failure {
  const what = `: ${reason}`;
  return {
    outcome: "not_sent",
    isPermanent: true,
    toError: (outcome) => new TimeoutError(messageOf(context, what, outcome), outcome, totalMs),
  };
}
