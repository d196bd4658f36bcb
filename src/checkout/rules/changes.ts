// What rules do to an order. Each function returns a new one.
import { canonicalJson } from "../../internal/canonical-json.ts";
import { isNothing, moreThan } from "./amounts.ts";
import type { Action, Context, InputOf, PaymentUpdate, Result } from "./inputs.ts";
import {
  amountOf,
  BESIDE,
  byReference,
  expectedOf,
  moneyNamed,
  moneyOf,
} from "./known-payments.ts";
import {
  type AttemptState,
  askedBy,
  attemptOf,
  countedMoney,
  countedSum,
  type EffectState,
  isOpen,
  isTried,
  type Money,
  type OrderState,
  type ReviewState,
  UNKNOWN_AMOUNT,
} from "./order-state.ts";
import type { ReviewKind } from "./order-types.ts";
import { withWholeRefund } from "./refunds.ts";

/** The changes of an attempt; `undefined` removes a field. */
type Changes = { readonly [Name in keyof AttemptState]?: AttemptState[Name] | undefined };

export function withAttempt(order: OrderState, number: number, changes: Changes): OrderState {
  const attempts = order.attempts.map((one) =>
    one.number === number ? ({ ...one, ...changes } as AttemptState) : one,
  );
  return { ...order, attempts };
}

/** When to look again: soon while it is young, then less often. */
function nextLook(
  sinceMs: number,
  { now, times }: Context,
  [least, most]: readonly [number, number] = times.lookMs,
): number {
  return now + Math.min(Math.max((now - sinceMs) / 2, least), most);
}

/** The same for an attempt that has not ended, and as soon as it may be concluded that it was not sent. */
function nextOpenLook(askedAt: number, context: Context): number {
  const { now, times } = context;
  const ends = [times.promptWithinMs, times.notSentAfterMs]
    .map((ms) => askedAt + ms + times.marginMs)
    .filter((at) => at > now);
  return Math.min(nextLook(askedAt, context), ...ends);
}

export function lookLater(order: OrderState, number: number, context: Context): OrderState {
  const { askedAt } = attemptOf(order, number);
  return withAttempt(order, number, { lookAt: nextOpenLook(askedAt, context) });
}

/** Ends an attempt without money. A failed payment is read again for a day. */
export function ended(
  order: OrderState,
  number: number,
  how: Pick<AttemptState, "status"> & Changes,
  context: Context,
): OrderState {
  const { now, times } = context;
  const lookAt = how.status === "failed" ? nextLook(now, context, times.failedLookMs) : undefined;
  return withAttempt(order, number, { ...how, endedAt: now, lookAt });
}

/** Sets the reference of an attempt; its payment may be completed already. */
export function bound(
  order: OrderState,
  number: number,
  reference: string,
  context: Context,
): OrderState {
  // A response that comes after the key was read: what became of the payment is known.
  if (attemptOf(order, number).reference === reference) return order;
  const isCompleted = order.money.some((one) => one.reference === reference);
  const next = withAttempt(order, number, {
    reference,
    status: isCompleted ? "completed" : "pending",
    lookAt: isCompleted ? undefined : nextLook(attemptOf(order, number).askedAt, context),
    endedAt: undefined,
    message: undefined,
    messageCode: undefined,
    about: undefined,
    reason: undefined,
  });
  return withOwnMoney(next, reference, context);
}

/** The same, by its key: its response is late or lost, and what became of its payment meanwhile is read at once. */
export function found(
  order: OrderState,
  number: number,
  reference: string,
  context: Context,
): OrderState {
  const next = bound(order, number, reference, context);
  if (attemptOf(next, number).status === "completed") return next;
  return withAttempt(next, number, { lookAt: context.now });
}

/** The order, when a payment turns out to be that of an attempt: one of another amount pays nothing by itself. */
function withOwnMoney(order: OrderState, reference: string, context: Context): OrderState {
  const known = order.money.find((one) => one.reference === reference);
  const isOver = order.paidBy !== undefined || order.closed !== undefined;
  if (isOver || !known?.counts || known.amount === expectedOf(order, reference)) return order;
  const { counts: _, ...other } = known;
  const money = order.money.map((one) => (one === known ? other : one));
  return withReview({ ...order, money }, "amount_mismatch", context, { references: [reference] });
}

