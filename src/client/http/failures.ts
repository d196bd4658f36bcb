import type { Effect } from "../../contract/endpoints.ts";
import {
  type ResponseFields,
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
import { maskPhones, safeCause, withoutSecret } from "../../internal/redact.ts";
import { failedBeforeSending } from "./connection.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { HttpAnswer } from "./transport.ts";

/** An attempt that failed: what of it decides about another, and the error to throw otherwise. */
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

function wayOut(outcome: Outcome, effect: Effect): string {
  if (outcome === "not_sent") return "Nothing was sent; it may be sent again.";
  if (outcome === "rejected") return "It was refused; mend the cause before sending it again.";
  if (effect === "read") return "It changed nothing; it may be sent again.";
  return effect === "create"
    ? "It may have happened: look before sending it again."
    : "It may have happened; sending it again ends in the same state.";
}

const LONGEST_EXCERPT = 2_000;

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    return "JSON nested past all reading";
  }
}

/** What a body says, for a message: its error text, else all of it, cut and with phones masked. */
function excerpt(body: unknown): string {
  const { error, message } = Object(body) as { error?: unknown; message?: unknown };
  const said = [error, message, body].find((one) => typeof one === "string" && one !== "");
  const text = typeof said === "string" ? said : body === "" ? "" : jsonOf(body);
  // Cut twice: what is masked need not be all of a long text, and a phone must not be cut in two.
  const masked = maskPhones(text.slice(0, LONGEST_EXCERPT * 2)).trim();
  if (masked.length > LONGEST_EXCERPT) return `${masked.slice(0, LONGEST_EXCERPT)}...`;
  return /[^.!?]$/.test(masked) ? `${masked}.` : masked;
}

/** The parsed JSON of an answer, or its text where it is none or nested past all reading. */
function bodyOf(text: string, key: string): unknown {
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

function fieldsOf({ response, text }: HttpAnswer, key: string): ResponseFields {
  return {
    status: response.status,
    body: bodyOf(text, key),
    headers: safeHeaders(response.headers, key),
    retryAfterMs: retryAfterMs(response.headers),
  };
}

/** An answer that is a refusal or a failure of the service: not a 2xx, or `success: false`. */
export function refusal(context: CallContext, answer: HttpAnswer): Failure {
  const { endpoint, effect, key } = context;
  const { status } = answer.response;
  const fields = fieldsOf(answer, key);
  // 408 and 5xx may have done their work; a redirect (0 where a browser hides it) may be followed
  // by anything.
  const isNo = (status >= 400 && status < 500 && status !== 408) || answer.response.ok;
  const isRedirect = status < 400 && !answer.response.ok;
  const ErrorType = BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
  return {
    outcome: isNo ? "rejected" : "unknown",
    status,
    retryAfterMs: fields.retryAfterMs,
    toError: (outcome) => {
      const said = isRedirect
        ? "a redirect, which is not followed: is the base URL right?"
        : excerpt(fields.body) || "no body.";
      return new ErrorType(
        `${endpoint} was answered ${status}: ${said} ${wayOut(outcome, effect)}`,
        outcome,
        fields,
      );
    },
  };
}

/** A 2xx that cannot be used. */
export function unexpected(
  { endpoint, effect, key }: CallContext,
  answer: HttpAnswer,
  what: string,
  options?: ErrorOptions,
): UnexpectedResponseError {
  const fields = fieldsOf(answer, key);
  return new UnexpectedResponseError(
    `${endpoint} was answered ${fields.status}, but ${what}: ${excerpt(fields.body) || "no body."} ${wayOut("unknown", effect)}`,
    "unknown",
    fields,
    options,
  );
}

/** No answer, or one that broke off. */
export function disconnection({ endpoint, effect, key }: CallContext, error: unknown): Failure {
  const cause = safeCause(error, key);
  const reported = maskPhones(String((cause as { message?: unknown } | null)?.message ?? cause));
  return {
    outcome: failedBeforeSending(error) ? "not_sent" : "unknown",
    toError: (outcome) =>
      new ConnectionError(
        `${endpoint}: the connection failed (${reported}). ${wayOut(outcome, effect)}`,
        outcome,
        { cause },
      ),
  };
}

/** An attempt, or the whole call, that took too long. */
export function lateness(
  { endpoint, effect }: CallContext,
  option: "timeoutMs" | "totalTimeoutMs",
  ms: number,
): Failure {
  return {
    outcome: "unknown",
    toError: (outcome) =>
      new TimeoutError(
        `${endpoint}: no whole answer within ${option} (${ms} ms). ${wayOut(outcome, effect)}`,
        outcome,
        ms,
      ),
  };
}
