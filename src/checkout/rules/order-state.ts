import type { RetryAdvice } from "../../contract/result-codes.ts";
import { isNothing, isSummand, leftAfter, moreThan } from "./amounts.ts";
import type { MessageCode } from "./customer-messages.ts";
import type { AttemptStatus, OrderStatus, RejectionAbout, ReviewKind } from "./order-types.ts";

/** An attempt, as it is stored. Times are in milliseconds since 1970, by the store's clock. */
export interface AttemptState {
  readonly number: number;
  readonly status: AttemptStatus;
  /** Masked. */
  readonly phone: string;
  /** The digest by which prompts of one phone are counted. */
  readonly phoneDigest: string;
  readonly askedAt: number;
  /** What it asks for. An attempt of before orders could change has none: it asked for the amount of its order. */
  readonly amount?: string;
  readonly reference?: string;
  /**
   * What the customer reads, in English: a version without codes, which may run beside this one in a deploy, reads
   * nothing else, and the service's own words are in no table.
   */
  readonly message?: string;
  /** The code of the message, which says it in other languages. That of a network's code is not stored twice. */
  readonly messageCode?: MessageCode;
  /** What a rejection of its prompt was about, and why, for the merchant. */
  readonly about?: RejectionAbout;
  readonly reason?: string;
  /** The network's result code of its failure: pages in other languages have words for it. */
  readonly code?: string;
  readonly retry?: RetryAdvice;
  readonly endedAt?: number;
  /** When to look next at what became of it. */
  readonly lookAt?: number;
}

/** The amount of money whose update has none. It is no amount, so that it is in no sum. */
export const UNKNOWN_AMOUNT = "";

/** A completed payment of an order. */
export interface Money {
  readonly reference: string;
  /** As the payment update says it. */
  readonly alias?: string;
  /** Or {@link UNKNOWN_AMOUNT}. */
  readonly amount: string;
  readonly currency: string;
  /** As the payment update says it. */
  readonly transactionId?: string;
  /** Whose phone paid it, masked. */
  readonly phone?: string;
  readonly refunded?: true;
  /** It is a part of the amount of the order. Money that a person accepts pays without it. */
  readonly counts?: true;
  /** When it became known. */
  readonly at?: number;
}

/** Money that a person has paid back, as it is stored. */
export interface RefundState {
  readonly at: number;
  /** Or {@link UNKNOWN_AMOUNT}, of a whole payment. */
  readonly amount: string;
  readonly currency: string;
  readonly reference?: string;
  readonly reason?: string;
  readonly by?: string;
  /** The payments that are wholly paid back with it. */
  readonly payments?: readonly string[];
  /** The review that was decided with it, if a part of its payment was paid back. */
  readonly review?: string;
}

export interface ReviewState {
  readonly id: string;
  readonly kind: ReviewKind;
  readonly references: readonly string[];
  readonly at: number;
  /** The attempt that it is about. */
  readonly number?: number;
  /** What the update said that contradicts others. */
  readonly says?: string;
  /** What is to be paid back, if it is only a part of the payment. */
  readonly amount?: string;
  /** Why `onPaid` refused the money. */
  readonly reason?: string;
  /** How it ended: by a person, or `closed` by what became known later. */
  readonly ended?: "accept" | "refunded" | "dismiss" | "closed";
  /** Who decided it. */
  readonly by?: string;
  /** When it ended. */
  readonly endedAt?: number;
}

/** Something that became known about an order, as it is stored. */
export interface LogEntry {
  /** In milliseconds since 1970, by the store's clock. */
  readonly at: number;
  readonly text: string;
  /** Who decided it. */
  readonly by?: string;
  /** How often it happened in a row; at `at` for the last time. */
  readonly times?: number;
}

/** Why a request was rejected before an attempt began. */
export interface Blocked {
  readonly until: number;
  /** In English, for versions without codes. */
  readonly message: string;
  readonly messageCode?: MessageCode | undefined;
  /** `limit`: the phone was asked too often. */
  readonly by?: "limit" | "open";
}

/** What `onPaid` does, as it is stored. */
export interface EffectState {
  /**
   * `refused`: `onPaid` refused the money. `refunded`: it was paid back before the goods were given. They are not given
   * any more.
   */
  readonly state: "due" | "done" | "refused" | "refunded";
  readonly tries: number;
  /** When it is due. */
  readonly at: number;
  /** What `onPaid` threw the last time, with phones masked. */
  readonly error?: string;
  /** It is not tried until a person has looked at what the customer has. */
  readonly isStopped?: true;
}

