import { filled } from "../checkout/rules/customer-messages.ts";
import type { Order, Review, ReviewDecision, ReviewKind } from "../checkout/rules/order-types.ts";
import type { UnknownAttempt } from "../client/unknown-outcomes/operations.ts";
import type { Payment } from "../contract/payment.ts";
import type { StoredDoublePayment } from "../webhooks/inbox/inbox-types.ts";
import { CASES, DECISIONS, GIVE_CANCELED, moreOf } from "./case-words.ts";
import type { Choice, Entries, Entry, KnownOfEntry, Sources } from "./entry.ts";
import { amountText, link } from "./wording.ts";

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

const reviewChoices = (
  { checkout }: Sources,
  { id, kind }: Review,
  fill: (text: string) => string,
): Choice[] =>
  Object.entries(DECISIONS[kind]).map(([decision, { label, says, done }]) => ({
    action: decision,
    label,
    says: () => fill(says),
    done: () => done,
    pays: decision === "accept" && !kind.startsWith("effect_"),
    isLogged: true,
    asks: decision === "refunded" ? ["reference", "reason"] : ["reason"],
    run: async (_, by, line, note) =>
      checkout?.reviews.resolve(id, decision as ReviewDecision, { ...note, by, line }),
  }));

/** The name of a review on the page. */
const REVIEW = "review:";

/** The list of each kind of review. */
const REVIEW_LISTS: Readonly<Record<ReviewKind, string>> = {
  overpaid: "twice",
  amount_mismatch: "amount",
  currency_mismatch: "amount",
  late_payment: "late",
  unmatched: "late",
  contradiction: "late",
  refund_due: "refunds",
  unknown_outcome: "unknown",
  effect_failed: "goods",
  effect_unclear: "goods",
};

/** The address of the case of a review. */
export const caseLink = ({ id, kind }: Review): string =>
  link({ list: REVIEW_LISTS[kind], item: REVIEW + id });

/** Who has decided about an entry, if it was a review; `undefined` if that is not known. */
export const endOfReview = async ({ checkout }: Sources, id: string) =>
  id.startsWith(REVIEW) ? checkout?.reviews.ended(id.slice(REVIEW.length)) : undefined;

/** A label that can be an order. Some banks put the phone of the payer, which is stored masked, in its place. */
const orderLabel = (label: string | undefined): string | undefined =>
  label?.includes("***") ? undefined : label;

/** What a payment of no order says. */
export function knownOfReview(review: Review): KnownOfEntry {
  const { references, amount, currency, transactionId: code, phone, accountReference } = review;
  return {
    references,
    amount: amount && amountText(amount, currency),
    ...{ code, phone, label: accountReference, order: orderLabel(accountReference) },
    ...(code !== undefined && { transactionIds: [code] }),
  };
}

/** An open review, as an entry of its list. */
export function reviewEntry(sources: Sources, review: Review): Entry {
  const { id, createdAt, kind, orderId, references, amount, currency, transactionId } = review;
  const came = amount === undefined ? undefined : amountText(amount, currency);
  const names = [references.at(-1), transactionId].filter(Boolean).join(", ");
  const text = came || "the payment";
  const fill = (words: string) =>
    filled(words, { came: text, paid: names === "" ? text : `${text} (${names})` });
  const [what, todo] = CASES[kind] ?? [review.message, undefined];
  return {
    id: REVIEW + id,
    at: Date.parse(createdAt),
    cause: fill(what) + moreOf(review),
    todo: todo && fill(todo),
    orderId,
    about: references,
    came,
    ...(orderId === undefined && { known: knownOfReview(review) }),
    choices: reviewChoices(sources, review, fill),
  };
}

/** The open reviews of a list. */
export async function listReviews(sources: Sources, list: string): Promise<Entries> {
  const reviews = (await sources.checkout?.reviews.list()) ?? [];
  const own = reviews.filter(({ kind }) => REVIEW_LISTS[kind] === list);
  return { entries: own.map((one) => reviewEntry(sources, one)), hasMore: false };
}

/** What the page says about money for an order that other money has paid. */
export const PAID_ALREADY =
  "The order is paid already. Pay this one back. Keep it only if it is for something else.";

/** An entry with the price and the label of its order, in everything that it says. */
function filledWith(entry: Entry, values: { readonly price: string; readonly label: string }) {
  const fill = (text: string) => filled(text, values);
  return {
    ...{ ...entry, cause: fill(entry.cause), todo: entry.todo && fill(entry.todo) },
    choices: entry.choices.map((one) => ({
      ...one,
      says: (count: number) => fill(one.says(count)),
    })),
  };
}

/** A review with what its order says, and what may be decided about it now. */
export function withOrder(given: Entry, order: Order): Entry {
  const known = knownOfOrder(order, given.about);
  const price = amountText(order.amount, order.currency);
  const { choices, ...entry } = filledWith(given, { price, label: order.accountReference });
  const failed = entry.id.includes(":effect_failed:") && order.effectError;
  const cause = failed ? `${entry.cause} It says: ${failed}.` : entry.cause;
  const isOver = order.status === "paid" || order.cancelReason === "paid_elsewhere";
  // Goods that were refused may be given after all.
  const [about] = order.reviews.filter(({ id }) => entry.id === REVIEW + id);
  const isRefused = order.effect === "refused";
  const isOfRefused = about?.kind === "refund_due" && isRefused;
  if (isOver && !isOfRefused && choices.some(({ pays }) => pays)) {
    return {
      ...{ ...entry, known, cause, todo: PAID_ALREADY },
      choices: choices.filter(({ pays }) => !pays),
    };
  }
  const isCanceled = about?.kind === "refund_due" && order.status === "canceled" && !isRefused;
  const { says, done } = GIVE_CANCELED;
  return {
    ...{ ...entry, known, cause },
    choices: choices.map((one) =>
      isCanceled && one.action === "accept" ? { ...one, says: () => says, done: () => done } : one,
    ),
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
      if (order !== undefined) return withOrder(entry, order);
      return filledWith(entry, { price: "another amount", label: "of the order" });
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
            ? "The order is paid, and the system hands over the goods within five minutes."
            : `The order is paid, and its goods are not handed over yet. The last attempt failed. It says: ${order.effectError}. The system tries again within five minutes.`,
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
    const says =
      "The request will count as not sent, unless the payment service lists its payment.";
    return [choice("not_sent", "It was not sent", says, "The request counts as not sent.")];
  }
  return payments.map((payment) => {
    const { reference = "" } = payment;
    const says = `The request will be closed: it made the payment ${paymentText(payment)}.`;
    const done = `The request is closed: it made ${reference}.`;
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
    listReviews(sources, "unknown"),
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
        : `not known, since the list of the payment service could not be read (${problem}). Open this again when it responds.`;
    return {
      id: `attempt:${attempt.attempt}`,
      at: attempt.begunAt.getTime(),
      cause: `No response: it is not known whether the request ${attempt.idempotencyKey} started a payment.`,
      known: {
        order: attempt.idempotencyKey,
        amount: payment && amountText(payment.amount, payment.currency),
        references: payments.flatMap(({ reference }) => reference ?? []),
      },
      notes: [
        `Call: ${attempt.endpoint}`,
        `Payments that match: ${matching}`,
        `Counts as not sent, if you say so, from: ${attempt.notSentFrom.toISOString()}`,
      ],
      choices: attemptChoices(sources, one),
    };
  });
  return { entries, hasMore: found.length === Math.min(limit, PAGE) };
}
