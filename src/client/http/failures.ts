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
  type ResponseFields,
  ServerError,
  UnexpectedResponseError,
} from "../../errors/api.ts";
import type { GatewayError, Outcome } from "../../errors/base.ts";
import { ConnectionError, TimeoutError } from "../../errors/connection.ts";
import { describeError } from "../../internal/describe-error.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { BodyResult } from "../../profile/body-result.ts";
import type { CallContext, HttpResponse } from "./http-types.ts";
import { excerpt, responseFields, safeHeaders } from "./response-fields.ts";

/** An attempt that failed: what decides about a retry, and the error to throw otherwise. */
export interface Failure {
  readonly outcome: Outcome;
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  /** Another attempt would fail in the same way. */
  readonly isPermanent?: boolean;
  /** @param worst - The worst outcome of all attempts. */
  toError(worst: Outcome): GatewayError;
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

const messageOf = ({ name, endpoint, settings }: CallContext, what: string, outcome: Outcome) =>
  settings.redactor.text(`${name}${what} ${nextStep(outcome, endpoint.effect)}`);

/** Statuses below 500 of a service or a proxy that stopped waiting: the service may have acted before. */
const UNKNOWN_STATUSES: ReadonlySet<number> = new Set([
  408, // Request Timeout
  460, // AWS: the client closed the connection
  499, // nginx: the client closed the request
]);

/** The service may also have acted before a 5xx and before a redirect (status 0 if a browser hides it). */
const isRejectionStatus = (status: number): boolean =>
  status >= 400 && status < 500 && !UNKNOWN_STATUSES.has(status);

/**
 * A response that is not a 2xx, or whose body says that the request failed. If it names a payment nevertheless, it
 * contradicts itself, and the payment may exist.
 */
export function statusFailure(
  context: CallContext,
  received: HttpResponse,
  bodyResult?: BodyResult,
): Failure {
  const { status, ok } = received.response;
  const fields = responseFields(context, received);
  const { retryAfterMs, namesPayment, reference } = fields;
  const said = bodyResult?.status ?? status;
  // A code of a body may stand for anything, even if it looks like one of HTTP: the operator behind the
  // service may have timed out. A service may say so with the code of its rejections, so that a learned code
  // proves nothing about a create either. Only a flag does.
  const isSure =
    bodyResult === undefined ||
    bodyResult.isFlag ||
    (bodyResult.isSure && context.endpoint.effect !== "create");
  const isRejected =
    isSure && ((ok && bodyResult?.status === undefined) || isRejectionStatus(said));
  const outcome = isRejected && !namesPayment ? "rejected" : "unknown";
  const toError = (worst: Outcome) => {
    if (ok && namesPayment) {
      const named = reference === undefined ? "a payment" : `the payment ${reference}`;
      const { path = "success", value = "false" } = bodyResult ?? {};
      const what = `its body says \`${path}: ${value}\` and names ${named}`;
      return unusable(context, fields, what);
    }
    const description =
      status < 400 && !ok
        ? "a redirect, which is not followed. Is the base URL right?"
        : excerpt(fields.body);
    const message = messageOf(context, ` returned ${status}: ${description}`, worst);
    const ErrorType = BY_STATUS[said] ?? (said >= 500 ? ServerError : ApiError);
    return new ErrorType(message, worst, fields);
  };
  return { outcome, status, retryAfterMs, toError };
}

function unusable(
  context: CallContext,
  fields: ResponseFields,
  what: string,
  options?: ErrorOptions,
): UnexpectedResponseError {
  const failed = ` returned ${fields.status}, but ${what}: ${excerpt(fields.body)}`;
  const message = messageOf(context, failed, "unknown");
  return new UnexpectedResponseError(message, "unknown", fields, options);
}

/** A 2xx that cannot be used. */
export const unexpectedResponse = (
  context: CallContext,
  received: HttpResponse,
  what: string,
  options?: ErrorOptions,
): UnexpectedResponseError => unusable(context, responseFields(context, received), what, options);

export function tooLargeFailure(context: CallContext, response: Response): Failure {
  const { maxResponseBytes, redactor } = context.settings;
  const { status } = response;
  const headers = safeHeaders(response.headers, redactor);
  const what = ` returned ${status}, but its body is larger than maxResponseBytes (${maxResponseBytes} bytes) and was not read. Raise maxResponseBytes if the service sends such bodies.`;
  return {
    outcome: isRejectionStatus(status) ? "rejected" : "unknown",
    status,
    isPermanent: true,
    toError: (worst) => {
      const fields = { status, body: undefined, headers };
      return new UnexpectedResponseError(messageOf(context, what, worst), worst, fields);
    },
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
  const { origin, redactor } = context.settings;
  // A plain copy if it is not safe: from here on, nothing of a foreign object is called or read.
  const cause = redactor.cause(error);
  const { wasNotSent, reason, hint } = connectionDetails(cause, origin);
  const why = reason ?? maskPhones(describeCauses(cause));
  const what = `: the connection to ${origin} failed (${why}).${hint === undefined ? "" : ` ${hint}`}`;
  return {
    outcome: !wasSent && wasNotSent ? "not_sent" : "unknown",
    toError: (worst) => new ConnectionError(messageOf(context, what, worst), worst, { cause }),
  };
}

/**
 * No complete response in time. With the outcome `not_sent`, it did not leave: its lease may be over, or the
 * caller allows it no longer.
 *
 * @param limitMs - The limit that was exceeded.
 */
export function timeoutFailure(
  context: CallContext,
  why: string,
  limitMs: number,
  outcome: Outcome = "unknown",
): Failure {
  return {
    outcome,
    isPermanent: outcome === "not_sent",
    toError: (worst) => new TimeoutError(messageOf(context, `: ${why}`, worst), worst, limitMs),
  };
}