/** An order, as it is stored. */
export interface OrderState {
  readonly id: string;
  readonly accountReference: string;
  readonly amount: string;
  readonly currency: string;
  readonly description?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expiresAt?: number;
  /** How often the customer is asked at most. */
  readonly attemptLimit: number;
  /** A person looks at each part of the amount that comes by hand. */
  readonly partPayments?: "review";
  readonly closed?: "canceled" | "expired";
  /** Why it was canceled, if it was paid in another way. */
  readonly closedFor?: "paid_elsewhere";
  /** The reference of the payment that paid it, or `#n` for an attempt that a person accepted. */
  readonly paidBy?: string;
  /** When that became known. */
  readonly paidAt?: number;
  readonly effect?: EffectState;
  readonly attempts: readonly AttemptState[];
  readonly money: readonly Money[];
  readonly reviews: readonly ReviewState[];
  readonly refunds?: readonly RefundState[];
  /** Why the last request was rejected before an attempt began. */
  readonly blocked?: Blocked;
  /** What happened, the oldest first. */
  readonly log?: readonly LogEntry[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Attempts that may still ask, or have asked, a customer without an end that is known. */
const OPEN_STATUSES: readonly AttemptStatus[] = ["starting", "pending", "unknown"];

export const isOpen = ({ status }: AttemptState): boolean => OPEN_STATUSES.includes(status);

/** While money waits for a person, an order is not open: its customer has paid something. */
export function statusOf(order: OrderState): OrderStatus {
  if (order.paidBy !== undefined) return "paid";
  if (order.closed !== undefined) return order.closed;
  return order.attempts.some(isOpen) || holdsMoney(order) ? "pending" : "open";
}

export const openReviews = ({ reviews }: OrderState): readonly ReviewState[] =>
  reviews.filter(({ ended }) => ended === undefined);

/** Whether an amount can be a part of the price of an order. */
export const isPart = (amount: string | undefined): amount is string =>
  amount !== undefined && isSummand(amount) && !isNothing(amount);

/** Whether no attempt of an order has a payment: a customer has typed the label of the order. */
export const isByHand = ({ attempts }: OrderState, name: string | undefined): boolean =>
  !attempts.some(({ reference }) => reference === name);

/**
 * Whether money is here that is not decided about, so that no more is asked for. A part that anyone may send by hand
 * keeps nobody from paying.
 */
export const holdsMoney = (order: OrderState): boolean =>
  openReviews(order).some(({ kind, references }) => {
    if (kind !== "amount_mismatch") return kind === "currency_mismatch";
    const name = references.at(-1);
    const { amount } = order.money.find(({ reference }) => reference === name) ?? {};
    return !isByHand(order, name) || !isPart(amount);
  });

/** How many payments that no attempt has asked for an order takes: each is stored. */
const MAX_BY_HAND = 50;

export const isFullOfMoney = (order: OrderState): boolean =>
  order.money.filter(({ reference }) => isByHand(order, reference)).length >= MAX_BY_HAND;

/** A call takes a moment, or its process has died. */
const CALL_MS = 15_000;

/** Whether it is not known if the prompt of an attempt reached the phone. */
export const isUnclear = ({ status, askedAt }: AttemptState, now: number): boolean =>
  status === "unknown" || (status === "starting" && now - askedAt > CALL_MS);

/** How many attempts of any kind an order has at most, for each one that the merchant allows: each is stored. */
const ATTEMPTS_FOR_EACH = 10;

/** Whether an order has as many attempts as are stored, also if none of them reached a phone. */
export const isFull = ({ attempts, attemptLimit }: OrderState): boolean =>
  attempts.length >= attemptLimit * ATTEMPTS_FOR_EACH;

/** Whether the customer was asked as often as the merchant allows, or no further attempt is stored. */
export const isUsedUp = (order: OrderState): boolean => {
  const asked = order.attempts.filter(({ status }) => status !== "not_sent");
  return asked.length >= order.attemptLimit || isFull(order);
};

/** What an attempt asks for. */
export const askedBy = ({ amount }: OrderState, attempt: AttemptState): string =>
  attempt.amount ?? amount;

/** The money that counts for the amount of an order, the first payment first. */
export const countedMoney = ({ money }: OrderState): readonly Money[] =>
  money.filter(({ counts, refunded, amount }) => counts && !refunded && isSummand(amount));

/** The sum of the parts that came, without what was paid back of them. */
export function countedSum(order: OrderState): string {
  const paidBack = (order.refunds ?? []).filter(
    ({ payments, currency, amount }) =>
      payments === undefined && currency === order.currency && isSummand(amount),
  );
  const amountOf = ({ amount }: { readonly amount: string }) => amount;
  return leftAfter(countedMoney(order).map(amountOf), paidBack.map(amountOf));
}

/** What a customer has to pay, and is asked for. */
export const leftToPay = (order: OrderState): string => {
  const isOver = order.paidBy !== undefined || order.closed !== undefined;
  return isOver ? "0.00" : moreThan(order.amount, countedSum(order));
};

/** Whether `onPaid` is called when the time of the effect has come. */
export const isTried = (effect: EffectState | undefined): effect is EffectState =>
  effect?.state === "due" && effect.isStopped !== true;

/** When something about the order is due next; `undefined` for never. */
export function dueAt(order: OrderState): number | undefined {
  const { attempts, effect, expiresAt } = order;
  const times = attempts.map(({ lookAt }) => lookAt);
  if (isTried(effect)) times.push(effect.at);
  if (statusOf(order) === "open") times.push(expiresAt);
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

export const attemptOf = (order: OrderState, number: number): AttemptState =>
  order.attempts.find((one) => one.number === number) as AttemptState;

export const reviewWith = (order: OrderState, id: string): ReviewState | undefined =>
  openReviews(order).find((one) => one.id === id);

/** Whether an order is paid, and its goods were not given. */
export const isUngiven = ({ effect }: OrderState): boolean =>
  effect?.state === "due" || effect?.state === "refused";
