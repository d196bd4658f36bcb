import { isOpen, type OrderState, statusOf } from "../../../../src/checkout/rules/order-state.ts";
import type { Rules } from "../../../../src/checkout/rules/rules.ts";
import {
  cameFor,
  centsOf,
  initialWorld,
  keyName,
  type Scenario,
  sumOf,
  type World,
  wallOf,
} from "./state.ts";
import { type Step, stepsFrom, TIME_PASSES } from "./steps.ts";

/** What must hold in every state. */
function violationOf({ prompts, goods, orders, payments }: World): string | undefined {
  if (new Set(prompts).size < prompts.length) return "two prompts for one attempt";
  for (const [at, order] of orders.entries()) {
    if ((goods[at] ?? 0) > 1) return "the goods were given twice";
    if (goods[at] === 1 && order.paidBy === undefined) return "goods were given for no money";
    const references = order.money.map(({ reference }) => reference);
    if (new Set(references).size < references.length) return "money was counted twice";
    const isOpenAgain = order.attempts.some(
      (one) => isOpen(one) && references.includes(one.reference ?? ""),
    );
    if (isOpenAgain) return "an attempt whose money came is open again";
    // Of one that had failed, nothing is known before the next click.
    const isAsked = payments.some(
      (one) => one.order === at && one.status === "pending" && !one.isOpenAgain,
    );
    if (isAsked && statusOf(order) === "open")
      return "a customer is asked, and the order looks open";
    const paying = order.money.find(({ reference }) => reference === order.paidBy);
    const isAccepted = order.reviews.some(({ ended }) => ended === "accept");
    const came = cameFor(order);
    const isWhole = sumOf(came) >= centsOf(order.amount);
    if (paying !== undefined && !isWhole && !isAccepted) return "other money paid the order";
    const isWaiting = order.paidBy === undefined && order.closed === undefined;
    const isDecided = order.reviews.some(({ ended }) => ended !== undefined);
    if (isWaiting && isWhole && came.length > 0 && !isDecided)
      return "an order whose amount has come is not paid";
    const isMore = sumOf(came) > centsOf(order.amount);
    const isTold = order.reviews.some(({ kind }) => kind === "overpaid");
    if (order.paidBy !== undefined && isMore && !isTold)
      return "what came beyond the amount is not a review";
    const wasOver = order.closed !== undefined;
    if (order.paidBy !== undefined && wasOver && !isAccepted)
      return "an order that is over was paid";
    const isOverpaid = order.reviews.some(
      ({ kind, amount }) => kind === "overpaid" && amount === undefined,
    );
    if (order.money.length === 1 && isOverpaid) return "one payment looks like two";
    const isEnded = order.closed !== undefined && order.paidBy === undefined;
    const isDue = (reference: string) =>
      order.reviews.some((one) => one.kind === "refund_due" && one.references.includes(reference));
    if (isEnded && order.money.some(({ counts, reference }) => counts && !isDue(reference)))
      return "a part of an order that ended is not a review";
    // Money by hand is a part, which keeps no customer from paying.
    const isHeld = order.reviews.some(
      ({ kind, ended, references }) =>
        ended === undefined &&
        (kind === "currency_mismatch" ||
          (kind === "amount_mismatch" && !/^[HP]/.test(references.at(-1) ?? ""))),
    );
    if (isHeld && statusOf(order) === "open")
      return "money waits for a person, and the order looks open";
    for (const { reference, refunded, amount, currency } of order.money) {
      // A person has said that it was paid back, before it was known.
      if (reference === order.paidBy || refunded) continue;
      const isKnown = order.reviews.some((one) => one.references.includes(reference));
      const isOwn = order.attempts.some(
        (one) =>
          order.paidBy === `#${one.number}` && [undefined, reference].includes(one.reference),
      );
      const isPart = came.some((one) => one.reference === reference);
      const isLate = order.closed === "canceled" && order.paidBy === undefined;
      const isAsAsked = amount === order.amount && currency === order.currency;
      const isToPayBack = order.reviews.some(
        (one) => one.kind === "refund_due" && one.references.includes(reference),
      );
      if (isLate && isAsAsked && isKnown && !isToPayBack)
        return "money of a canceled order is not to be paid back";
      if (!isKnown && !isOwn && !isPart) return "money that did not pay is not a review";
    }
  }
  return undefined;
}

/** What must hold when everything has ended. */
function unfinished({
  now,
  ahead,
  keys,
  orders,
  payments,
  goods,
  processes,
}: World): string | undefined {
  if (processes.some((work) => work !== undefined)) return "a process does not end";
  for (const [at, order] of orders.entries()) {
    // Only a webhook, or a person, says what became of it.
    const isUnreadable = (number: number) => {
      const key = keys[keyName(at, number)];
      return key?.state === "succeeded" && key.reference === undefined;
    };
    if (order.attempts.some((one) => isOpen(one) && !isUnreadable(one.number)))
      return "an attempt stays open";
    for (const one of order.attempts.filter(isOpen)) {
      const isReview = order.reviews.some(
        ({ kind, number }) => kind === "unknown_outcome" && number === one.number,
      );
      if (!isReview) return "what is unknown is not a review";
    }
    const { state, isStopped } = order.effect ?? {};
    const isAsked = order.reviews.some(
      ({ kind, ended }) => kind === "effect_unclear" && ended === undefined,
    );
    const isDecided = order.reviews.some(({ ended }) => ended !== undefined && ended !== "closed");
    const isToPayBack = order.reviews.some(
      ({ kind, ended }) => kind === "refund_due" && ended === undefined,
    );
    if (state === "refused" && !isToPayBack && !isDecided)
      return "money that was refused is not a review";
    if (isStopped && !isAsked) return "goods are never given";
    const isDue =
      order.paidBy !== undefined && state !== "refunded" && state !== "refused" && !isStopped;
    if (isDue && goods[at] !== 1) return "goods are never given";
    const { expiresAt = Number.POSITIVE_INFINITY } = order;
    if (statusOf(order) === "open" && expiresAt <= now + ahead) return "an order does not expire";
    for (const { order: of, attempt, reference, status } of payments) {
      // Only its webhook, or the list of a day, tells of a payment by hand.
      if (of !== at || attempt === 0 || status !== "completed" || isUnreadable(attempt)) continue;
      if (!order.money.some((one) => one.reference === reference)) return "money is never found";
    }
    const isWhole = sumOf(cameFor(order)) >= centsOf(order.amount);
    const isLost = order.paidBy === undefined && order.closed === undefined && isWhole;
    if (isLost && !isDecided) return "money did not pay its order";
  }
  return undefined;
}

