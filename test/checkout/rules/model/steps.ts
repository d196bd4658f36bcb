import type { Action, Input, PaymentUpdate } from "../../../../src/checkout/rules/inputs.ts";
import {
  isAboutPaying,
  isOfNoPayment,
  isPaidBack,
  nameIn,
} from "../../../../src/checkout/rules/known-payments.ts";
import {
  type AttemptState,
  askedBy,
  holdsMoney,
  isOpen,
  type OrderState,
  type ReviewState,
  statusOf,
} from "../../../../src/checkout/rules/order-state.ts";
import { leftOf } from "../../../../src/checkout/rules/refunds.ts";
import type { Rules } from "../../../../src/checkout/rules/rules.ts";
import {
  ATTEMPT_LIMIT,
  applied,
  cameFor,
  centsOf,
  keyName,
  LEASE,
  replaceAt,
  type Scenario,
  type ServicePayment,
  sumOf,
  TIMES,
  type Work,
  type World,
  wallOf,
} from "./state.ts";

export interface Step {
  readonly name: string;
  readonly next: World;
  /** It need not happen for everything to end. */
  readonly isFault?: boolean;
  /** What does not hold because of only this step. */
  readonly violation?: string | undefined;
}

/** Longer than anything waits. */
const STEP = 20;

export const TIME_PASSES = "time passes";

const updateOf = ({ reference, status, amount, currency }: ServicePayment): PaymentUpdate => ({
  reference,
  status,
  amount,
  currency,
  message: undefined,
  retry: "now",
});