/**
 * The part of a review's id that names its order. An id of an order may have colons; encoded, it has none. Reviews of
 * payments without an order begin with `unmatched:`.
 */
const orderPart = (id: string): string => {
  const part = encodeURIComponent(id);
  return part === "unmatched" ? "%75nmatched" : part;
};

/** What an update says of its payment, to tell it from another update. */
export const saidBy = ({ status, amount, currency, otherLabel }: PaymentUpdate): string =>
  JSON.stringify([status, amount, currency, otherLabel]);

/**
 * @param about - `says`: what an update says that is reviewed. After the review has ended, another one begins for an
 * update that says something else.
 */
export function withReview(
  order: OrderState,
  kind: ReviewKind,
  { now }: Context,
  about: Pick<ReviewState, "references" | "number" | "says" | "reason" | "amount">,
): OrderState {
  const name = about.number ?? about.references.at(-1);
  const known = order.reviews.filter(
    (one) => one.kind === kind && (one.number ?? one.references.at(-1)) === name,
  );
  const isNews = about.says !== undefined && known.every(({ says }) => says !== about.says);
  const isOpenNow = known.some(({ ended }) => ended === undefined);
  if (known.length > 0 && (isOpenNow || !isNews)) return order;
  const first = [orderPart(order.id), kind, name].join(":");
  let id = first;
  for (let at = known.length + 1; order.reviews.some((one) => one.id === id); at++)
    id = `${first}:${at}`;
  return { ...order, reviews: [...order.reviews, { id, kind, at: now, ...about }] };
}

/** A review of what `onPaid` did with its transaction. After a person has decided one, it can happen again. */
export const unclearReview = (order: OrderState, context: Context): OrderState =>
  withReview(order, "effect_unclear", context, {
    references: [order.paidBy ?? ""],
    says: String(order.reviews.length),
  });

/** The order whose money `onPaid` has refused. It may do so again after a person wanted the goods to be given. */
export const refusedBy = (order: OrderState, reason: string, context: Context): OrderState =>
  withReview(withEffect(order, { state: "refused" }), "refund_due", context, {
    references: [order.paidBy ?? ""],
    says: String(order.reviews.length),
    reason,
  });

/** The order, paid: `onPaid` is due. */
export const paid = (order: OrderState, paidBy: string, { now }: Context): OrderState => ({
  ...order,
  paidBy,
  paidAt: now,
  effect: { state: "due", tries: 0, at: now },
});

/** The order, paid if its amount has come. What is more than that is a review. */
export function paidIfWhole(order: OrderState, context: Context): OrderState {
  const sum = countedSum(order);
  const { reference } = countedMoney(order).at(-1) ?? {};
  const isOpen = order.paidBy === undefined && order.closed === undefined;
  if (!isOpen || reference === undefined || !isNothing(moreThan(order.amount, sum))) return order;
  const next = paid(order, reference, context);
  const amount = moreThan(sum, order.amount);
  if (isNothing(amount)) return next;
  return withReview(next, "overpaid", context, { references: [reference], amount });
}

/** What of an order its merchant changes. */
type OrderChanges = Omit<InputOf<"updated">, "kind">;

/** Whether an order is already as its merchant wants it. */
export const isUpToDate = (
  order: OrderState,
  {
    amount = order.amount,
    description = order.description,
    metadata = order.metadata,
  }: OrderChanges,
): boolean =>
  amount === order.amount &&
  description === order.description &&
  canonicalJson(metadata) === canonicalJson(order.metadata);

