// The rules of an order, without I/O: everything that a store, a clock, a webhook or a person says comes
// as an input. The manual prints these tables.
import {
  bound,
  closedAs,
  ended,
  found,
  isUpToDate,
  lookLater,
  paidIfWhole,
  redated,
  refusedBy,
  taken,
  unclearReview,
  updated,
  withAttempt,
  withEffect,
  withoutAnswered,
} from "./changes.ts";
import { messageOf } from "./customer-messages.ts";
import { DECIDED } from "./decision-rules.ts";
import type { Context, Input, InputOf, Result } from "./inputs.ts";
import {
  type AttemptState,
  attemptOf,
  holdsMoney,
  isOpen,
  isTried,
  isUsedUp,
  leftToPay,
  type OrderState,
  statusOf,
} from "./order-state.ts";
import type { OrderStatus } from "./order-types.ts";
import { REFUND_ADDED } from "./refund-rules.ts";
import { REPORTED } from "./reported-rules.ts";
import { always, type Rule, type Rules, refused, rule, unchanged } from "./rule.ts";

export type { Rule, Rules } from "./rule.ts";

const isStatus =
  (...statuses: readonly OrderStatus[]) =>
  (order: OrderState) =>
    statuses.includes(statusOf(order));

type Numbered = { readonly number: number };
/** Only the call of an attempt, and its key, say what became of it until it has a reference. */
const isUnresolved = (order: OrderState, { number }: Numbered) => {
  const { status, reference } = attemptOf(order, number);
  return reference === undefined && (status === "starting" || status === "unknown");
};

/** Whether the prompt of an attempt may still be on the phone: it left some time after the click. */
const mayBeOpen = ({ askedAt }: AttemptState, { now, times }: Context) =>
  now < askedAt + times.promptWithinMs + times.promptLifeMs;

const ASKED: Rules["asked"] = [
  rule(
    "an order that is paid, canceled or expired is not asked for",
    [7],
    isStatus("paid", "canceled", "expired"),
    unchanged,
  ),
  rule("one attempt at a time", [1, 2], ({ attempts }) => attempts.some(isOpen), unchanged),
  rule(
    "a page that shows an earlier attempt starts none",
    [2],
    ({ attempts }, { after = attempts.length }) => after !== attempts.length,
    unchanged,
  ),
  rule("an order is not asked for without end", [10], isUsedUp, unchanged),
  rule("money under review stops further attempts", [7], holdsMoney, unchanged),
  rule(
    "an order starts no attempt after its time",
    [7],
    ({ expiresAt = Number.POSITIVE_INFINITY }, _, { now }) => expiresAt <= now,
    (order, _, context) => closedAs(order, "expired", context),
  ),
  rule(
    "failed payments are read once more before the next prompt",
    [2],
    ({ attempts }, { checked }) =>
      attempts.some(({ status }) => status === "failed") && checked !== attempts.length,
    (order) => {
      const failed = order.attempts.filter(({ status }) => status === "failed");
      const actions = failed.map(({ reference = "" }) => ({ do: "read", reference }) as const);
      return { order, actions };
    },
  ),
  rule(
    "a failed payment that the service calls open again is waited for, while a prompt lives",
    [2],
    ({ attempts }, { openAgain }, context) =>
      attempts.some((one) => openAgain.includes(one.reference ?? "") && mayBeOpen(one, context)),
    (order, _, { now, times }) => ({
      ...order,
      blocked: { until: now + times.lookMs[0], ...messageOf("last_payment_open") },
    }),
  ),
  rule(
    "an attempt is written before its prompt is sent",
    [1],
    always,
    ({ blocked: _, ...order }, { phone, phoneDigest }, { now, times }) => {
      const number = order.attempts.length + 1;
      const lookAt = now + times.lookMs[0];
      const started = { number, status: "starting", phone, phoneDigest, askedAt: now } as const;
      const attempts = [...order.attempts, { ...started, amount: leftToPay(order), lookAt }];
      return { order: { ...order, attempts }, actions: [{ do: "send", number }] };
    },
  ),
];

const SENT: Pick<Rules, "accepted" | "rejected" | "lost"> = {
  accepted: [
    rule(
      "a reference is stored, whatever was believed before",
      [3, 5],
      always,
      (order, { number, reference }, context) => bound(order, number, reference, context),
    ),
  ],
  rejected: [
    rule<InputOf<"rejected">>(
      "a rejection ends only the attempt whose call got it",
      [3],
      isUnresolved,
      (order, { number, message, messageCode, about, reason }, context) => {
        const how = { status: "not_sent", message, messageCode, about, reason } as const;
        return ended(order, number, how, context);
      },
    ),
  ],
  lost: [
    rule<InputOf<"lost">>(
      "an attempt whose response never came is unknown",
      [1, 9],
      isUnresolved,
      (order, { number }, context) =>
        lookLater(withAttempt(order, number, { status: "unknown" }), number, context),
    ),
  ],
};

