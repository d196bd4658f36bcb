// What a checkout tells a customer: each message by its code, in English. Pages have other languages by these codes.
import { DEFAULT_MESSAGE } from "../../contract/explain-failure.ts";
import { type KnownResultCode, RESULT_CODES } from "../../contract/result-codes.ts";

/** How an order stands. */
const ORDER_MESSAGES = {
  not_paid: "Not paid yet.",
  sending: "We are sending a request to your phone. Enter your PIN there to pay.",
  part_received: "We received {received} of {amount}. {due} is left to pay.",
  enter_pin: "Enter your PIN on your phone to pay.",
  checking_request:
    "We are checking whether our request reached your phone. Please do not pay again yet.",
  checking_payment: "We received a payment for this order and are checking it.",
  paid: "Paid. Thank you.",
  paid_back: "We received your payment for this order, and paid it back.",
  refused:
    "We received your payment, but this order cannot be delivered. We will pay your money back.",
  canceled: "This order was canceled.",
  canceled_reject_request: "This order was canceled. Reject the request on your phone.",
  canceled_checking_payment:
    "This order was canceled. We received a payment for this order and are checking it.",
  canceled_paying_back:
    "This order was canceled. We received a payment for it and will pay it back.",
  paid_elsewhere: "This order was paid in another way. There is nothing to pay here.",
  paid_elsewhere_reject_request:
    "This order was paid in another way. Reject the request on your phone.",
  paid_elsewhere_paying_back:
    "This order was paid in another way. We received a second payment for it and will pay it back.",
  expired: "The time to pay this order is over.",
  expired_checking_payment:
    "The time to pay this order is over. We received a payment for this order and are checking it.",
  expired_paying_back:
    "The time to pay this order is over. We received a payment for it and will pay it back.",
  attempts_used_up:
    "We have sent several requests for this order, and none was paid. Please contact us.",
  too_many_attempts:
    "There were too many attempts to pay this order, and none was paid. Please contact us.",
  last_payment_open:
    "Your last payment may still be open. Reject the request on your phone, and try again in a moment.",
  phone_busy:
    "Another payment request is open on this phone. Reject a request that you did not start. Answer your own one first.",
  phone_limit_over:
    "This phone was asked too often. It can be asked again now. Reject a request that you did not start.",
  phone_limit_minute:
    "This phone was asked too often. It can be asked again in 1 minute. Reject a request that you did not start.",
  phone_limit_minutes:
    "This phone was asked too often. It can be asked again in {minutes} minutes. Reject a request that you did not start.",
  phone_limit_hours:
    "This phone was asked too often. It can be asked again in {hours} hours. Reject a request that you did not start.",
} as const;

/** Why the last request of a customer brought no money. */
const REASONS = {
  payment_failed: DEFAULT_MESSAGE,
  not_sent: "The request was not sent to your phone. You were not charged. Please try again.",
  rejected_phone:
    "The payment request was not accepted. You were not charged. Check your phone number and try again.",
  rejected_amount:
    "This amount cannot be requested on a phone. You were not charged. Please contact us.",
  rejected_shop:
    "We could not request the payment. You were not charged. You did nothing wrong; we are looking into it.",
  service_busy:
    "The mobile-money service is busy. You were not charged. Please try again in a few minutes.",
  last_payment_unchecked: "We could not check your last payment. Please try again in a moment.",
} as const;

/** The messages of the checkout itself. The English of a network's result code stands in its table. */
export const MESSAGES = { ...ORDER_MESSAGES, ...REASONS } as const;

/** The code of a failure to which the network gave a result code: `network_1032`. */
export type NetworkMessageCode = `network_${KnownResultCode}`;

/** The code of a message that says why the last request brought no money. */
export type ReasonCode = keyof typeof REASONS | NetworkMessageCode;

/** The code of what an order or an attempt tells the customer. A later version may have more of them. */
export type MessageCode = keyof typeof MESSAGES | NetworkMessageCode;

/** What stands in the place of the names in braces. */
export interface MessageValues {
  readonly minutes?: number;
  readonly hours?: number;
  /** Amounts with their currency: `"KES 1500.00"`. */
  readonly received?: string;
  readonly amount?: string;
  readonly due?: string;
}

/** The names in braces of a text. */
export type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The values that a message requires. */
type ValuesOf<Code extends keyof typeof MESSAGES> = Required<
  Pick<MessageValues, NamesIn<(typeof MESSAGES)[Code]> & keyof MessageValues>
>;

/** A message, as it is stored and shown. */
export interface Message {
  /** In English, or in the service's own words. */
  readonly message: string;
  /** Absent if the words are the service's own, or were stored by a version without codes. */
  readonly messageCode?: MessageCode | undefined;
  readonly messageValues?: MessageValues | undefined;
}

/** A text with its names in braces filled in. */
export const filled = (text: string, values: Readonly<Record<string, unknown>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name) =>
    Object.hasOwn(values, name) ? String(values[name] ?? whole) : whole,
  );

/** A message of the checkout. */
export function messageOf<Code extends keyof typeof MESSAGES>(
  messageCode: Code,
  ...[messageValues]: keyof ValuesOf<Code> extends never ? [] : [ValuesOf<Code>]
): Message & { readonly messageCode: Code } {
  const message = filled(MESSAGES[messageCode], { ...messageValues });
  return { message, messageCode, ...(messageValues && { messageValues }) };
}

/** The code of a failure with a result code that is known. */
export const networkMessageCode = (resultCode: string | undefined): ReasonCode | undefined =>
  resultCode !== undefined && Object.hasOwn(RESULT_CODES, resultCode)
    ? `network_${resultCode as KnownResultCode}`
    : undefined;