/** The steps of a world. */
export function stepsFrom(world: World, scenario: Scenario, rules: Rules): Step[] {
  const steps: Step[] = [];
  const may = (what: Scenario["may"][number]) => scenario.may.includes(what);
  const add = (name: string, next: World | undefined, more: Partial<Step> = {}) => {
    if (next !== undefined) steps.push({ name, next, ...more });
  };
  const fault = (name: string, next: World | undefined, violation?: string | false) => {
    if (next === undefined || world.faults === 0) return;
    const more = { isFault: true, violation: violation || undefined };
    add(name, { ...next, faults: world.faults - 1 }, more);
  };
  /** What a input does to an order, and what must be so afterwards. */
  const attemptIn = ({ orders }: World, at: number, number: number) =>
    orders[at]?.attempts.find((one) => one.number === number);
  const change = (at: number, input: Input) => applied(world, at, input, rules).world;

  /** What has come at the service for an order, as its attempts asked for it. */
  const cameAt = (order: number) =>
    sumOf(
      world.payments.filter((one) => {
        const attempt = attemptIn(world, order, one.attempt);
        const isAsked =
          attempt !== undefined &&
          one.amount === askedBy(world.orders[order] as OrderState, attempt);
        return (
          one.order === order && one.status === "completed" && one.currency === "KES" && isAsked
        );
      }),
    );

  world.processes.forEach((work, process) => {
    const goesOn = (next: Work | undefined, base: World = world): World => ({
      ...base,
      processes: replaceAt(base.processes, process, next),
    });
    const who = `P${process}`;
    if (work !== undefined) {
      fault(`${who} dies`, goesOn(undefined));
      workSteps(work, who, goesOn);
      return;
    }
    world.orders.forEach((order, at) => {
      const clicks = world.clicks[at] ?? 0;
      if (clicks > 0) {
        const clicked = { ...world, clicks: replaceAt(world.clicks, at, clicks - 1) };
        const asks = (name: string, after: number | undefined) => {
          const came = cameAt(at);
          const click = world.now;
          const asked = applied(clicked, at, asking(after, undefined), rules);
          add(name, afterAsk(asked, at, { click, came }, goesOn), {
            isFault: true,
            violation: startedWrongly(world, asked, at, after, came),
          });
        };
        asks(`${who} is asked to pay O${at}`, undefined);
        if (may("stale_tab") && order.attempts.length > 0) {
          asks(`${who} is asked by an old tab to pay O${at}`, order.attempts.length - 1);
        }
      }
      const taken = applied(world, at, { kind: "due" }, rules);
      if (taken.world !== world || taken.actions.length > 0) {
        const { actions } = taken;
        const works =
          actions.length > 0 ? ({ at: "works", order: at, actions } as const) : undefined;
        add(`${who} takes what is due of O${at}`, goesOn(works, taken.world));
      }
    });
  });

  function afterAsk(
    asked: { readonly world: World; readonly actions: readonly Action[] },
    order: number,
    { click, came }: { readonly click: number; readonly came: number },
    goesOn: (next: Work | undefined, base?: World) => World,
  ): World {
    const reads = asked.actions.flatMap((one) => (one.do === "read" ? [one.reference] : []));
    const checked = (asked.world.orders[order] as OrderState).attempts.length;
    const sends = asked.actions.find((one) => one.do === "send");
    if (sends?.do === "send") {
      return goesOn({ at: "reserved", order, attempt: sends.number, click, came }, asked.world);
    }
    if (reads.length === 0) return goesOn(undefined, asked.world);
    const openAgain: string[] = [];
    return goesOn({ at: "checks", order, reads, checked, openAgain, click, came }, asked.world);
  }

  function workSteps(
    work: Work,
    who: string,
    goesOn: (next: Work | undefined, base?: World) => World,
  ): void {
    const { order } = work;
    if (work.at === "checks") {
      const [reference, ...reads] = work.reads;
      if (reference === undefined) {
        const input = asking(undefined, work.checked, work.openAgain);
        const asked = applied(world, order, input, rules);
        const violation = startedWrongly(world, asked, order, undefined, work.came);
        add(`${who} asks again`, afterAsk(asked, order, work, goesOn), {
          violation,
        });
        return;
      }
      const payment = world.payments.find((one) => one.reference === reference);
      const read = payment && applied(world, order, reported(payment), rules).world;
      const isOpenAgain = payment?.status === "pending";
      const openAgain = isOpenAgain ? [...work.openAgain, reference] : work.openAgain;
      add(`${who} reads ${reference}`, goesOn({ ...work, reads, openAgain }, read ?? world));
      return;
    }
    if (work.at === "works" || work.at === "saw") {
      dueSteps(work, who, goesOn);
      return;
    }
    sendSteps(work, who, goesOn);
  }

  function sendSteps(
    work: Extract<Work, { attempt: number }>,
    who: string,
    goesOn: (next: Work | undefined, base?: World) => World,
  ): void {
    const { order, attempt, click } = work;
    const name = keyName(order, attempt);
    const withKey = (
      state: "in_flight" | "unknown" | "succeeded" | undefined,
      reference?: string,
    ): World => {
      const { [name]: old, ...others } = world.keys;
      const since = old?.since ?? world.now;
      const keys =
        state === undefined
          ? others
          : { ...others, [name]: { state, since, ...(reference !== undefined && { reference }) } };
      return { ...world, keys: sorted(keys) };
    };
    const tells = (input: Input, base: World = world) =>
      goesOn(undefined, applied(base, order, input, rules).world);
    switch (work.at) {
      case "reserved":
        if (name in world.keys)
          add(`${who} finds its key used`, tells({ kind: "lost", number: attempt }));
        else add(`${who} begins ${name}`, goesOn({ ...work, at: "begun" }, withKey("in_flight")));
        return;
      case "begun": {
        // The deadline of the call, and that of its lease.
        const isLate = world.now - click >= TIMES.promptWithinMs;
        if (isLate) {
          add(
            `${who} is too late for ${name}`,
            goesOn({ ...work, at: "freed" }, withKey(undefined)),
          );
          return;
        }
        const reference = `R${name}`;
        const payment = {
          order,
          attempt,
          reference,
          status: "pending",
          amount: askedBy(
            world.orders[order] as OrderState,
            attemptIn(world, order, attempt) as AttemptState,
          ),
          currency: "KES",
        } as const;
        const taken = {
          ...world,
          payments: [...world.payments, payment],
          prompts: [...world.prompts, name],
        };
        const isSecond = world.payments.some(
          (one) => one.order === order && one.status === "pending",
        );
        const isOther = world.payments.some(
          (one) => one.order !== order && one.status === "pending",
        );
        const violation = isSecond
          ? "two prompts of one order are open"
          : isOther
            ? "two prompts on one phone are open"
            : undefined;
        add(`${who} sends ${name}`, goesOn({ ...work, at: "sent" }, taken), { violation });
        if (may("reject"))
          fault(`the service rejects ${name}`, goesOn({ ...work, at: "rejected" }));
        fault(`the response of ${name} is lost`, goesOn({ ...work, at: "lost" }, taken));
        return;
      }
      case "sent": {
        const reference = `R${name}`;
        const next = tells(
          { kind: "accepted", number: attempt, reference },
          withKey("succeeded", reference),
        );
        const isStored = attemptIn(next, order, attempt)?.reference === reference;
        const violation = isStored ? undefined : "the reference of a response was dropped";
        add(`${who} gets ${reference}`, next, { violation });
        return;
      }
      case "rejected":
        add(`${who} frees ${name}`, goesOn({ ...work, at: "freed" }, withKey(undefined)));
        return;
      case "freed": {
        const freed = tells({ kind: "rejected", number: attempt, message: "" });
        const still = attemptIn(freed, order, attempt)?.status;
        add(`${who} writes that ${name} was not sent`, freed, {
          violation: still === "not_sent" ? undefined : "a customer who was not asked has to wait",
        });
        return;
      }
      case "lost": {
        const lost = tells({ kind: "lost", number: attempt }, withKey("unknown"));
        const isStarting = attemptIn(lost, order, attempt)?.status === "starting";
        add(`${who} writes that ${name} is unknown`, lost, {
          violation: isStarting ? "an unknown outcome looks like a start" : undefined,
        });
      }
    }
  }

  function dueSteps(
    work: Extract<Work, { at: "works" | "saw" }>,
    who: string,
    goesOn: (next: Work | undefined, base?: World) => World,
  ): void {
    const { order } = work;
    const later = (actions: readonly Action[]): Work | undefined =>
      actions.length > 0 ? { at: "works", order, actions } : undefined;
    if (work.at === "saw") {
      add(`${who} writes what it saw`, goesOn(later(work.rest), change(order, work.input)));
      return;
    }
    const [action, ...rest] = work.actions;
    if (action?.do === "read") {
      const payment = world.payments.find((one) => one.reference === action.reference);
      const input = payment && reported(payment);
      add(
        `${who} reads ${action.reference}`,
        goesOn(input ? { at: "saw", order, input, rest } : later(rest)),
      );
      fault(`${who} cannot read ${action.reference}`, goesOn(later(rest)));
    }
    if (action?.do === "look") {
      const key = world.keys[keyName(order, action.number)];
      const input: Input = {
        kind: "key",
        number: action.number,
        state: stateOf(key),
        reference: key?.reference,
        seenAt: wallOf(world),
      };
      const looks = `${who} looks at attempt ${action.number} of O${order}`;
      add(looks, goesOn({ at: "saw", order, input, rest }));
      const freed = resolved(keyName(order, action.number));
      if (freed !== undefined && freed.payment === undefined) {
        const found: Input = { ...input, state: "freed" };
        add(
          `${looks} and finds no payment`,
          goesOn({ at: "saw", order, input: found, rest }, freed.world),
        );
      }
    }
    if (action?.do === "effect") {
      const done = change(order, { kind: "effect_done" });
      const isGiven = done !== world;
      const goods = replaceAt(world.goods, order, (world.goods[order] ?? 0) + 1);
      // The goods and "done" are one transaction, which changes nothing if the effect is not due any more.
      const before = world.orders[order] as OrderState;
      const isWrong = isGiven && isPaidBack(before, before.paidBy);
      const isRefused = isGiven && before.effect?.state === "refused";
      add(
        `${who} ships the goods of O${order}`,
        goesOn(later(rest), isGiven ? { ...done, goods } : world),
        {
          violation:
            (isWrong && "goods were given for money that was paid back") ||
            (isRefused && "goods were given that were refused") ||
            undefined,
        },
      );
      if (may("throw")) {
        const failed = change(order, { kind: "effect_failed", retryInMs: 1 });
        const { effect } = failed.orders[order] as OrderState;
        const isSoon = effect?.state !== "due" || effect.at === wallOf(world) + 1;
        const violation = !isSoon && "an effect that failed is not tried soon";
        fault(`onPaid of O${order} throws`, goesOn(later(rest), failed), violation);
      }
      if (may("refuse")) {
        const refused = change(order, { kind: "effect_refused", reason: "" });
        const { effect, reviews } = refused.orders[order] as OrderState;
        const isDue = effect?.state === "due" && effect.isStopped !== true;
        const isTold = reviews.some((one) => one.kind === "refund_due" && one.ended === undefined);
        const violation =
          (isDue && "goods are due that were refused") ||
          (refused !== world && !isTold && "money that was refused is not a review");
        fault(`onPaid of O${order} refuses`, goesOn(later(rest), refused), violation);
      }
      if (may("unclear") && isGiven) {
        const left = change(order, { kind: "effect_unclear", reason: "" });
        fault(`onPaid of O${order} rolls back`, goesOn(later(rest), left));
        // What it wrote after its own ROLLBACK was kept by itself.
        fault(
          `onPaid of O${order} rolls back, and writes`,
          goesOn(later(rest), { ...left, goods }),
        );
        const again = applied(done, order, { kind: "effect_unclear", reason: "" }, rules).world;
        const isTold = again.orders[order]?.reviews.some(({ kind }) => kind === "effect_unclear");
        fault(
          `onPaid of O${order} writes again after the goods`,
          goesOn(later(rest), { ...again, goods }),
          !isTold && "goods that were dropped are not a review",
        );
      }
    }
  }

  function stateOf(
    key: World["keys"][string] | undefined,
  ): "free" | "in_flight" | "unknown" | "succeeded" {
    if (key === undefined) return "free";
    return key.state === "in_flight" && world.now - key.since >= LEASE ? "unknown" : key.state;
  }

  /** The list of payments resolves what is unknown. */
  function resolved(
    name: string,
  ): { readonly world: World; readonly payment: unknown } | undefined {
    const { [name]: key, ...others } = world.keys;
    if (key === undefined || stateOf(key) !== "unknown") return undefined;
    const reference = `R${name}`;
    const payment = world.payments.find((one) => one.reference === reference);
    if (payment === undefined && world.now - key.since <= LEASE) return undefined;
    const succeeded = { ...key, state: "succeeded" as const, reference };
    const keys = payment === undefined ? others : { ...world.keys, [name]: succeeded };
    return { world: { ...world, keys: sorted(keys) }, payment };
  }

  for (const [name, key] of Object.entries(world.keys)) {
    if (may("unreadable") && key.reference !== undefined) {
      const { reference: _, ...unreadable } = key;
      const keys = { ...world.keys, [name]: unreadable };
      fault(`the result of ${name} cannot be read`, { ...world, keys });
    }
    const next = resolved(name);
    if (next !== undefined) add(`${name} is resolved`, next.world);
  }

  world.payments.forEach((payment, at) => {
    const { reference, status, order } = payment;
    const becomes = (changes: Partial<ServicePayment>): World => ({
      ...world,
      payments: replaceAt(world.payments, at, { ...payment, ...changes }),
    });
    // A failed one is read again for some time: later, only its webhook tells.
    const isRead = world.now < TIMES.failedForMs;
    if (status === "pending") {
      if (!payment.isOpenAgain || isRead)
        add(`${reference} is completed`, becomes({ status: "completed" }));
      fault(`${reference} fails`, becomes({ status: "failed" }));
      if (may("amount"))
        fault(
          `${reference} is completed with 0.70`,
          becomes({ status: "completed", amount: "0.70" }),
        );
      if (may("currency"))
        fault(
          `${reference} is completed in UGX`,
          becomes({ status: "completed", currency: "UGX" }),
        );
    }
    if (status === "failed" && may("late") && isRead) {
      fault(`${reference} is completed late`, becomes({ status: "completed" }));
    }
    // One that is open again after it was read, as the next prompt is sent, is beyond any rule.
    const isSending = world.processes.some(
      (work) => work?.order === order && ["checks", "reserved", "begun"].includes(work.at),
    );
    const last = world.orders[order]?.attempts.at(-1);
    const isLast = last?.number === payment.attempt && last.status === "failed";
    if (status === "failed" && may("reopen") && isRead && isLast && !isSending) {
      fault(`${reference} is open again`, becomes({ status: "pending", isOpenAgain: true }));
    }
    if (status !== "pending") {
      const isKnown = world.orders[order]?.attempts.some((one) => one.reference === reference);
      // A webhook comes at any time, any number of times, or never. Of a failure it names only the reference.
      const next = isKnown || status === "completed" ? change(order, reported(payment)) : undefined;
      const violation =
        payment.attempt === 0 && next !== undefined ? wrongPart(world, next, payment) : undefined;
      if (next !== world || violation)
        add(`the webhook of ${reference} comes`, next, { isFault: true, violation });
      const isCounted = world.orders[order]?.money.some((one) => one.reference === reference);
      if (status === "completed" && isCounted && may("contradict")) {
        const contradicts = (name: string, other: ServicePayment) => {
          const changed = change(order, reported(other));
          const reviews = changed.orders[order]?.reviews ?? [];
          const isReview = reviews.some(({ kind }) => kind === "contradiction");
          fault(name, changed, !isReview && "a contradiction is not a review");
        };
        contradicts(`a webhook of ${reference} says 3.00`, { ...payment, amount: "3.00" });
        if (isKnown)
          contradicts(`a webhook of ${reference} says failed`, { ...payment, status: "failed" });
      }
    }
  });

  if (may("hand")) {
    for (const [order] of world.orders.entries()) {
      const number = world.payments.filter(({ attempt }) => attempt === 0).length;
      if (number === 3) continue;
      const by = { order, attempt: 0, reference: `H${number}` } as const;
      const sent = { ...by, status: "completed", amount: "0.40", currency: "KES" } as const;
      fault(`0.40 comes by hand for O${order}`, { ...world, payments: [...world.payments, sent] });
    }
  }

  world.orders.forEach((order, at) => {
    if (may("cancel")) {
      const canceled = change(at, { kind: "canceled" });
      const isOver = ["paid", "canceled", "expired"].includes(
        statusOf(canceled.orders[at] as OrderState),
      );
      fault(`O${at} is canceled`, canceled, !isOver && "a canceled order goes on");
    }
    if (may("update")) changes(order, at);
    if (may("elsewhere")) {
      const reason = "paid_elsewhere";
      fault(`O${at} is paid elsewhere`, change(at, { kind: "canceled", reason }));
    }
    if (may("refund")) {
      for (const refund of REFUNDS) {
        const { world: next, isRefused } = applied(world, at, refund, rules);
        const name = `${refund.amount} of O${at} is paid back (${refund.reference})`;
        fault(name, next, wrongRefund(order, next.orders[at] as OrderState, refund, isRefused));
      }
    }
    if (!may("decide")) return;
    for (const review of order.reviews) {
      const { id, kind, number = 0, ended } = review;
      const own = world.payments.filter((one) => one.order === at && one.attempt === number);
      const isThere = own.length > 0;
      const isCompleted = own.some(({ status }) => status === "completed");
      for (const decision of ["accept", "refunded", "dismiss"] as const) {
        // A person who is asked whether there is a payment looks at the service.
        const isUnknown = kind === "unknown_outcome";
        if (isUnknown && decision === "refunded" && !isCompleted) continue;
        if (isUnknown && isThere === (decision === "dismiss")) continue;
        // One who is asked about goods looks at what the customer has.
        const isGoods = kind === "effect_unclear" && decision !== "refunded";
        if (isGoods && (world.goods[at] === 1) === (decision === "accept")) continue;
        // One who pays back may say which refund it is, also by mistake.
        const isNamed = may("refund") && decision === "refunded";
        for (const reference of isNamed ? [undefined, "A"] : [undefined]) {
          const next = change(at, { kind: "decided", review: id, decision, reference });
          const what = `${kind} of O${at}: ${decision}${reference ? ` (${reference})` : ""}`;
          const isOther = isOfOtherRefund(order, review, reference);
          const wrong = isOther
            ? wrongName(review, next.orders[at] as OrderState)
            : wrongDecision(review, decision, next, at, ended);
          fault(what, next, wrong);
        }
      }
    }
  });

  function changes(order: OrderState, at: number): void {
    const isOver = order.paidBy !== undefined || order.closed !== undefined;
    const isAsked = order.attempts.some(isOpen);
    for (const amount of ["0.50", "1.00", "2.00"]) {
      const { world: next, isRefused } = applied(world, at, { kind: "updated", amount }, rules);
      const isSame = amount === order.amount;
      const isChanged = next.orders[at]?.amount !== order.amount;
      const wrong =
        (isSame && isRefused && "a change that was made before is refused") ||
        (isChanged && isAsked && "an order was changed while a phone was asked") ||
        (isChanged && isOver && "an order that is over was changed") ||
        (!isSame && !isChanged && !isAsked && !isOver && "an order does not change");
      if (next !== world || wrong) fault(`O${at} is changed to ${amount}`, next, wrong);
    }
  }

  function wrongDecision(
    review: ReviewState,
    decision: "accept" | "refunded" | "dismiss",
    next: World,
    at: number,
    ended: ReviewState["ended"],
  ): string | undefined {
    const { id, kind, number = 0 } = review;
    const before = world.orders[at] as OrderState;
    const { reviews, paidBy, effect } = next.orders[at] as OrderState;
    const now = reviews.find((one) => one.id === id)?.ended;
    if (ended !== undefined) return now === ended ? undefined : "a review was decided twice";
    const isRefused = kind === "refund_due" && before.effect?.state === "refused";
    const isOfGoods = kind === "effect_failed" || kind === "effect_unclear" || isRefused;
    const isOfMoney = decision === "accept" && !isOfGoods;
    if (isOfMoney && isPaidBack(before, nameIn(before, review))) {
      return now === undefined ? undefined : "money was accepted that was paid back";
    }
    if (isOfMoney && before.paidBy !== undefined && !isAboutPaying(before, review)) {
      return now === undefined ? undefined : "a second accepted payment vanished";
    }
    const isPaidElsewhere = decision === "accept" && before.closedFor !== undefined;
    if (isPaidElsewhere && kind !== "unmatched") {
      return now === undefined ? undefined : "an order took money that was paid elsewhere";
    }
    if (decision === "refunded" && isOfNoPayment(before, review)) {
      return now === undefined ? undefined : "a payment was paid back that is not known";
    }
    if (now !== decision) return "a decision was dropped";
    if (kind === "unknown_outcome" && decision === "dismiss") {
      const attempt = attemptIn(next, at, number);
      return attempt && isOpen(attempt) ? "an attempt is open that a person has ended" : undefined;
    }
    if (kind === "effect_unclear" && decision === "dismiss") {
      return effect?.state === "due" ? "goods that a person found are due" : undefined;
    }
    if (isRefused && decision === "refunded" && effect?.state !== "refunded") {
      return "money was paid back, and looks refused";
    }
    if (decision !== "accept") return undefined;
    if (isOfGoods) {
      const isNow =
        effect?.state === "done" ||
        (effect?.state === "due" && effect.at === wallOf(next) && effect.isStopped !== true);
      return isNow ? undefined : "an effect that a person wants waits";
    }
    const pays = [
      ...["amount_mismatch", "currency_mismatch", "late_payment", "refund_due"],
      "unknown_outcome",
    ];
    return pays.includes(kind) && paidBy === undefined ? "accepted money pays nothing" : undefined;
  }

  if (may("clock") && world.ahead === 0) {
    // A prompt is late by the clock that says more.
    const processes = world.processes.map((work) =>
      work !== undefined && "click" in work ? { ...work, click: work.click - STEP } : work,
    );
    fault("the clock is set ahead", { ...world, processes, ahead: STEP });
    fault("the clock is set back", { ...world, ahead: -STEP });
  }

  if (world.now < scenario.until) add(TIME_PASSES, { ...world, now: world.now + 1 });
  return steps;
}

