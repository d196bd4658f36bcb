import type { CaseRun, Look } from "./case-run.ts";
import { changesDue, type DrillCase, hasKind } from "./cases.ts";
import { dueOf, isPaid, receivedOf } from "./drill-payment.ts";

/** A promise that a shop should keep. */
export interface ShopPromise {
  readonly name: string;
  /** The part of it that is checked without `--effects`, if it is less. */
  readonly withoutEffects?: string;
  /** What usually breaks it. */
  readonly cause: string;
  /** What to do about it: the results must explain themselves, wherever they are read. */
  readonly remedy: string;
  /** The page of the manual that says more: a file of `docs` without its ending. */
  readonly page: string;
  /** What happened to a customer, or to the shop, if it is broken. */
  readonly harm?: string;
  /** A shop may break it, too, because a busy machine gave it no time. */
  readonly isTimed?: true;
  /** It cannot be checked without `--effects`. */
  readonly needsEffects?: true;
  /** Whether a case checks it; otherwise, all do. */
  readonly isAbout?: (one: DrillCase) => boolean;
  /** Describes what is wrong with an order at its end. */
  readonly check?: (run: CaseRun) => string | false;
}

export const NO_DOUBLE_CHARGE = "one order, paid at most once";
export const ONE_PROMPT = "one attempt, at most one prompt";
export const DELIVERED = "paid at the service: the shop says paid, and delivers the goods";
export const GOODS_ONCE = "the goods are given once";
export const ENDS = "every order ends";
const IN_STOCK = "no more is sold than there is";
const NOT_PAID = "not paid at the service: the shop never says paid, and delivers nothing";
const OWN_AMOUNT = "an order is paid by its own amount and currency only";
export const NO_FALSE_FAILURE = 'no customer reads "failed" while the payment may still come';
const STAYS_PAID = "a paid order stays paid";
export const FORGED = "a forged, altered or unsigned webhook is rejected, and has no effect";
export const ANSWERED = "a webhook is answered in time, and a genuine one is accepted";
export const ALIVE = "the process does not die, and comes back after a kill";
export const CANCELED = "a canceled order rings no phone, never becomes paid, and gives no goods";
export const REFUNDED = "a refunded order rings no phone, and gives no goods";
export const CHANGED = "an order asks for what is due, and is paid when all of it has come";
const OWN_PHONE = "the phone that was typed rings, and no other one";
export const SECRET = "no key, no secret and no full phone number is printed or answered";

/** How long after a click a customer still expects the phone to ring. */
export const MAX_RING_MS = 90_000;

const paidCount = ({ payments }: CaseRun) => payments.filter(isPaid).length;
/**
 * Money that a person must decide about: the order may stay open. If only the webhook tells another amount, a
 * read tells the truth soon, and the shop may not call the order failed.
 */
const needsPerson = (run: CaseRun) =>
  hasKind(run.case, "paidAmount") ||
  (hasKind(run.case, "amount", "currency") && run.look.shown === "open") ||
  (run.closed !== undefined && paidCount(run) > 0) ||
  isPartlyPaid(run);
/** What is left to pay, if it can change in the case. */
const restOf = (run: CaseRun) => (changesDue(run.case) ? dueOf(run.price ?? 0, run.payments) : 0);
const isPartlyPaid = (run: CaseRun) => restOf(run) > 0 && receivedOf(run.payments) > 0;
/** "Pay again" did nothing: the only payment is the one that had failed. */
const isStuck = ({ clicks, payments, case: { act } }: CaseRun) =>
  ["again", "tabs"].includes(act ?? "") && clicks > 1 && payments.length === 1;
/** The shop took the money, and means to give the goods. */
const isSold = (run: CaseRun) => paidCount(run) > 0 && isPaidFor(run.look);
const isPaidFor = ({ shown, effects = 0 }: Look) => shown === "paid" || effects > 0;