const KEY: Rules["key"] = [
  rule(
    "an attempt that has ended or has a reference needs no look at its key",
    [3],
    (order, input) => !isUnresolved(order, input),
    unchanged,
  ),
  rule(
    "the result of a key is the reference of its attempt",
    [8, 9],
    (_, { reference }) => reference !== undefined,
    (order, { number, reference = "" }, context) => found(order, number, reference, context),
  ),
  rule(
    "a key that is in flight, unknown or unreadable ends nothing",
    [1, 2, 8],
    (_, { state }) => state !== "free" && state !== "freed",
    (order, { number, state }, context) =>
      state === "in_flight"
        ? lookLater(order, number, context)
        : lookLater(withAttempt(order, number, { status: "unknown" }), number, context),
  ),
  rule(
    "a free key ends nothing while its prompt may still be sent",
    [1, 2, 4],
    (order, { number, state, seenAt }, { now, times }) => {
      // One that is seen later than now was seen before the clock was set back.
      const sinceMs = seenAt > now ? 0 : seenAt - attemptOf(order, number).askedAt;
      return state === "free" && sinceMs < times.promptWithinMs + times.marginMs;
    },
    (order, { number }, context) => lookLater(order, number, context),
  ),
  rule("a prompt that was not sent soon is never sent", [4], always, (order, { number }, context) =>
    ended(order, number, { status: "not_sent", ...messageOf("not_sent") }, context),
  ),
];

/** The rules of each input. An input to which none applies changes nothing. */
export const RULES: Rules = {
  asked: ASKED,
  ...SENT,
  key: KEY,
  reported: REPORTED,
  due: [
    rule(
      "an order expires when nothing is under way",
      [2, 7],
      (order, _, { now }) =>
        statusOf(order) === "open" && (order.expiresAt ?? Number.POSITIVE_INFINITY) <= now,
      (order, _, context) => taken(closedAs(order, "expired", context), context),
    ),
    rule(
      "what is due is taken by writing when it is due again",
      [6, 8, 9],
      always,
      (order, _, context) => taken(order, context),
    ),
  ],
  blocked: [
    rule(
      "a phone is not asked too often",
      [10],
      isStatus("open"),
      (order, { kind: _, ...blocked }) => ({
        ...order,
        blocked,
      }),
    ),
  ],
  effect_done: [
    rule(
      "an effect is done once",
      [6],
      ({ effect }) => effect?.state === "due",
      (order) => withEffect(order, { state: "done" }),
    ),
  ],
  effect_failed: [
    rule(
      "an effect that failed is due again",
      [6],
      ({ effect }) => isTried(effect),
      (order, { retryInMs, reason }, { now }) =>
        withEffect(order, {
          at: now + retryInMs,
          ...(reason !== undefined && { error: reason }),
        }),
    ),
  ],
  effect_unclear: [
    rule(
      "an effect of which it is not known what was kept waits for a person",
      [6],
      ({ effect }) => effect?.state === "due",
      (order, _, context) => unclearReview(withEffect(order, { isStopped: true }), context),
    ),
    rule(
      "goods that were not written with the others are a review",
      [6],
      always,
      (order, _, context) => unclearReview(order, context),
    ),
  ],
  effect_refused: [
    rule(
      "money that onPaid refuses is to be paid back",
      [15],
      ({ effect }) => isTried(effect),
      (order, { reason }, context) => refusedBy(order, reason, context),
    ),
  ],
  canceled: [
    rule(
      "an order that is paid or over is not canceled",
      [7],
      isStatus("paid", "canceled", "expired"),
      unchanged,
    ),
    rule(
      "a canceled order starts no attempt",
      [7, 14, 15],
      always,
      (order, { reason }, context) => ({
        ...closedAs(order, "canceled", context),
        ...(reason === "paid_elsewhere" && { closedFor: reason }),
      }),
    ),
  ],
  updated: [
    rule<InputOf<"updated">>(
      "an order that is as it is to be does not change",
      [13],
      isUpToDate,
      unchanged,
    ),
    rule(
      "an order that is paid, canceled or expired does not change",
      [13],
      isStatus("paid", "canceled", "expired"),
      refused,
    ),
    rule(
      "an order does not change while a phone is asked",
      [13],
      ({ attempts }) => attempts.some(isOpen),
      refused,
    ),
    rule(
      "an order grows or shrinks until it is paid, which it is if what has come is enough",
      [13],
      always,
      (order, { kind: _, ...changes }, context) => paidIfWhole(updated(order, changes), context),
    ),
  ],
  decided: DECIDED,
  refund_added: REFUND_ADDED,
};

/**
 * What an order becomes by an input, and what is to be done then.
 *
 * @param rules - Those of the package. Tests leave one out.
 */
export function decide(
  stored: OrderState,
  input: Input,
  context: Context,
  rules: Rules = RULES,
): Result {
  const order = redated(stored, context.now);
  const candidates = rules[input.kind] as readonly Rule[];
  const found = candidates.find(({ applies }) => applies(order, input, context));
  const outcome = found?.makes(order, input, context) ?? order;
  const result: Result = "actions" in outcome ? outcome : { order: outcome, actions: [] };
  const { order: next, actions, isRefused } = result;
  if (isRefused) return { order: stored, actions, isRefused };
  if (next === stored) return { order: stored, actions };
  return { order: { ...withoutAnswered(next, context.now), updatedAt: context.now }, actions };
}
