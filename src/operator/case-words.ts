// What the page says of reviews and of the history of orders, in the words of the people of a shop.
import type {
  Order,
  OrderStatus,
  Review,
  ReviewDecision,
  ReviewKind,
} from "../checkout/rules/order-types.ts";
import { REVIEWS } from "../checkout/rules/view.ts";
import { ReviewDecidedError, type ReviewEnd } from "../errors/order.ts";
import { messageOf } from "./wording.ts";

/** What a person may decide. `past`: what the history calls it. */
interface DecisionWords {
  readonly label: string;
  readonly says: string;
  readonly done: string;
  readonly past: string;
}
type Wording = Readonly<Partial<Record<ReviewDecision, DecisionWords>>>;

const REFUNDED: DecisionWords = {
  label: "I have paid it back",
  says: "{paid} will be noted as paid back. Pay it back first: this moves no money.",
  done: "It is noted as paid back.",
  past: "Paid back",
};
const REFUNDED_UNGIVEN: DecisionWords = {
  ...REFUNDED,
  says: "{paid} will be noted as paid back, and the goods will not be given any more. Pay it back first: this moves no money.",
  done: "It is noted as paid back. The goods are not given any more.",
};
const KEEP: DecisionWords = {
  label: "Keep the money",
  says: "{paid}: The customer gets no goods for it, and the money stays with the shop.",
  done: "The money stays with the shop.",
  past: "Money kept",
};
const KEEP_ORDER: DecisionWords = {
  label: "Keep the order",
  says: "The order stays as it is. Nothing else will change.",
  done: "The order stays as it is.",
  past: "Order kept",
};
const GIVE: DecisionWords = {
  label: "Give the goods",
  says: "The order will count as paid, and the system will hand over the goods, once.",
  done: "The order counts as paid. The system hands over the goods.",
  past: "Goods given",
};
const GIVE_FOR: DecisionWords = {
  ...GIVE,
  says: "The order will count as paid with {came} instead of {price}, and the system will hand over the goods, once.",
};
const WITH_MONEY: Wording = { accept: GIVE_FOR, dismiss: KEEP, refunded: REFUNDED };

/** What may be decided about a review, in words, in the order of the buttons. The system is the program of the shop. */
export const DECISIONS: Readonly<Record<ReviewKind, Wording>> = {
  overpaid: { dismiss: KEEP, refunded: REFUNDED },
  amount_mismatch: WITH_MONEY,
  currency_mismatch: WITH_MONEY,
  late_payment: { ...WITH_MONEY, accept: GIVE },
  refund_due: {
    accept: {
      label: "Give the goods after all",
      says: "Can the shop deliver them now? The system refused to hand over the goods. It will try once more, and may refuse again.",
      done: "The system hands over the goods, unless it refuses again.",
      past: "Goods given after all",
    },
    dismiss: KEEP,
    refunded: REFUNDED_UNGIVEN,
  },
  unmatched: {
    dismiss: {
      ...KEEP,
      says: "{paid} stays with the shop. The system gives no goods for it: hand them over yourself, if it is for some.",
    },
    refunded: REFUNDED,
  },
  contradiction: { dismiss: KEEP_ORDER },
  unknown_outcome: {
    accept: GIVE,
    dismiss: {
      label: "The customer has not paid",
      says: "The payment request will end without money, and the customer may try again.",
      done: "The payment request has ended without money.",
      past: "The customer has not paid",
    },
  },
  effect_failed: {
    accept: {
      label: "Try again now",
      says: "The system will try at once to hand over the goods.",
      done: "The system tries again now. Look at this list again in a minute: if the order is still here, the goods were not handed over.",
      past: "Tried again",
    },
    dismiss: {
      label: "Leave it to the system",
      says: "This case will end. The system goes on trying to hand over the goods.",
      done: "The case has ended. The system goes on trying.",
      past: "Left to the system",
    },
    refunded: REFUNDED_UNGIVEN,
  },
  effect_unclear: {
    accept: {
      label: "The goods are missing",
      says: "The system will hand over the goods again, unless it has noted that it did.",
      done: "The system hands over the goods again, unless it had noted that it did.",
      past: "The goods were missing",
    },
    dismiss: {
      label: "The customer has the goods",
      says: "The order will say that its goods were given.",
      done: "The order says that its goods were given.",
      past: "The customer has the goods",
    },
    refunded: REFUNDED_UNGIVEN,
  },
};

/** The decision to give the goods of an order that was canceled before its money came. */
export const GIVE_CANCELED: DecisionWords = {
  label: "Give the goods after all",
  says: "Are the goods still there? This order was canceled. It will count as paid, and the system will hand over the goods, once.",
  done: "This order was canceled. It counts as paid now, and the system hands over the goods.",
  past: "Goods given after all",
};

/** The words of decisions that no button has: they were made without the page. */
const OTHERS: Readonly<Record<ReviewEnd["decision"], string>> = {
  accept: "Counted as paid",
  refunded: "Paid back",
  dismiss: "Case ended",
  closed: "The case ended by itself",
};

/** What was decided about a review, in the words of its button: `Paid back, by Amina`. */
function pastText(
  kind: ReviewKind | undefined,
  decision: ReviewEnd["decision"],
  by: string | undefined,
): string {
  const own = kind && decision !== "closed" ? DECISIONS[kind]?.[decision] : undefined;
  return `${own?.past ?? OTHERS[decision]}${by === undefined ? "" : `, by ${by}`}`;
}

/** The kind that the id of a review names, before its payment or attempt. */
const kindIn = (id: string): ReviewKind | undefined =>
  id.split(":").find((part): part is ReviewKind => Object.hasOwn(DECISIONS, part));