/** What a drill checks. Each promise counts in each case. */
export const PROMISES: readonly ShopPromise[] = [
  {
    name: NO_DOUBLE_CHARGE,
    harm: "paid twice",
    cause: "a second attempt under a new key before the first one had failed",
    remedy:
      "Begin another attempt only after the last one has failed at the service. An attempt with an unknown outcome has not failed: read the payments first.",
    page: "guides/charge-once",
    check: (run) =>
      paidCount(run) > 1 &&
      run.payments.some((one) => one.isRepeat && isPaid(one)) &&
      `the customer paid ${paidCount(run)} times`,
  },
  {
    name: ONE_PROMPT,
    cause: "a retry after a timeout without an idempotency key, or a key that differs in each call",
    remedy:
      "Derive the idempotency key from the order and its attempt, and send the same one in each retry, after a restart, too. Keep the keys in a store that survives a crash and that all processes share.",
    page: "guides/charge-once",
    check: ({ payments }) =>
      payments.some(({ isRepeat }) => isRepeat) &&
      `another prompt was sent while a payment of the order was pending or paid: ${payments.length} in all`,
  },
  {
    name: "a prompt comes soon after the click, or never",
    cause: "a queue or a retry that sends a prompt without a deadline",
    remedy:
      "Store the time of the click, and send no prompt that is older than a minute. Tell the customer that nothing was sent, and offer to pay again.",
    page: "guides/checkout",
    harm: "heard the phone ring long after the click",
    isTimed: true,
    check: ({ payments }) => {
      const late = payments.find(({ afterClickMs }) => afterClickMs > MAX_RING_MS);
      return (
        late !== undefined && `the phone rang ${Math.round(late.afterClickMs / 1_000)} s later`
      );
    },
  },
  {
    name: DELIVERED,
    withoutEffects: "paid at the service: the shop says paid",
    harm: "paid and got nothing",
    isTimed: true,
    cause: "a timeout or an error that is taken for a failure, or goods that are not given with it",
    remedy:
      "Take a timeout, a lost response and a 5xx for unknown: keep the order open, and read the payment. Mark the order as paid and give the goods in one transaction, before the 200 to the webhook or from a stored event.",
    page: "guides/checkout",
    check: (run) => {
      const { shown, effects } = run.look;
      if (paidCount(run) === 0 || !run.canAsk || needsPerson(run)) return false;
      if (shown !== "paid") return `the customer has paid, and the shop says ${shown}`;
      return effects === 0 && "the customer has paid, and got nothing";
    },
  },
  {
    name: NOT_PAID,
    withoutEffects: "not paid at the service: the shop never says paid",
    harm: "got the goods without paying",
    cause: "an effect of payment.initiated, or of a page that the customer is redirected to",
    remedy:
      "Only payment.completed, or a read with the status completed, makes an order paid. payment.initiated and a visit of your page say nothing about money.",
    page: "guides/receive-webhooks",
    check: (run) =>
      paidCount(run) === 0 && isPaidFor(run.look) && describePaid(run.look, "not paid"),
  },
  {
    name: OWN_AMOUNT,
    harm: "got the goods for another amount",
    cause: "a handler that does not compare the amount and the currency with the order's",
    remedy:
      "Compare the amount and the currency of the payment with the order's before you give the goods. If they differ, keep the order open and show it to a person. What a second request with a known id sends must change no price.",
    page: "guides/checkout",
    check: (run) => {
      const other = run.payments.find(({ amount }) => amount !== run.price);
      if (other !== undefined && !changesDue(run.case)) {
        return `the shop asked for ${run.money(other.amount)}, and the order costs ${run.price}`;
      }
      const isOther = hasKind(run.case, "paidAmount") && paidCount(run) > 0;
      return isOther && isPaidFor(run.look) && describePaid(run.look, "paid another amount");
    },
  },
  {
    name: GOODS_ONCE,
    needsEffects: true,
    harm: "got the goods twice",
    cause: "a handler without the event's or the order's key, or an effect for each payment",
    remedy:
      "Give the goods in the statement that changes the order to paid, and only if it was not paid before. A webhook may arrive twice, and two attempts of an order may both be paid. If --effects reads a number that counts nothing, such as that of a seat, write ? behind its pointer.",
    page: "guides/receive-webhooks",
    check: ({ look: { effects = 0 } }) => effects > 1 && `the goods were given ${effects} times`,
  },
  {
    name: NO_FALSE_FAILURE,
    harm: 'read "failed" while the payment could still come',
    isTimed: true,
    cause: "a lost response, a timeout or a 5xx that is taken for a failure",
    remedy:
      "Say failed only after a rejection (4xx) or a payment with the status failed. After anything else the prompt may be on the phone: say that you are checking, and read the payment.",
    page: "guides/charge-once",
  },
  {
    name: STAYS_PAID,
    harm: 'read "paid", and later that it was not',
    cause: "a late or repeated payment.failed that takes back a success",
    remedy:
      "No webhook may change a paid order: events arrive late, twice and in another order. Leave out paid orders in the statement that changes the status.",
    page: "guides/receive-webhooks",
  },
  {
    name: ENDS,
    isTimed: true,
    cause: "a webhook that was lost and that no read makes up for, or an order only in memory",
    remedy:
      "Store the order before the prompt. Read the open payments every minute and at each start of the shop, since webhooks get lost. If the reference is not known, look for the account reference in the list of payments.",
    page: "guides/receive-webhooks",
    check: (run) => {
      const { shown } = run.look;
      // What was never sent closes itself in its own time, and a person decides about other money.
      const isUnsent = run.payments.length === 0 && hasKind(run.case, "away") && shown === "open";
      const isPatient = needsPerson(run) || isUnsent;
      if (!run.canAsk || isPatient || ["paid", "failed"].includes(shown)) return false;
      if (shown !== "open") return `the shop says ${shown}`;
      return isStuck(run)
        ? "the customer paid again, no prompt came, and the order is still open at the end"
        : "the order is still open at the end";
    },
  },
  {
    name: IN_STOCK,
    harm: "paid for what had been sold to another one",
    cause: "a stock that is read before the order is stored, and changed later",
    remedy:
      "Take the piece before the prompt, in one statement that changes nothing if there is none left: UPDATE items SET left = left - 1 WHERE id = ? AND left > 0. Give it back when the attempt has failed.",
    page: "guides/checkout",
    isAbout: ({ act }) => act === "lastPiece",
    check: (run) => {
      const sold = [run, ...run.rivals].filter(isSold);
      return (
        isSold(run) &&
        sold.length > 1 &&
        `${sold.length} customers have paid for the last piece: orders ${sold.map(({ order }) => order).join(" and ")}`
      );
    },
  },
  {
    name: CANCELED,
    withoutEffects: "a canceled order rings no phone, and never becomes paid",
    harm: "saw a canceled order go on",
    cause: "a webhook or a read that marks every order as paid, whatever has become of it",
    remedy:
      "Leave canceled orders out in the statement that marks an order as paid, and in the one that begins an attempt. Money that still comes is to be paid back: note it, and tell a person. If the customer has paid, reject to cancel (409).",
    page: "operations/refunds",
    isAbout: ({ act }) => act?.startsWith("cancel") === true,
    check: (run) => describeClosed(run, "canceled"),
  },
  {
    name: REFUNDED,
    withoutEffects: "a refunded order rings no phone",
    harm: "got the goods or another prompt after the money was paid back",
    cause: "a refund that makes the order look like one that was never paid",
    remedy:
      "A refunded order is over: leave it out in the statement that gives the goods, in the one that marks an order as paid, and in the one that begins an attempt. Webhooks arrive twice, and goods that are still due must not be given.",
    page: "operations/refunds",
    isAbout: ({ act }) => act?.startsWith("refund") === true,
    check: (run) => describeClosed(run, "refunded"),
  },
  {
    name: CHANGED,
    harm: "got a prompt for another amount than was due, or the goods for a part of it",
    cause: "an amount that was stored with the attempt, and is compared in the place of the price",
    remedy:
      "Add up what has come for an order, each payment once. Ask for the price without that sum, and mark the order as paid if the sum reaches the price. Change no order while its phone is asked (409), or take its payment as a part.",
    page: "reference/checkout",
    isAbout: changesDue,
    check: (run) => describeDue(run, run.look),
  },
  {
    name: OWN_PHONE,
    harm: "ordered, and the phone of a stranger rang",
    cause: "a number of which the last nine digits are taken, whatever country its code names",
    remedy:
      "Read a number with its code by the plan of that country, and reject a number of a country that you do not serve. malipo does so, if it gets the number as the customer typed it.",
    page: "guides/checkout",
    isAbout: ({ act }) => act === "foreignPhone",
    check: ({ payments }) =>
      payments.some(({ isOtherPhone }) => isOtherPhone) &&
      "the customer typed the number of another country, and the phone with the same last digits rang",
  },
  {
    name: FORGED,
    cause: "a receiver that does not verify the signature over the raw body",
    remedy:
      "Compute the HMAC over the raw bytes of the body, compare it in constant time, and respond 401 if it differs. verifyWebhook does that.",
    page: "guides/receive-webhooks",
    isAbout: (one) => hasKind(one, "forged", "unsigned", "altered"),
  },
  {
    name: ANSWERED,
    isTimed: true,
    cause: "work before the 200, or a signature that is checked over a parsed body",
    remedy:
      "Verify the raw body, store the event, respond 200, and do the work afterwards. A JSON parser before the receiver changes the bytes.",
    page: "guides/receive-webhooks",
  },
  {
    name: ALIVE,
    cause: "an error that nothing catches",
    remedy:
      "Catch errors in timers, in handlers, and in promises that nothing awaits. At its start, the shop must cope with the files and locks that a killed process has left.",
    page: "guides/checkout",
  },
  {
    name: SECRET,
    cause: "a log of whole requests or of the environment",
    remedy:
      "Log the order and the reference. Leave out headers, bodies and the environment, and mask phone numbers.",
    page: "operations/observability",
  },
];

