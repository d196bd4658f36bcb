import { groupedAmount } from "../../internal/amount-text.ts";
import type { Input, InputOf } from "./inputs.ts";
import { moneyNamed, nameIn } from "./known-payments.ts";
import { isOpen, type LogEntry, type OrderState, statusOf } from "./order-state.ts";
import { REVIEWS } from "./view.ts";

/** Something that happened to an order. */
export interface OrderEvent {
  /** ISO 8601. */
  readonly at: string;
  /** What happened, in a sentence for the merchant. */
  readonly text: string;
  /** Who decided it, as `reviews.resolve` was told. */
  readonly by?: string;
}

/** An order that fails for weeks keeps a log of this length. */
const MAX_ENTRIES = 100;

/** What a person has decided about a review, in words. */
export const DECISIONS: Readonly<Record<InputOf<"decided">["decision"], string>> = {
  accept: "accepted",
  refunded: "decided as refunded",
  dismiss: "dismissed",
};

const moneyText = (amount = "", currency = "") => `${currency} ${groupedAmount(amount)}`.trim();

function updateText({ update, source }: InputOf<"reported">): string {
  const { reference, status, amount, currency } = update;
  const what = amount === undefined ? "" : ` of ${moneyText(amount, currency)}`;
  const by = source === "read" ? "A read at the service" : "A webhook";
  return `${by} says: the payment ${reference}${what} is ${status}.`;
}

/** What the merchant has changed. */
function changeText(before: OrderState, { amount, currency, description }: OrderState): string {
  const parts = [
    ...(amount === before.amount
      ? []
      : [`${moneyText(amount, currency)}, before ${moneyText(before.amount, currency)}`]),
    ...(description === before.description ? [] : ["another description"]),
  ];
  return `The order was changed: ${parts.length === 0 ? "other metadata" : parts.join("; ")}.`;
}

/** What a person reads about money that was paid back. */
export function refundText(
  { amount, reference, reason }: Pick<InputOf<"refund_added">, "amount" | "reference" | "reason">,
  currency: string,
): string {
  const name = reference === undefined ? "" : ` (${reference})`;
  return `${moneyText(amount, currency)} was noted as paid back${name}${reason === undefined ? "." : `: ${reason}`}`;
}

/** What a person has said about a decision. */
export const saidText = ({
  reference,
  reason,
}: Pick<InputOf<"decided">, "reference" | "reason">): string =>
  (reference === undefined ? "" : ` Refund: ${reference}.`) +
  (reason === undefined ? "" : ` Reason: ${reason}`);

/** The payment of a review, and what a person has said about the decision. */
function decisionText(
  order: OrderState,
  { review: id, decision, ...given }: InputOf<"decided">,
): string {
  const review = order.reviews.find((one) => one.id === id);
  if (review === undefined) return `A review was ${DECISIONS[decision]}: ${id}`;
  const name = nameIn(order, review);
  const money = moneyNamed(order, name);
  const { currency, transactionId } = money ?? {};
  const amount = review.amount ?? money?.amount;
  // An attempt whose payment is not known has a number.
  const names = [!name.startsWith("#") && name, transactionId].filter(Boolean).join(", ");
  const came = [amount && moneyText(amount, currency), names && `(${names})`].filter(Boolean);
  const payment = came.length > 0 ? ` ${came.join(" ")}.` : "";
  return `A review was ${DECISIONS[decision]}: ${REVIEWS[review.kind]}${payment}${saidText(given)}`;
}

