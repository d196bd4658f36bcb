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
import { maskPhones, safeCause, withoutSecret } from "../../internal/redact.ts";
import type { HttpResponse } from "./exchange.ts";
import { failedBeforeSending } from "./failed-before-sending.ts";
import { retryAfterMs } from "./retry-after.ts";

/** An attempt that failed: what decides about a retry, and the error to throw otherwise. */
export interface Failure {
  readonly outcome: Outcome;
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  /** `outcome`: the worst of all attempts. */
  toError(outcome: Outcome): GatewayError;
}

/** What an error needs to know of the call that failed. */
export interface CallContext {
  /** Method and path, as the interface writes them. */
  readonly endpoint: string;
  readonly effect: Effect;
  readonly key: string;
}

/** From the best to the worst. */
const OUTCOMES: readonly Outcome[] = ["not_sent", "rejected", "unknown"];

/** The outcome of two attempts: the worse of theirs. */
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
  if (outcome === "rejected")
    return "The service rejected it. Fix the cause before you send it again.";
  if (effect === "read") return "It changed nothing. You can send it again.";
  return effect === "create"
    ? "It may have happened. Look before you send it again."
    : "It may have happened. You can send it again: the result is the same.";
}

const MAX_EXCERPT = 2_000;

function toJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    return "JSON that nests too deep to print";
  }
}

/** What a message quotes of a body: its error text, else all of it, cut and with phones masked. */
function excerpt(body: unknown): string {
  const { error, message } = Object(body) as { error?: unknown; message?: unknown };
  const found = [error, message, body].find((one) => typeof one === "string" && one !== "");
  const text = typeof found === "string" ? found : body === "" ? "" : toJson(body);
  // Cut twice: only the start of a long text is masked, and a phone must not be cut in two.
  const masked = maskPhones(text.slice(0, MAX_EXCERPT * 2)).trim();
  if (masked.length > MAX_EXCERPT) return `${masked.slice(0, MAX_EXCERPT)}...`;
  return /[^.!?]$/.test(masked) ? `${masked}.` : masked;
}

/** The parsed JSON of a response; its text where it is not JSON or nests too deep. */
function parseBody(text: string, key: string): unknown {
  try {
    return withoutSecret(JSON.parse(text), key);
  } catch {
    return withoutSecret(text, key);
  }
}

/** A copy of headers in which none holds the key. */
export function safeHeaders(headers: Headers, key: string): Headers {
  const copy = new Headers();
  for (const [name, value] of headers) copy.append(name, withoutSecret(value, key) as string);
  return copy;
}

/** Statuses whose reset headers say when to come back. */
const RATE_LIMITED: ReadonlySet<number> = new Set([429, 503]);

function responseFields({ response, text }: HttpResponse, key: string): ResponseFields {
  return {
    status: response.status,
    body: parseBody(text, key),
    headers: safeHeaders(response.headers, key),
    retryAfterMs: retryAfterMs(response.headers, RATE_LIMITED.has(response.status)),
  };
}

/** A response that is not a 2xx, or says `success: false`. */
export function statusFailure(context: CallContext, received: HttpResponse): Failure {
  const { endpoint, effect, key } = context;
  const { status } = received.response;
  const fields = responseFields(received, key);
  // The service may have acted before a 408 or a 5xx, and before a redirect (status 0 where a
  // browser hides it).
  const isRejection = (status >= 400 && status < 500 && status !== 408) || received.response.ok;
  const isRedirect = status < 400 && !received.response.ok;
  const ErrorType = BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
  return {
    outcome: isRejection ? "rejected" : "unknown",
    status,
    retryAfterMs: fields.retryAfterMs,
    toError: (outcome) => {
      const description = isRedirect
        ? "a redirect, which is not followed. Is the base URL right?"
        : excerpt(fields.body) || "no body.";
      return new ErrorType(
        `${endpoint} returned ${status}: ${description} ${nextStep(outcome, effect)}`,
        outcome,
        fields,
      );
    },
  };
}

/** A 2xx that cannot be used. */
export function unexpectedResponse(
  { endpoint, effect, key }: CallContext,
  received: HttpResponse,
  what: string,
  options?: ErrorOptions,
): UnexpectedResponseError {
  const fields = responseFields(received, key);
  return new UnexpectedResponseError(
    `${endpoint} returned ${fields.status}, but ${what}: ${excerpt(fields.body) || "no body."} ${nextStep("unknown", effect)}`,
    "unknown",
    fields,
    options,
  );
}

/** No response, or one that broke off. */
export function connectionFailure({ endpoint, effect, key }: CallContext, error: unknown): Failure {
  const cause = safeCause(error, key);
  const reported = maskPhones(String((cause as { message?: unknown } | null)?.message ?? cause));
  return {
    outcome: failedBeforeSending(error) ? "not_sent" : "unknown",
    toError: (outcome) =>
      new ConnectionError(
        `${endpoint}: the connection failed (${reported}). ${nextStep(outcome, effect)}`,
        outcome,
        { cause },
      ),
  };
}

/** An attempt, or the whole call, that took too long. */
export function timeoutFailure(
  { endpoint, effect }: CallContext,
  option: "timeoutMs" | "totalTimeoutMs",
  ms: number,
): Failure {
  return {
    outcome: "unknown",
    toError: (outcome) =>
      new TimeoutError(
        `${endpoint}: no complete response within ${option} (${ms} ms). ${nextStep(outcome, effect)}`,
        outcome,
        ms,
      ),
  };
}