const reported = (payment: ServicePayment): Input => ({
  kind: "reported",
  update: updateOf(payment),
});

const asking = (
  after: number | undefined,
  checked: number | undefined,
  openAgain: readonly string[] = [],
): Input => ({
  kind: "asked",
  phone: "",
  phoneDigest: "",
  after,
  checked,
  openAgain,
});

const sorted = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** What a payment by hand must not do to its order. */
function wrongPart(before: World, after: World, payment: ServicePayment): string | undefined {
  const { order: at, reference } = payment;
  const [order, next] = [before.orders[at] as OrderState, after.orders[at] as OrderState];
  const ofHand = next.money.filter((one) => /^[HP]/.test(one.reference));
  if (ofHand.length > MAX_BY_HAND) return "an order stores payments without end";
  if (!holdsMoney(order) && holdsMoney(next)) return "a part keeps the customer from paying";
  const isNews = !order.money.some((one) => one.reference === reference);
  const isSeen = next.reviews.some(({ references }) => references.at(-1) === reference);
  const wasOpen = order.paidBy === undefined && order.closed === undefined;
  if (isNews && next !== order && wasOpen && order.partPayments === "review" && !isSeen)
    return "a part that a person is to see is not a review";
  return undefined;
}

/** How many payments that no attempt has asked for an order stores. */
const MAX_BY_HAND = 50;

