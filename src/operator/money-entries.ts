import type { Order, Review, ReviewDecision, ReviewKind } from "../checkout/rules/order-types.ts";
import { REVIEWS } from "../checkout/rules/view.ts";
import type { UnknownAttempt } from "../client/unknown-outcomes/operations.ts";
import type { Payment } from "../contract/payment.ts";
import type { StoredDoublePayment } from "../webhooks/inbox/inbox-types.ts";
import type { Choice, Entries, Entry, KnownOfEntry, Sources } from "./entry.ts";
import { amountText } from "./wording.ts";

const none: Entries = { entries: [], hasMore: false };
const PAGE = 1_000;

/**
 * What an order says.
 *
 * @param about - The payments that a review is about, the last one above all: it comes first, and the phone is its
 * own. Nobody must call the payer of another one.
 */
export const knownOfOrder = (order: Order, about: readonly string[] = []): KnownOfEntry => {
  const { id, amount, currency, attempts, payments } = order;
  const paying = payments.map(({ reference }) => reference);
  const asked = attempts.flatMap(({ reference }) => reference ?? []);
  const meant = about.slice(-1);
  const attempt =
    meant.length === 0
      ? attempts.at(-1)
      : attempts.find(({ reference = "" }) => meant.includes(reference));
  const [wanted = attempt?.reference ?? paying.at(-1)] = meant;
  const payment = payments.find(({ reference }) => reference === wanted);
  return {
    order: id,
    amount: amountText(amount, currency),
    cameAmounts: payments.map((one) => amountText(one.amount, one.currency)),
    transactionIds: payments.flatMap(({ transactionId }) => transactionId ?? []),
    code: payment?.transactionId,
    phone: attempt?.phone ?? payment?.phone,
    payers: payments.flatMap((one) => one.phone ?? []),
    label: order.accountReference,
    references: [...new Set([...meant, ...about, ...paying, ...asked])],
  };
};

type Wording = Readonly<
  Partial<Record<ReviewDecision, readonly [label: string, says: string, done: string]>>
>;