/** An order with changes of its merchant. What an attempt asked for stays known. */
export function updated(
  order: OrderState,
  { amount = order.amount, description, metadata = order.metadata }: OrderChanges,
): OrderState {
  if (amount === order.amount && description === undefined) return { ...order, metadata };
  const attempts = order.attempts.map((one) => ({ ...one, amount: askedBy(order, one) }));
  const own = amount === order.amount ? order.attempts : attempts;
  return {
    ...order,
    amount,
    attempts: own,
    metadata,
    ...(description !== undefined && { description }),
  };
}

/** When an order that is asked for may change: when its prompts can be open no longer, as far as is known. */
export function busyUntil({ attempts }: OrderState, { now, times }: Context): number {
  const ends = attempts.filter(isOpen).map((one) => {
    const lifeMs = times.promptWithinMs + times.promptLifeMs;
    const isUnclear = one.reference === undefined;
    return one.askedAt + (isUnclear ? Math.max(lifeMs, times.notSentAfterMs) : lifeMs);
  });
  return Math.max(now + times.lookMs[0], ...ends);
}

/** The order, with another state of its effect. */
export function withEffect(order: OrderState, changes: Partial<EffectState>): OrderState {
  const now = { tries: 0, at: 0, state: "due" as const, ...order.effect };
  const { isStopped: _, error, ...effect } = now;
  const next = { ...effect, ...changes };
  // What failed is told until the goods are given.
  const isTold = next.state === "due" && next.error === undefined && error !== undefined;
  return { ...order, effect: isTold ? { ...next, error } : next };
}

/** The order, with the end of the attempt that has the reference. */
function withCompleted(order: OrderState, reference: string): OrderState {
  const attempt = byReference(order, reference);
  if (attempt === undefined || attempt.status === "completed") return order;
  return withAttempt(order, attempt.number, { status: "completed", lookAt: undefined });
}

/** Money with what an earlier update of it did not say. */
function withNews(known: Money, { amount, transactionId, phone }: Omit<Money, "reference">): Money {
  const isAmountNew = known.amount === UNKNOWN_AMOUNT && amount !== UNKNOWN_AMOUNT;
  const isIdNew = known.transactionId === undefined && transactionId !== undefined;
  const isPhoneNew = known.phone === undefined && phone !== undefined;
  if (!isAmountNew && !isIdNew && !isPhoneNew) return known;
  return {
    ...known,
    ...(isAmountNew && { amount }),
    ...(isIdNew && { transactionId }),
    ...(isPhoneNew && { phone }),
  };
}

/** The order with a completed payment: its attempt has ended, and its money is noted, once. */
export function withMoney(order: OrderState, update: PaymentUpdate): OrderState {
  const { reference, alias, currency = order.currency, transactionId, phone } = update;
  const amount = amountOf(order, update) ?? UNKNOWN_AMOUNT;
  const known = moneyOf(order, update);
  const added = {
    ...{ reference, amount, currency },
    ...(alias !== undefined && { alias }),
    ...(transactionId !== undefined && { transactionId }),
    ...(phone !== undefined && { phone }),
  };
  const money =
    known === undefined
      ? [...order.money, added]
      : order.money.map((one) => (one === known ? withNews(one, added) : one));
  const isSame = money.every((one, at) => one === order.money[at]);
  return withCompleted(isSame ? order : { ...order, money }, reference);
}

/** The order with a payment that counts for its amount. */
export function withCounted(order: OrderState, update: PaymentUpdate, at: number): OrderState {
  const next = withMoney(order, update);
  const known = moneyOf(next, update);
  const counted = { counts: true as const, at };
  const money = next.money.map((one) => (one === known ? { ...one, ...counted } : one));
  return { ...next, money };
}

/** The order at its end. What has come for it is to be paid back. */
export function closedAs(
  order: OrderState,
  closed: "canceled" | "expired",
  context: Context,
): OrderState {
  const due = (next: OrderState, { reference }: Money) =>
    withReview(next, "refund_due", context, { references: [reference] });
  return countedMoney(order).reduce(due, { ...order, closed });
}

/**
 * The order, with no time of something that has happened, or is to be looked at, later than now: such a time
 * was written before the clock was set back.
 */