/** What a person pays back. The names are those of refunds. */
const REFUNDS = [
  { kind: "refund_added", reference: "A", amount: "0.50" },
  { kind: "refund_added", reference: "A", amount: "1.00" },
  { kind: "refund_added", reference: "B", amount: "1.00" },
] as const;

/** Whether a name is that of a refund of another amount, or of another payment. */
function isOfOtherRefund(order: OrderState, review: ReviewState, reference?: string): boolean {
  const known = order.refunds?.find((one) => one.reference === reference);
  if (reference === undefined || known === undefined || review.ended !== undefined) return false;
  const payment = order.money.find((one) => one.reference === nameIn(order, review));
  const amount = review.amount ?? payment?.amount;
  return known.payments !== undefined || known.amount !== amount;
}

const wrongName = ({ id }: ReviewState, after: OrderState): string | undefined =>
  after.reviews.find((one) => one.id === id)?.ended === undefined
    ? undefined
    : "a refund of another amount vanished";

function wrongRefund(
  before: OrderState,
  after: OrderState,
  { reference, amount }: (typeof REFUNDS)[number],
  isRefused = false,
): string | undefined {
  const known = before.refunds?.find((one) => one.reference === reference);
  const isNoted = after.refunds?.length !== before.refunds?.length;
  if (known !== undefined && isNoted) return "a refund was noted twice";
  if (known !== undefined && known.amount !== amount && !isRefused)
    return "a refund of another amount vanished";
  const came = Number(leftOf(before, before.currency));
  const isTooMuch = Number(amount) > came;
  if (isNoted && isTooMuch) return "more was paid back than came";
  if (isTooMuch && known === undefined && !isRefused) return "a refund vanished";
  return known === undefined && !isTooMuch && !isNoted ? "a refund vanished" : undefined;
}