/** The names of those that a busy machine can break. */
const TIMED = PROMISES.flatMap(({ name, isTimed }) => (isTimed ? [name] : []));

/**
 * Whether the machine may be at fault: something came late that the case does not plan, and the case says nothing
 * yet, or only what a right shop without time does, too.
 */
export const isSpoiled = (run: CaseRun): boolean =>
  run.delay !== undefined &&
  run.skipped === undefined &&
  (TIMED.some((name) => run.problems.has(name)) || (run.problems.size === 0 && !run.isTested));

/** Takes back what the machine may have caused. What is wrong on any machine stays. */
export function forgive(run: CaseRun): void {
  for (const name of TIMED) run.problems.delete(name);
  if (run.problems.size === 0) run.undecided = run.delay;
}

/** What went on with an order after it was canceled or paid back. */
function describeClosed({ closed, payments, look }: CaseRun, how: "canceled" | "refunded") {
  if (closed?.how !== how) return false;
  const ended = how === "canceled" ? "the order was canceled" : "the money was paid back";
  if (payments.some(({ after }) => after === how)) return `${ended}, and then a prompt was sent`;
  const { shown, effects = 0 } = look;
  if (effects > closed.effects) return `${ended}, and then the goods were given`;
  return how === "canceled" && shown === "paid" && `${ended}, and now the shop says paid`;
}