/** The ages of what happened, not its dates: two worlds that differ only in the date are one. */
function keyOf(world: World, left: number): string {
  const now = wallOf(world);
  const age = (time: number | undefined) =>
    time === undefined ? undefined : Math.max(time - now, -4);
  const ofOrder = ({ attempts, effect, expiresAt, updatedAt, blocked, ...rest }: OrderState) => ({
    ...rest,
    attempts: attempts.map(({ askedAt, lookAt, endedAt, ...one }) => [
      one,
      age(askedAt),
      age(lookAt),
      age(endedAt),
    ]),
    effect: effect && [effect.state, Math.min(effect.tries, 2), age(effect.at), effect.isStopped],
    expiresAt: age(expiresAt),
    isBlocked: blocked !== undefined,
    isMisdated: updatedAt > now,
  });
  return JSON.stringify({
    ...world,
    now: left,
    ahead: 0,
    orders: world.orders.map(ofOrder),
    keys: Object.entries(world.keys).map(([name, { since, ...key }]) => [
      name,
      key,
      Math.max(since - world.now, -4),
    ]),
    // It does not matter which process does what.
    processes: world.processes
      .map((work) =>
        JSON.stringify(work, (name, value) =>
          name === "click"
            ? Math.max(value - world.now, -4)
            : name === "seenAt"
              ? age(value)
              : value,
        ),
      )
      .sort(),
  });
}

/** How long after the last fault everything must have ended. */
const MAX_WAIT = 10;

/** Lets a world go on without a fault, and says what does not end. */
function whatDoesNotEnd(
  from: World,
  scenario: Scenario,
  rules: Rules,
  ending: Set<string>,
): string | undefined {
  const endless = { ...scenario, until: Number.POSITIVE_INFINITY };
  const start = from.now;
  const visited = new Set<string>();
  let world = from;
  for (;;) {
    const key = keyOf(world, 0);
    if (ending.has(key)) break;
    visited.add(key);
    const steps = stepsFrom(world, endless, rules).filter(({ isFault }) => !isFault);
    const isNew = ({ next }: Step) => !visited.has(keyOf(next, 0));
    const next =
      steps.find((one) => one.name !== TIME_PASSES && isNew(one)) ??
      steps.find(({ name }) => name === TIME_PASSES);
    if (next === undefined || (next.name === TIME_PASSES && world.now - start >= MAX_WAIT)) {
      const what = unfinished(world);
      if (what !== undefined) return what;
      break;
    }
    if (next.violation !== undefined) return next.violation;
    world = next.next;
    const what = violationOf(world);
    if (what !== undefined) return what;
  }
  for (const one of visited) ending.add(one);
  return undefined;
}

export interface Exploration {
  readonly states: number;
  /** The shortest way to the first state in which something does not hold. */
  readonly violation?: { readonly what: string; readonly path: readonly string[] };
}

interface Visited {
  readonly world: World;
  readonly name: string;
  readonly from: Visited | undefined;
}

function pathTo(visited: Visited): string[] {
  const path: string[] = [];
  for (let one: Visited | undefined = visited; one?.from; one = one.from) path.unshift(one.name);
  return path;
}

/** More would take too long. */
const MAX_STATES = 400_000;

/**
 * Visits every state that a scenario can reach, breadth first, and stops at the first violation.
 *
 * @param enoughStates - Ends the search there, for a first look at a scenario.
 */
export function explore(
  scenario: Scenario,
  rules: Rules,
  enoughStates = Number.POSITIVE_INFINITY,
): Exploration {
  const leftOf = ({ now }: World) => scenario.until - now;
  const first = { world: initialWorld(scenario), name: "", from: undefined };
  const seen = new Set([keyOf(first.world, scenario.until)]);
  const ending = new Set<string>();
  let level: Visited[] = [first];
  let isEverPaid = false;
  while (level.length > 0) {
    const nextLevel: Visited[] = [];
    for (const visited of level) {
      for (const { name, next, violation } of stepsFrom(visited.world, scenario, rules)) {
        const reached = { world: next, name, from: visited };
        const key = keyOf(next, leftOf(next));
        const isNew = !seen.has(key);
        if (isNew) seen.add(key);
        const what =
          violation ??
          (isNew
            ? (violationOf(next) ?? whatDoesNotEnd(next, scenario, rules, ending))
            : undefined);
        if (what !== undefined) {
          return { states: seen.size, violation: { what, path: pathTo(reached) } };
        }
        isEverPaid ||= next.goods.includes(1);
        if (isNew) nextLevel.push(reached);
      }
    }
    if (seen.size > MAX_STATES) throw new Error(`More than ${MAX_STATES} states: ${scenario.name}`);
    if (seen.size > enoughStates) return { states: seen.size };
    level = nextLevel;
  }
  if (isEverPaid) return { states: seen.size };
  return { states: seen.size, violation: { what: "no order is ever paid", path: [] } };
}
