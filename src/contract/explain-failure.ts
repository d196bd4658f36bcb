import { RESULT_CODES, type ResultCode, type RetryAdvice } from "./result-codes.ts";

/** Why a payment failed, and what to do about it. See {@link explainFailure}. */
export interface FailureExplanation {
  /** The network's result code, such as `"1032"`, if the reason names one or its text is known. */
  readonly code: string | undefined;
  /** Why the payment failed, for you. */
  readonly cause: string;
  /** What to tell the customer: the service's own text if it sent one. */
  readonly customerMessage: string;
  /**
   * Whether to ask the customer for the payment once more, each time with a new idempotency key:
   * `now`, `later` (after some minutes), `look_first` (read the payment before), `no`, or `unknown`.
   * The service's own `retry_possible` decides against a retry if it is `false`.
   */
  readonly retry: RetryAdvice;
}

/** The fields of a payment that {@link explainFailure} reads. */
export interface ExplainablePayment {
  readonly status?: string | undefined;
  readonly failure_reason?: string | undefined;
  readonly user_message?: string | undefined;
  readonly retry_possible?: boolean | undefined;
}

/** What a customer reads of a failure without a known reason. */
export const DEFAULT_MESSAGE = "The payment did not go through.";

/** The code that a reason begins with or names: `1032`, `1032: cancelled`, `ResultCode 1032`. */
function codeIn(reason: string): string | undefined {
  const [, code] = /(?:^|code\D{0,3}|[[(])\s*(\d{1,4})\s*(?=$|[:\])]|- )/i.exec(reason) ?? [];
  return code;
}

const codeOfText = (reason: string): string | undefined =>
  Object.entries<ResultCode>(RESULT_CODES).find(([, { text }]) => text?.test(reason))?.[0];

function knownCode(code: string | undefined): ResultCode | undefined {
  return code !== undefined && Object.hasOwn(RESULT_CODES, code)
    ? RESULT_CODES[code as keyof typeof RESULT_CODES]
    : undefined;
}

function retryAdvice(known: ResultCode | undefined, possible: boolean | undefined): RetryAdvice {
  if (known === undefined) return possible === undefined ? "unknown" : possible ? "now" : "no";
  // The service knows more of this payment than a table does.
  return possible === false && known.retry === "now" ? "no" : known.retry;
}

/**
 * Explains why a payment failed: the cause, what to tell the customer, and whether to try again. The
 * service does not document its reasons. If one names a result code of the mobile network, or uses
 * a text that is known, the explanation is that of the code; otherwise it says what the service said.
 *
 * @param failure - A failed payment, the `data` of a `payment.failed` event, or a result code.
 *
 * @example
 * ```ts
 * const { customerMessage, retry } = explainFailure(payment);
 * show(customerMessage, { canTryAgain: retry === "now" });
 * ```
 */
export function explainFailure(failure: ExplainablePayment | string | number): FailureExplanation {
  const payment = typeof failure === "object" ? failure : { failure_reason: String(failure) };
  const { failure_reason: reason, user_message: message, retry_possible: possible } = payment;
  if (payment.status !== undefined && payment.status !== "failed") return notFailed(payment.status);
  const given = typeof reason === "string" ? reason.trim() : "";
  const code = codeIn(given) ?? codeOfText(given);
  const known = knownCode(code);
  return {
    code,
    cause: known?.cause ?? unknownCause(given, code),
    customerMessage: message || known?.customerMessage || DEFAULT_MESSAGE,
    retry: retryAdvice(known, possible),
  };
}

function unknownCause(reason: string, code: string | undefined): string {
  if (reason === "") return "The service gave no reason.";
  if (reason === code) return `The code ${code} is not known here. Ask the service what it means.`;
  return `The service gave this reason: ${reason}`;
}

function notFailed(status: string): FailureExplanation {
  const isPaid = status === "completed";
  return {
    code: undefined,
    cause: `The payment has not failed: its status is ${JSON.stringify(status)}.`,
    customerMessage: isPaid ? "Your payment was received." : "Your payment is not complete yet.",
    retry: isPaid ? "no" : "look_first",
  };
}