/** What a person reads about an input; `undefined` if it says nothing on its own. */
function inputText(input: Input, before: OrderState, after: OrderState): string | undefined {
  switch (input.kind) {
    case "asked": {
      const last = after.attempts.at(-1);
      return after.attempts.length > before.attempts.length
        ? `The customer clicked "pay": attempt ${last?.number}, phone ${last?.phone}.`
        : undefined;
    }
    case "accepted":
      return `The service took the prompt of attempt ${input.number}: ${input.reference}.`;
    case "rejected":
      return `The prompt of attempt ${input.number} was not sent${input.reason ? `: ${input.reason}` : "."}`;
    case "lost":
      return `No response to the prompt of attempt ${input.number}: its outcome is unknown.`;
    case "key":
      return input.reference === undefined
        ? undefined
        : `Attempt ${input.number} made the payment ${input.reference}.`;
    case "reported":
      return updateText(input);
    case "blocked":
      return `No prompt was sent: ${input.message}`;
    case "due":
      return undefined;
    case "effect_done":
      return "The goods were given: onPaid has committed.";
    case "effect_failed":
      return `onPaid failed${input.reason === undefined ? "" : `: ${input.reason}`}. It is tried again.`;
    case "effect_unclear":
      return `It is not known whether all goods were given: ${input.reason}`;
    case "effect_refused":
      return `onPaid refused the money: ${input.reason}`;
    case "refund_added":
      return refundText(input, after.currency);
    case "canceled":
      return input.reason === "paid_elsewhere"
        ? "The order was canceled: it was paid elsewhere."
        : "The order was canceled.";
    case "updated":
      return changeText(before, after);
    case "decided":
      return decisionText(before, input);
  }
}

/** What a change has brought beside its input: ends of attempts, reviews, the status. */
function* resultsOf(before: OrderState, after: OrderState): Generator<string> {
  for (const [index, { number, status, message }] of after.attempts.entries()) {
    const former = before.attempts[index];
    if (former === undefined || former.status === status) continue;
    if (status === "unknown") yield `It is unknown what became of attempt ${number}.`;
    else if (isOpen(former) && (status === "failed" || status === "not_sent")) {
      yield `Attempt ${number} ended without money (${status.replace("_", " ")})${message ? `: ${message}` : "."}`;
    }
  }
  const known = new Set(before.reviews.map(({ id }) => id));
  for (const { id, kind } of after.reviews)
    if (!known.has(id)) yield `Review: ${REVIEWS[kind] ?? kind}`;
  const status = statusOf(after);
  if (status !== statusOf(before) && (status === "paid" || status === "expired")) {
    yield status === "paid" ? "The order is paid." : "The time to pay the order is over.";
  }
  if (after.effect?.state === "refunded" && before.effect?.state !== "refunded") {
    yield "The payment was paid back: the goods are not given any more.";
  }
}

/** An order with a log of what the change of it means. */
export function withLog(
  before: OrderState,
  after: OrderState,
  input: Input,
  now: number,
): OrderState {
  const isOfPerson = input.kind === "decided" || input.kind === "refund_added";
  const by = isOfPerson ? input.by : undefined;
  const first = inputText(input, before, after);
  const texts = [...(first === undefined ? [] : [first]), ...resultsOf(before, after)];
  if (texts.length === 0) return after;
  const log = [...(before.log ?? [])];
  for (const [index, text] of texts.entries()) {
    const last = log.at(-1);
    if (last?.text === text)
      log[log.length - 1] = { ...last, at: now, times: (last.times ?? 1) + 1 };
    else log.push({ at: now, text, ...(index === 0 && by !== undefined && { by }) });
  }
  return { ...after, log: log.slice(-MAX_ENTRIES) };
}

/** What the attempts and reviews of an order say: its log keeps only the last entries. */
function* entriesWithoutLog({ attempts, reviews }: OrderState): Generator<LogEntry> {
  for (const { number, phone, askedAt, endedAt, status } of attempts) {
    yield { at: askedAt, text: `The customer clicked "pay": attempt ${number}, phone ${phone}.` };
    if (endedAt !== undefined) yield { at: endedAt, text: `Attempt ${number} ended: ${status}.` };
  }
  for (const { at, kind } of reviews) yield { at, text: `Review: ${REVIEWS[kind]}` };
}

/** Everything that is known to have happened to an order, the oldest first. */
export function historyOf(order: OrderState): OrderEvent[] {
  const { log = [], createdAt } = order;
  const since = log[0]?.at ?? Number.POSITIVE_INFINITY;
  const earlier = [...entriesWithoutLog(order)].filter(({ at }) => at < since);
  const entries = [
    { at: createdAt, text: "The order was made." },
    ...earlier.sort((a, b) => a.at - b.at),
    ...log,
  ];
  return entries.map(({ at, text, by, times }: LogEntry) => ({
    at: new Date(at).toISOString(),
    text: times === undefined ? text : `${text} (${times} times, the last one at this time)`,
    ...(by !== undefined && { by }),
  }));
}
