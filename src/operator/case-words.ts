// What the page says of reviews and of the history of orders, in the words of the people of a shop.
import type { Order, Review, ReviewDecision, ReviewKind } from "../checkout/rules/order-types.ts";
import { REVIEWS } from "../checkout/rules/view.ts";

type Wording = Readonly<
  Partial<Record<ReviewDecision, readonly [label: string, says: string, done: string]>>
>;

const REFUNDED = [
  "I have paid it back",
  "{came} will be noted as paid back. Pay it back first: this moves no money.",
  "The payment is noted as paid back.",
] as const;
const REFUNDED_UNGIVEN = [
  "I have paid it back",
  "{came} will be noted as paid back, and the goods will not be given any more. Pay it back first: this moves no money.",
  "The payment is noted as paid back. The goods are not given any more.",
] as const;
const KEEP = [
  "Keep it",
  "The money stays with the shop. Nothing else will change.",
  "The money stays with the shop.",
] as const;
const KEEP_ORDER = [
  "Keep the order",
  "The order stays as it is. Nothing else will change.",
  "The order stays as it is.",
] as const;
const GIVE = [
  "Give the goods",
  "The order will count as paid, and the shop will hand over the goods, once.",
  "The order counts as paid. The shop hands over the goods: until it has, the order is under “Goods that are due”.",
] as const;
const WITH_MONEY = { accept: GIVE, refunded: REFUNDED, dismiss: KEEP };

/** What may be decided about a review, in words. */
export const DECISIONS: Readonly<Record<ReviewKind, Wording>> = {
  overpaid: { refunded: REFUNDED, dismiss: KEEP },
  amount_mismatch: WITH_MONEY,
  currency_mismatch: WITH_MONEY,
  late_payment: WITH_MONEY,
  refund_due: {
    refunded: REFUNDED_UNGIVEN,
    accept: [
      "Give the goods after all",
      "The shop will try to hand over the goods, and may refuse again. An order that was canceled counts as paid.",
      "The shop hands over the goods: until it has, the order is under “Goods that are due”.",
    ],
    dismiss: KEEP,
  },
  unmatched: { refunded: REFUNDED, dismiss: KEEP },
  contradiction: { dismiss: KEEP_ORDER },
  unknown_outcome: {
    accept: GIVE,
    dismiss: [
      "The customer has not paid",
      "The request will end without money, and the customer may try again.",
      "The request has ended without money.",
    ],
  },
  effect_failed: {
    accept: [
      "Try again now",
      "The shop will try to hand over the goods at once.",
      "The shop tries again to hand over the goods.",
    ],
    refunded: REFUNDED_UNGIVEN,
    dismiss: [
      "Leave it to the shop",
      "This case will end. The shop goes on trying to hand over the goods.",
      "The case has ended. The shop goes on trying.",
    ],
  },
  effect_unclear: {
    accept: [
      "The goods are missing",
      "The shop will hand over the goods again, unless it has noted that it did.",
      "The shop hands over the goods again, unless it had noted that it did.",
    ],
    refunded: REFUNDED_UNGIVEN,
    dismiss: [
      "The customer has the goods",
      "The order will say that its goods were given.",
      "The order says that its goods were given.",
    ],
  },
};

/**
 * What has happened, and the one thing that a person does about it, in the words of the people of a shop. `{came}` is
 * the amount of the payment, `{label}` the label of the order.
 */
export const CASES: Readonly<Record<ReviewKind, readonly [cause: string, todo: string]>> = {
  overpaid: [
    "The order was paid, and {came} more came.",
    "Pay {came} back. Keep it only if it is for something else.",
  ],
  amount_mismatch: [
    "The customer paid another amount than the order costs: {came}.",
    "Give the goods if the amount is all right. Otherwise pay {came} back.",
  ],
  currency_mismatch: [
    "The customer paid in another currency than the order has: {came}.",
    "Give the goods if the amount is all right. Otherwise pay {came} back.",
  ],
  late_payment: [
    "The customer paid {came} after the time to pay was over.",
    "Give the goods if they are still there. Otherwise pay {came} back.",
  ],
  refund_due: [
    "The customer paid {came}, and gets no goods.",
    "Pay {came} back in the dashboard of the service. Then say so here.",
  ],
  unknown_outcome: [
    "It is not known whether the customer was asked to pay.",
    "Look in the dashboard of the service for a payment with the label {label}. If one is completed, give the goods. If there is none, the customer has not paid.",
  ],
  contradiction: [
    "The service has said two different things about this payment.",
    "Read the payment under “At the service now”. If it agrees with the order, keep the order as it is. If not, ask the service first.",
  ],
  unmatched: [
    "Money came that belongs to no order.",
    "Find out who paid, and for what. Pay it back, or hand over the goods yourself and keep the money.",
  ],
  effect_failed: [
    "The order is paid, and the shop could not hand over the goods. It tries again every few minutes.",
    "Have the cause fixed. Then try again now.",
  ],
  effect_unclear: [
    "The order is paid, and it is not certain that all goods were handed over.",
    "Look at what the customer has. The history of the order says what happened.",
  ],
};

/** What a review says beside its kind: why, and whether the goods were given. */
export const moreOf = ({ kind, message }: Review): string =>
  message
    .replace(REVIEWS[kind], "")
    .replace(" onPaid refused it:", " The shop refused it:")
    .replace(" It came after", " The money came after")
    .replace(" Its account reference is", " The customer typed the label")
    .replace(" It has no account reference.", " The customer typed no label.");

/** Whether the customer of an order has what it is for. */
export const GOODS_TEXTS: Readonly<Record<Order["effect"], string>> = {
  none: "no goods were given",
  due: "the goods are due",
  done: "the goods were given",
  refused: "the shop refused the goods",
  refunded: "paid back, without goods",
};

/** Words of developers in the history of an order, and those of the people of a shop. */
const STAFF_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^The goods were given: onPaid has committed\./, "The goods were given."],
  [/^onPaid failed/, "The shop could not hand over the goods"],
  [/^onPaid refused/, "The shop refused"],
  [/and onPaid has failed/, "and the shop could not hand over the goods"],
  [/ Pay the amount of this review back\./, ""],
  [/^Review: /, "A case was opened: "],
  [/^A review was decided as refunded/, "A case was decided as paid back"],
  [/^A review was /, "A case was "],
  [/^(?:A webhook|A read at the service) says: /, "The service says: "],
  [/: attempt (\d+), phone /, ": request $1, to "],
  [/^The prompt of attempt (\d+)/, "Request $1"],
  [/ the prompt of attempt (\d+)/, " request $1"],
  [/^Attempt (\d+)/, "Request $1"],
  [/ became of attempt (\d+)/, " became of request $1"],
  [/^No prompt was sent/, "No request was sent"],
];

/** What follows says how a developer repairs it. */
const MISUSED = "onPaid used its transaction";

/** A line of the history of an order, as staff reads it. */
export function inStaffWords(text: string): string {
  const [before = "", ...misused] = text.split(MISUSED);
  const end = misused.length > 0 ? "it is not certain that all goods were handed over." : "";
  return STAFF_WORDS.reduce((told, [words, own]) => told.replace(words, own), before + end);
}