/** What is wrong with what the shop asked for or says, of an order whose price or rest has changed. */
function describeDue(run: CaseRun, look: Look): string | false {
  if (!changesDue(run.case)) return false;
  const other = run.payments.find(({ amount, due }) => amount !== due);
  if (other !== undefined) {
    return `the shop asked for ${run.money(other.amount)}, and ${run.money(other.due)} of the order was due`;
  }
  if (!isPartlyPaid(run) || !isPaidFor(look)) return false;
  return describePaid(look, `paid ${run.money(receivedOf(run.payments))} of ${run.price}`);
}

const describePaid = ({ shown }: Look, truth: string) =>
  shown === "paid"
    ? `the shop says paid, and the customer has ${truth}`
    : `the shop has given the goods, and the customer has ${truth}`;

/** What is wrong with an order at its end: every promise that it breaks. */
export function brokenPromises(run: CaseRun): (readonly [name: string, what: string])[] {
  return PROMISES.flatMap(({ name, check }) => {
    const what = check?.(run);
    return what ? [[name, what] as const] : [];
  });
}

/**
 * Checks what a customer saw at one moment, while the order is under way.
 *
 * @param before - The statuses of the payments that were known before the customer looked. Those of
 *   `run.payments` were read afterwards.
 */
export function checkLook(run: CaseRun, look: Look, before: ReadonlyMap<string, string>): void {
  const { askedAt, shown } = look;
  const mayStillCome = run.payments.some(({ reference, status, isLatePaid, isByHand }) => {
    const known = before.get(reference);
    const isFailed = known === "failed" || status === "failed" || isLatePaid;
    // What came is a part: the order is to be paid again.
    if (isByHand || (isPaid({ status }) && isPartlyPaid(run))) return false;
    return known !== undefined && !isFailed;
  });
  // A page may show that an order is canceled before the one who canceled it has the response.
  if (shown === "failed" && mayStillCome && !run.isClosing) {
    run.blame(NO_FALSE_FAILURE, 'the customer reads "failed", and the payment has not failed');
  }
  if (isPaidFor(look) && paidCount(run) === 0) run.blame(NOT_PAID, describePaid(look, "not paid"));
  const isDue = describeDue(run, look);
  if (isDue) run.blame(CHANGED, isDue);
  if (run.paidAt < askedAt && (shown === "failed" || shown === "open") && !run.isClosing) {
    run.blame(STAYS_PAID, `the customer read "paid" before, and now reads "${shown}"`);
  }
  const isOther = hasKind(run.case, "amount", "currency") && paidCount(run) > 0;
  if (isOther && !run.hasReadPaid && isPaidFor(look)) {
    run.blame(OWN_AMOUNT, describePaid(look, "paid another amount, as the webhook says"));
  }
  if (shown === "paid") run.paidAt = Math.min(run.paidAt, performance.now());
}