/** What an attempt must not begin in spite of. */
function startedWrongly(
  before: World,
  { world, actions }: { readonly world: World; readonly actions: readonly Action[] },
  at: number,
  after: number | undefined,
  came: number,
): string | undefined {
  const order = before.orders[at] as OrderState;
  const isBusy = before.orders.some((one, other) => other !== at && one.attempts.some(isOpen));
  const { blocked, attempts } = world.orders[at] as OrderState;
  if (isBusy && attempts.length === 0 && blocked === undefined) return "a rejection says nothing";
  if (!actions.some((one) => one.do === "send")) return undefined;
  const amount = centsOf(attempts.at(-1)?.amount ?? "");
  const whole = centsOf(order.amount);
  if (amount > whole - came) return "asked for money that was there before the click";
  if (after !== undefined && after !== order.attempts.length)
    return "an old tab started an attempt";
  const isLeft = amount === whole - sumOf(cameFor(order));
  if (!isLeft && order.paidBy === undefined) return "asked for another amount than what is left";
  const started = world.orders[at]?.attempts.filter(({ status }) =>
    ["starting", "pending", "unknown"].includes(status),
  );
  if ((started?.length ?? 0) > 1) return "two attempts of one order are open";
  const sent = order.attempts.filter(({ status }) => status !== "not_sent");
  const isFull = order.attempts.length >= 10 * ATTEMPT_LIMIT;
  if (sent.length >= ATTEMPT_LIMIT || isFull) return "an order was asked for without end";
  if (holdsMoney(order)) return "asked while money is under review";
  if (order.closed !== undefined) return "an order that is over was asked for";
  if (order.expiresAt !== undefined && order.expiresAt <= wallOf(before))
    return "an order was asked for after its time";
  return undefined;
}
