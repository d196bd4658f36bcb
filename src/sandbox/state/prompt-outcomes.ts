import { RESULT_CODES } from "../../contract/result-codes.ts";

/** How a prompt can fail: the network's code and text for the merchant, and a text for the customer. */
const failure = (code: keyof typeof RESULT_CODES, text: string, userMessage: string) => ({
  reason: `${code}: ${text}`,
  userMessage,
  retryPossible: RESULT_CODES[code].retry === "now",
});

/** The ways in which prompts fail in practice. */
export const FAILURES = {
  insufficientBalance: failure(
    "1",
    "the balance is insufficient for the transaction",
    "There is not enough money in your account.",
  ),
  systemBusy: failure("26", "the system is busy", "The service is busy. Please try later."),
  anotherPrompt: failure(
    "1001",
    "another request is waiting",
    "Unable to start: another request is waiting on your phone.",
  ),
  expired: failure("1019", "the transaction has expired", "The request expired. Please try again."),
  sendFailed: failure(
    "1025",
    "the prompt could not be sent",
    "The request could not be sent to your phone. Please try later.",
  ),
  cancelled: failure("1032", "the customer cancelled the request", "You cancelled the request."),
  unreachable: failure(
    "1037",
    "no answer from the phone",
    "We could not reach your phone. Please try again.",
  ),
  wrongPin: failure("2001", "the PIN was wrong", "The PIN was wrong. Please try again."),
  limitExceeded: failure(
    "2028",
    "the customer is over a limit",
    "This payment is over your limit.",
  ),
} as const;

export type FailureName = keyof typeof FAILURES;

/** What happens to a prompt: the customer pays, ignores it, or it fails in one of the ways above. */
export type PromptOutcome = "approve" | "ignore" | FailureName;

/**
 * The last three digits of a phone number that answers its prompts automatically, 3 s after each,
 * under 07 and 01 alike. All other numbers wait for `sandbox.phone(number)`.
 *
 * @example
 * ```ts
 * const phone = `0712345${MAGIC_SUFFIXES.insufficientBalance}`;
 * ```
 */
export const MAGIC_SUFFIXES = {
  /** Paid, if the balance is enough. */
  approve: "789",
  /** Never answered: the prompt expires after 60 s. */
  ignore: "129",
  limitExceeded: "019",
  unreachable: "029",
  cancelled: "039",
  insufficientBalance: "049",
  wrongPin: "059",
  expired: "069",
  sendFailed: "079",
  systemBusy: "089",
} as const satisfies Partial<Record<PromptOutcome, string>>;

/** What happens automatically to the prompts of a phone number, if anything. */
export const magicOutcome = (phone: string): PromptOutcome | undefined =>
  (Object.keys(MAGIC_SUFFIXES) as (keyof typeof MAGIC_SUFFIXES)[]).find((outcome) =>
    phone.endsWith(MAGIC_SUFFIXES[outcome]),
  );