/** How a case ended, for a person who comes later. */
export const endText = ({ reviewId, decision, by }: ReviewEnd): string =>
  pastText(kindIn(reviewId), decision, by);

/** What the page says about an error. */
export const staffMessage = (error: unknown): string =>
  error instanceof ReviewDecidedError
    ? `This case was decided before. ${endText(error)}.`
    : messageOf(error);

/**
 * What has happened, and the one thing that a person does about it, in the words of the people of a shop. `{came}` is
 * the amount of the payment, `{paid}` has its names, too, `{price}` is that of the order, and `{label}` its label.
 */
export const CASES: Readonly<Record<ReviewKind, readonly [cause: string, todo: string]>> = {
  overpaid: [
    "The order was paid, and {came} more came.",
    "Pay {came} back. Keep the money only if it is for something else.",
  ],
  amount_mismatch: [
    "The order costs {price}. The customer paid {came}.",
    "Give the goods if the amount is all right. Otherwise pay {came} back. Keep the money without goods only if the customer agrees.",
  ],
  currency_mismatch: [
    "The order costs {price}. The customer paid {came}: another currency.",
    "Give the goods if the amount is all right. Otherwise pay {came} back. Keep the money without goods only if the customer agrees.",
  ],
  late_payment: [
    "The customer paid {came} after the time to pay was over.",
    "Give the goods if they are still there. Otherwise pay {came} back.",
  ],
  refund_due: [
    "The customer paid {came}, and gets no goods.",
    "If the goods are still there and the customer wants them, give them after all. Otherwise pay {came} back in the dashboard of the payment service, and say so here.",
  ],
  unknown_outcome: [
    "It is not known whether the customer was asked to pay.",
    "Look in the dashboard of the payment service for a payment with the label {label}. If one is completed, give the goods. If there is none, the customer has not paid.",
  ],
  contradiction: [
    "The payment service has said two different things about this payment.",
    "Read the payment under “At the payment service now”. If it agrees with the order, keep the order as it is. If not, ask the payment service first.",
  ],
  unmatched: [
    "Money came that belongs to no order.",
    "Find out who paid, and for what. Pay it back, or hand over the goods yourself and keep the money.",
  ],
  effect_failed: [
    "The order is paid, and the system could not hand over the goods. It tries again every few minutes.",
    "Tell the person who runs the system what it says. When that is repaired, try again now.",
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
    .replace(" onPaid refused it:", " The system refused it:")
    .replace(" It came after", " The money came after")
    .replace(" Its account reference is", " The customer typed the label")
    .replace(" It has no account reference.", " The customer typed no label.");

/** What an order is. */
export const STATUS_TEXTS: Readonly<Record<OrderStatus, string>> = {
  open: "not paid",
  pending: "payment in progress",
  paid: "paid",
  canceled: "canceled",
  expired: "time to pay is over",
};

/** Whether the customer of an order has what it is for. */
export const GOODS_TEXTS: Readonly<Record<Order["effect"], string>> = {
  none: "no goods were given",
  due: "the goods are due",
  done: "the goods were given",
  refused: "the system refused the goods",
  refunded: "paid back, without goods",
};

/** Words of developers in the history of an order, and those of the people of a shop. */
const STAFF_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^The goods were given: onPaid has committed\./, "The goods were given."],
  [/^onPaid failed/, "The system could not hand over the goods"],
  [/^onPaid refused/, "The system refused"],
  [/and onPaid has failed/, "and the system could not hand over the goods"],
  [/ Pay the amount of this review back\./, ""],
  [/ at the service/, " at the payment service"],
  [/ Read it at the payment service\./, ""],
  [/^Review: /, "A case was opened: "],
  [/^(?:A webhook|A read at the payment service) says: /, "The payment service says: "],
  [/: attempt (\d+), phone /, ": payment request $1, to "],
  [/^The service took the prompt of attempt (\d+)/, "The payment service took payment request $1"],
  [/^The prompt of attempt (\d+)/, "Payment request $1"],
  [/ the prompt of attempt (\d+)/, " payment request $1"],
  [/^Attempt (\d+)/, "Payment request $1"],
  [/ ended without money \(not sent\)/, " ended without money, since it was not sent"],
  [/ ended without money \(failed\)/, " ended without money"],
  [/ became of attempt (\d+)/, " became of payment request $1"],
  [/^No prompt was sent/, "No payment request was sent"],
];

/** What follows says how a developer repairs it. */
const MISUSED = "onPaid used its transaction";

/** A line about a decision, as `history` writes it: what was decided, about what kind, and what else is said. */
const DECIDED = /^A review was (accepted|decided as refunded|dismissed): (.*)$/s;
const DECIDED_AS: Readonly<Record<string, ReviewDecision>> = {
  accepted: "accept",
  "decided as refunded": "refunded",
  dismissed: "dismiss",
};

/** A line of the history of an order, as staff reads it. */
export function inStaffWords({
  text,
  by,
}: {
  readonly text: string;
  readonly by?: string | undefined;
}): { readonly text: string; readonly by?: string | undefined } {
  const [, word = "", about = ""] = DECIDED.exec(text) ?? [];
  const decision = DECIDED_AS[word];
  if (decision !== undefined) {
    const [kind, told] = Object.entries(REVIEWS).find(([, told]) => about.startsWith(told)) ?? [];
    const more = told === undefined ? "" : about.slice(told.length).trim();
    const past = pastText(kind as ReviewKind | undefined, decision, by);
    return { text: more === "" ? `${past}.` : `${past}: ${more}` };
  }
  const [before = "", ...misused] = text.split(MISUSED);
  const end = misused.length > 0 ? "it is not certain that all goods were handed over." : "";
  return {
    text: STAFF_WORDS.reduce((told, [words, own]) => told.replace(words, own), before + end),
    by,
  };
}
