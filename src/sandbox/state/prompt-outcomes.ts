/** How a prompt can fail: the network's code, and the texts for the merchant and for the customer. */
export interface FailureCause {
  readonly code: number;
  readonly reason: string;
  readonly userMessage: string;
  readonly retryPossible: boolean;
}

/** The ways in which prompts fail in practice. The codes are those of the mobile network. */
export const FAILURES = {
  insufficientBalance: {
    code: 1,
    reason: "the balance is insufficient for the transaction",
    userMessage: "There is not enough money in your account.",
    retryPossible: true,
  },
  systemBusy: {
    code: 26,
    reason: "the system is busy",
    userMessage: "The service is busy. Please try later.",
    retryPossible: false,
  },
  anotherPrompt: {
    code: 1001,
    reason: "another request is waiting",
    userMessage: "Unable to start: another request is waiting on your phone.",
    retryPossible: false,
  },
  expired: {
    code: 1019,
    reason: "the transaction has expired",
    userMessage: "The request expired. Please try again.",
    retryPossible: true,
  },
  sendFailed: {
    code: 1025,
    reason: "the prompt could not be sent",
    userMessage: "The request could not be sent to your phone. Please try later.",
    retryPossible: false,
  },
  cancelled: {
    code: 1032,
    reason: "the customer cancelled the request",
    userMessage: "You cancelled the request.",
    retryPossible: true,
  },
  unreachable: {
    code: 1037,
    reason: "no answer from the phone",
    userMessage: "We could not reach your phone. Please try again.",
    retryPossible: true,
  },
  wrongPin: {
    code: 2001,
    reason: "the PIN was wrong",
    userMessage: "The PIN was wrong. Please try again.",
    retryPossible: true,
  },
  limitExceeded: {
    code: 2028,
    reason: "the customer is over a limit",
    userMessage: "This payment is over your limit.",
    retryPossible: false,
  },
} as const satisfies Record<string, FailureCause>;

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

const OUTCOME_BY_SUFFIX = new Map<string, PromptOutcome>(
  Object.entries(MAGIC_SUFFIXES).map(([outcome, suffix]) => [suffix, outcome as PromptOutcome]),
);

/** What happens automatically to the prompts of a phone number, if anything. */
export const magicOutcome = (phone: string): PromptOutcome | undefined =>
  OUTCOME_BY_SUFFIX.get(phone.slice(-3));