export function redated(order: OrderState, now: number): OrderState {
  if (order.updatedAt <= now) return order;
  const attempts = order.attempts.map((one) => ({
    ...one,
    askedAt: Math.min(one.askedAt, now),
    ...(one.endedAt !== undefined && { endedAt: Math.min(one.endedAt, now) }),
    ...(one.lookAt !== undefined && { lookAt: Math.min(one.lookAt, now) }),
  }));
  const { blocked: _, effect, ...rest } = order;
  return {
    ...rest,
    ...(effect && { effect: { ...effect, at: Math.min(effect.at, now) } }),
    ...(order.paidAt !== undefined && { paidAt: Math.min(order.paidAt, now) }),
    money: order.money.map((one) =>
      one.at === undefined ? one : { ...one, at: Math.min(one.at, now) },
    ),
    attempts,
    updatedAt: now,
  };
}

/** The attempts whose time has come, each with its next one. */
function looked(order: OrderState, context: Context): Result {
  const { now, times } = context;
  let next = order;
  const actions: Action[] = [];
  for (const { number, lookAt, reference, endedAt, ...attempt } of order.attempts) {
    if (lookAt === undefined || lookAt > now) continue;
    const { askedAt } = attempt;
    // One read more than a day needs: the process of one may die.
    const readFor = times.failedForMs + times.failedLookMs[1];
    const isOver = endedAt !== undefined && now - endedAt >= readFor;
    const nextAt =
      endedAt === undefined
        ? nextOpenLook(askedAt, context)
        : nextLook(endedAt, context, times.failedLookMs);
    next = withAttempt(next, number, { askedAt, lookAt: isOver ? undefined : nextAt });
    actions.push(reference === undefined ? { do: "look", number } : { do: "read", reference });
    const isLate = endedAt === undefined && now - askedAt >= times.reviewAfterMs;
    const references = reference === undefined ? [] : [reference];
    if (isLate) next = withReview(next, "unknown_outcome", context, { number, references });
  }
  return { order: next, actions };
}

/** Everything that is due, each with the time at which another process does it if this one dies. */
export function taken(order: OrderState, context: Context): Result {
  const { now, times } = context;
  const { order: next, actions } = looked(order, context);
  const { effect, paidBy = "" } = next;
  if (!isTried(effect) || effect.at > now) return { order: next, actions };
  const tried = { ...effect, tries: effect.tries + 1, at: now + times.effectMs };
  const references = [paidBy];
  const after =
    effect.tries < times.effectTries
      ? next
      : withReview(next, "effect_failed", context, { references });
  return { order: { ...after, effect: tried }, actions: [...actions, { do: "effect" }] };
}

/** Notes a payment of which a person has said that it was paid back, before its money was known. */
export function withPaidBack(
  order: OrderState,
  update: PaymentUpdate,
  { now }: Context,
): OrderState {
  const next = withMoney(order, update);
  return withWholeRefund(next, moneyOf(next, update), { at: now });
}

/** Ends the reviews that what is known now has answered. */
export function withoutAnswered(order: OrderState, now: number): OrderState {
  /** Whether a person has noted what came beyond the amount as paid back, without its review. */
  const isNoted = (amount: string, since: number) =>
    order.refunds?.some((one) => !one.payments && one.amount === amount && one.at >= since) ===
    true;
  const isAnswered = ({ kind, number = 0, ended, references, amount, at }: ReviewState) => {
    if (ended !== undefined) return false;
    if (amount !== undefined && isNoted(amount, at)) return true;
    if (kind === "effect_failed") return !isTried(order.effect);
    if (kind === "effect_unclear") return order.effect?.state === "refunded";
    if (BESIDE.includes(kind)) return moneyNamed(order, references.at(-1))?.refunded === true;
    return kind === "unknown_outcome" && !isOpen(attemptOf(order, number));
  };
  if (!order.reviews.some(isAnswered)) return order;
  const reviews = order.reviews.map((one) =>
    isAnswered(one) ? { ...one, ended: "closed" as const, endedAt: now } : one,
  );
  return { ...order, reviews };
}
