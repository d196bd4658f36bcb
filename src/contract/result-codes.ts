/** Whether it makes sense to ask the customer for the payment once more. */
export type RetryAdvice =
  /** Yes: a new payment with a new idempotency key. */
  | "now"
  /** Yes, after some minutes. */
  | "later"
  /** Only after a look: a prompt may be open, or the payment may have gone through. */
  | "look_first"
  /** No: it would fail again until a person changes something. */
  | "no"
  /** It is not known whether another request helps. */
  | "unknown";

/** What is known of one code of the mobile network. */
export interface ResultCode {
  /** Why the payment failed, for the merchant. */
  readonly cause: string;
  /** What to tell the customer. */
  readonly customerMessage: string;
  readonly retry: RetryAdvice;
  /** A text of the network by which the code is recognised if the code itself is missing. */
  readonly text?: RegExp;
}

/* @__NO_SIDE_EFFECTS__ */
const row = (
  cause: string,
  customerMessage: string,
  retry: RetryAdvice,
  text?: RegExp,
): ResultCode => ({ cause, customerMessage, retry, ...(text && { text }) });

const LIMIT = "This payment is over a limit of your mobile-money account.";
const TRY_LATER =
  "The mobile-money service could not take the payment. Please try again in a few minutes.";
const NOT_YOU = "The payment could not be made. You did nothing wrong; we are looking into it.";

/** A result code of the network whose meaning is known. */
export type KnownResultCode =
  | "1"
  | "2"
  | "3"
  | "4"
  | "8"
  | "11"
  | "12"
  | "15"
  | "17"
  | "20"
  | "26"
  | "1001"
  | "1019"
  | "1025"
  | "1032"
  | "1037"
  | "2001"
  | "2028"
  | "4999"
  | "9999";

/**
 * The result codes of the mobile network for an STK push, as integrators have published them. The
 * service documents none of them, so this table is a help and not a contract.
 */
export const RESULT_CODES = {
  "1": row(
    "The customer's balance is too low.",
    "There is not enough money in your mobile-money account. Add money, then try again.",
    "now",
    /balance is insufficient|insufficient (?:balance|funds)/i,
  ),
  "2": row(
    "The amount is below the network's minimum.",
    "The amount is too small to be paid by phone.",
    "no",
  ),
  "3": row("The amount is above the network's maximum for one payment.", LIMIT, "no"),
  "4": row("The customer's daily limit would be exceeded.", LIMIT, "later"),
  "8": row("The receiving account would hold more than it may.", NOT_YOU, "no"),
  "11": row(
    "The account that is to be charged is not valid.",
    "This phone number cannot pay. Please use another one.",
    "no",
  ),
  "12": row("The account that is to receive the money is not valid.", NOT_YOU, "no"),
  "15": row(
    "The network has seen the same request before.",
    "Please check whether you have already paid.",
    "look_first",
  ),
  "17": row(
    "The network could not process the payment now, often because the same payment was made a moment ago.",
    TRY_LATER,
    "later",
  ),
  "20": row("The merchant's credentials at the network are wrong.", NOT_YOU, "no"),
  "26": row("The network is busy.", TRY_LATER, "later", /system is busy|traffic blocking/i),
  "1001": row(
    "Another request is open on the customer's phone.",
    "Another request is waiting on your phone. Please answer or close it first.",
    "look_first",
    /unable to lock subscriber|another request is waiting|transaction is already in process/i,
  ),
  "1019": row(
    "The request expired before the customer answered.",
    "The request has expired. Please try again, and enter your PIN within a minute.",
    "now",
    /transaction (?:has )?expired/i,
  ),
  "1025": row(
    "The network could not send the prompt. A text that is too long can be the cause.",
    TRY_LATER,
    "later",
    /prompt could not be sent|error (?:occurred )?(?:while |in )?sending (?:a )?push/i,
  ),
  "1032": row(
    "The customer cancelled the request, or let it time out.",
    "You cancelled the payment request. You can try again.",
    "now",
    /cancel+ed/i,
  ),
  "1037": row(
    "The phone did not answer: it is off, without network, or the prompt was ignored.",
    "We could not reach your phone. Please check that it is on and has network, then try again.",
    "now",
    /timeout user cannot be reached|no (?:answer|response) from/i,
  ),
  "2001": row(
    "The customer entered a wrong PIN. Some networks use this code for wrong credentials of the merchant, too.",
    "The PIN was wrong. Please try again.",
    "now",
    /pin was wrong|wrong pin|initiator information is invalid/i,
  ),
  "2028": row(
    "The customer or the merchant is over a limit, or not permitted to make this payment.",
    LIMIT,
    "no",
  ),
  "4999": row(
    "The payment is still being processed.",
    "Your payment is being processed. Please wait a moment.",
    "look_first",
    /(?:still under|being) process/i,
  ),
  "9999": row("The network could not send the prompt.", TRY_LATER, "later"),
} as const satisfies Readonly<Record<KnownResultCode, ResultCode>>;