const REFUNDED = [
  "I have paid it back",
  "The payment will be noted as paid back. Pay it back first: this moves no money.",
  "The payment is noted as paid back.",
] as const;
const REFUNDED_UNGIVEN = [
  "I have paid it back",
  "The payment will be noted as paid back, and the goods will not be given any more. Pay it back first: this moves no money.",
  "The payment is noted as paid back. The goods are not given any more.",
] as const;
const KEEP = [
  "Keep it",
  "The money stays with the shop. Nothing else will change.",
  "The money stays with the shop.",
] as const;
const KEEP_ORDER = [
  "Keep it",
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
const DECISIONS: Readonly<Record<ReviewKind, Wording>> = {
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
      "The attempt will end without money, and the customer may try again.",
      "The attempt has ended without money.",
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
      "Keep it",
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

/** What has happened, and the one thing that a person does about it, in the words of the people of a shop. */
const CASES: Readonly<Record<ReviewKind, readonly [cause: string, todo: string]>> = {
  overpaid: [
    "The order was paid, and more came.",
    "Pay the amount of this case back. Keep it only if it is for something else.",
  ],
  amount_mismatch: [
    "The customer paid another amount than the order costs.",
    "Give the goods if the amount is all right. Otherwise pay it back.",
  ],
  currency_mismatch: [
    "The customer paid in another currency than the order has.",
    "Give the goods if the amount is all right. Otherwise pay it back.",
  ],
  late_payment: [
    "The money came after the time to pay was over.",
    "Give the goods if they are still there. Otherwise pay the money back.",
  ],
  refund_due: [
    "The customer paid, and gets no goods.",
    "Pay the money back in the dashboard of the service. Then say so here.",
  ],
  unknown_outcome: [
    "It is not known whether the customer was asked to pay.",
    "Look for the payment at the service. If it is there, give the goods. If not, the customer has not paid.",
  ],
  contradiction: [
    "The service has said two different things about this payment.",
    "Read the payment below, as the service has it now. Keep the order as it is if that agrees with it.",
  ],
  unmatched: [
    "Money came that belongs to no order.",
    "Find out who paid, and for what. Pay it back, or hand over what it was for yourself and keep it.",
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

const DIFFERS: readonly ReviewKind[] = ["amount_mismatch", "currency_mismatch"];

/** What a review says beside its kind: why, and whether the goods were given. */
const moreOf = ({ kind, message }: Review): string =>
  message.replace(REVIEWS[kind], "").replace(" onPaid refused it:", " The shop refused it:");

const reviewChoices = ({ checkout }: Sources, { id, kind }: Review): Choice[] =>
  Object.entries(DECISIONS[kind]).map(([decision, [label, says, done]]) => ({
    action: decision,
    label,
    says: () => says,
    done: () => done,
    pays: decision === "accept" && !kind.startsWith("effect_"),
    isLogged: true,
    run: async (_, by, line) =>
      checkout?.reviews.resolve(id, decision as ReviewDecision, { by, line }),
  }));

/** The name of a review on the page. */
const REVIEW = "review:";

/** Who has decided about an entry, if it was a review; `undefined` if that is not known. */
export const endOfReview = async ({ checkout }: Sources, id: string) =>
  id.startsWith(REVIEW) ? checkout?.reviews.ended(id.slice(REVIEW.length)) : undefined;

/** Open reviews of some kinds. */
export async function listReviews(
  sources: Sources,
  kinds: readonly ReviewKind[],
): Promise<Entries> {
  const reviews = (await sources.checkout?.reviews.list()) ?? [];
  const own = reviews.filter(({ kind }) => kinds.includes(kind));
  const entries = own.map((review): Entry => {
    const { id, createdAt, kind, orderId, references, amount, currency } = review;
    const { transactionId: code, phone, accountReference: label } = review;
    const came = amount === undefined ? undefined : amountText(amount, currency);
    const [what, todo] = CASES[kind] ?? [review.message, undefined];
    const cause = what + moreOf(review);
    return {
      id: REVIEW + id,
      at: Date.parse(createdAt),
      cause: came !== undefined && DIFFERS.includes(kind) ? `${cause} ${came} came.` : cause,
      todo,
      orderId,
      about: references,
      came,
      ...(orderId === undefined && {
        known: { references, amount: came, code, phone, label, order: label },
      }),
      choices: reviewChoices(sources, review),
    };
  });
  return { entries, hasMore: false };
}

/** What the page says about money for an order that other money has paid. */
export const PAID_ALREADY =
  "The order is paid already. Pay this one back. Keep it only if it is for something else.";

/** A review with what its order says, and what may be decided about it now. */
function withOrder(entry: Entry, order: Order): Entry {
  const known = knownOfOrder(order, entry.about);
  const failed = entry.id.includes(":effect_failed:") && order.effectError;
  const cause = failed ? `${entry.cause} It says: ${failed}.` : entry.cause;
  const isOver = order.status === "paid" || order.cancelReason === "paid_elsewhere";
  // Goods that were refused may be given after all.
  const [about] = order.reviews.filter(({ id }) => entry.id === REVIEW + id);
  const isRefused = about?.kind === "refund_due" && order.effect === "refused";
  const isPaid = isOver && !isRefused && entry.choices.some(({ pays }) => pays);
  if (!isPaid) return { ...entry, known, cause };
  return {
    ...{ ...entry, known, todo: PAID_ALREADY },
    choices: entry.choices.filter(({ pays }) => !pays),
  };
}

/** Reviews with what their orders say. */
export const withOrders = (
  { checkout }: Sources,
  entries: readonly Entry[],
): Promise<readonly Entry[]> =>
  Promise.all(
    entries.map(async (entry) => {
      const { orderId, known } = entry;
      if (orderId === undefined || known !== undefined) return entry;
      const order = await checkout?.inspect(orderId).catch(() => undefined);
      return order === undefined ? entry : withOrder(entry, order);
    }),
  );

/** Paid orders whose goods were not given. An order with a review is listed by its review. */
export async function listGoods(sources: Sources, limit: number): Promise<Entries> {
  const { checkout } = sources;
  if (checkout === undefined) return none;
  const entries: Entry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await checkout.list({ goodsDue: true, after, limit: PAGE });
    for (const order of page.items) {
      if (order.reviews.some(({ kind }) => kind === "effect_failed")) continue;
      entries.push({
        id: `goods:${order.id}`,
        at: Date.parse(order.paidAt ?? order.updatedAt),
        cause:
          order.effectError === undefined
            ? "The order is paid, and the shop is handing over the goods. It tries again within five minutes."
            : `The order is paid, and the shop could not hand over the goods. It says: ${order.effectError}. It tries again within five minutes.`,
        orderId: order.id,
        known: knownOfOrder(order),
        choices: [],
      });
    }
    after = page.next;
    if (after === undefined || entries.length >= limit) {
      return { entries, hasMore: after !== undefined };
    }
  }
}

/** Orders whose customers cannot pay, since the service rejects the requests of the shop. */
export async function listRejections({ checkout }: Sources): Promise<Entries> {
  const rejections = (await checkout?.rejections()) ?? [];
  const entries = rejections.map(
    ({ orderId, reason, at }): Entry => ({
      id: `rejected:${orderId}`,
      at: Date.parse(at),
      cause: reason,
      orderId,
      choices: [],
    }),
  );
  return { entries: entries.sort((a, b) => a.at - b.at), hasMore: false };
}

const doubleEntry = (
  { receiver }: Sources,
  { id, by, value, references, receivedAt }: StoredDoublePayment,
): Entry => ({
  id: `double:${id}`,
  at: receivedAt,
  cause: `Two completed payments have the same ${by.replace("_", " ")}: ${value}.`,
  known: { ...(by === "account_reference" && { order: value }), references },
  choices: [
    {
      action: "drop",
      label: "Done",
      says: () =>
        "The pair will be taken off the list for ever. Pay one of the payments back first, if the customer paid twice.",
      done: () => "The pair of payments is taken off the list.",
      isDestructive: true,
      run: () => receiver.doublePayments.drop(id),
    },
  ],
});

/** Pairs of payments that look like the same money twice. */
export async function listDoubles(sources: Sources, limit: number): Promise<Entries> {
  const entries: Entry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await sources.receiver.doublePayments.list({ after, limit: PAGE });
    for (const one of page) entries.push(doubleEntry(sources, one));
    after = page.next;
    if (after === undefined || entries.length >= limit) {
      return { entries, hasMore: after !== undefined };
    }
  }
}

const paymentText = ({ reference, amount, currency, status }: Payment): string =>
  `${reference} (${amountText(amount, currency)}, ${status})`;

function attemptChoices(
  { gateway }: Sources,
  { attempt: found, payments, problem }: UnknownAttempt,
): Choice[] {
  const { attempt, notSentFrom } = found;
  if (problem !== undefined) return [];
  const choice = (outcome: string, label: string, says: string, done: string): Choice => ({
    action: `resolve ${outcome}`,
    label,
    says: () => says,
    done: () => done,
    run: () => gateway.idempotency.decide(attempt, outcome),
  });
  if (payments.length === 0 && notSentFrom.getTime() <= Date.now()) {
    const says = "The attempt will be resolved as not sent, unless the service lists its payment.";
    return [choice("not_sent", "It was not sent", says, "The attempt is resolved as not sent.")];
  }
  return payments.map((payment) => {
    const { reference = "" } = payment;
    const says = `The attempt will be resolved: it made the payment ${paymentText(payment)}.`;
    const done = `The attempt is resolved: it made ${reference}.`;
    return choice(reference, `It made ${reference}`, says, done);
  });
}

/** Whether an attempt is that of an order: the checkout looks for it itself, and opens a review. */
async function isOfOrder({ checkout }: Sources, { known }: Entry): Promise<boolean> {
  const [, id = "", number] = /^(.*)\/(\d+)$/s.exec(known?.order ?? "") ?? [];
  const order = id === "" ? undefined : await checkout?.inspect(id);
  return order?.attempts.some((one) => one.number === Number(number)) === true;
}

/** Attempts of unknown outcome. Those of orders are listed by their reviews. */
export async function listUnknown(sources: Sources, limit: number): Promise<Entries> {
  const [reviews, attempts] = await Promise.all([
    listReviews(sources, ["unknown_outcome"]),
    listAttempts(sources, limit),
  ]);
  const areOfOrder = await Promise.all(attempts.entries.map((one) => isOfOrder(sources, one)));
  const others = attempts.entries.filter((_, at) => areOfOrder[at] !== true);
  return { ...attempts, entries: [...reviews.entries, ...others] };
}

/** Attempts of unknown outcome, with the payments that may be theirs. */
async function listAttempts(sources: Sources, limit: number): Promise<Entries> {
  const found = await sources.gateway.idempotency.unknownBeside(Math.min(limit, PAGE));
  const entries = found.map((one): Entry => {
    const { attempt, payments, problem } = one;
    const [payment] = payments;
    const listed = payments.map(paymentText).join(", ") || "none among the newest payments";
    const matching =
      problem === undefined
        ? listed
        : `not known, since the service's list could not be read (${problem}). Open this again when the service responds.`;
    return {
      id: `attempt:${attempt.attempt}`,
      at: attempt.begunAt.getTime(),
      cause: `No response: it is not known whether the attempt ${attempt.idempotencyKey} started a payment.`,
      known: {
        order: attempt.idempotencyKey,
        amount: payment && amountText(payment.amount, payment.currency),
        references: payments.flatMap(({ reference }) => reference ?? []),
      },
      notes: [
        `Call: ${attempt.endpoint}`,
        `Payments that match: ${matching}`,
        `May be resolved as not sent from: ${attempt.notSentFrom.toISOString()}`,
      ],
      choices: attemptChoices(sources, one),
    };
  });
  return { entries, hasMore: found.length === Math.min(limit, PAGE) };
}
