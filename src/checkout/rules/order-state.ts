import type { RetryAdvice } from "../../contract/result-codes.ts";
import { isAmountLong } from "../../internal/amount-text.ts";
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
  readonly refunded?: true;
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
  readonly settles?: readonly string[];
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

/** Money of such a review is here, and not decided about: no more is asked for. */
const HOLDING: readonly ReviewKind[] = ["amount_mismatch", "currency_mismatch"];

export const holdsMoney = (order: OrderState): boolean =>
  openReviews(order).some(({ kind }) => HOLDING.includes(kind));

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

/** An amount with two decimals; `undefined` for what is none. */
export function amountText(amount: unknown): string | undefined {
  if (typeof amount !== "string" && typeof amount !== "number") return undefined;
  const text = String(amount);
  if (isAmountLong(text)) return undefined;
  const [, whole, decimals = ""] = /^(\d+)(?:\.(\d{0,2})0*)?$/.exec(text) ?? [];
  return whole && `${whole.replace(/^0+(?=\d)/, "")}.${decimals.padEnd(2, "0")}`;
}

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
