/** What is known about an order at the end. */
export interface Facts {
  /** What the service says of each payment, in the order in which it made them. */
  readonly payments: readonly { readonly status: string; readonly isRepeat: boolean }[];
  /** What the shop says: `paid`, `failed`, `open`, or a text that is none of them. */
  readonly belief: string;
  /** Whether the shop could be asked: it gave the order an id. */
  readonly canAsk: boolean;
  readonly effects: number | undefined;
}

/** One promise that a shop should keep. */
export interface ShopPromise {
  readonly name: string;
  /** What usually breaks it. */
  readonly cause: string;
  /** It cannot be judged without `--effects`. */
  readonly needsEffects?: true;
  /** What is wrong with an order; `undefined`: nothing. A promise without it is seen on the way. */
  readonly check?: (facts: Facts) => string | undefined;
}

export const FORGED = "a forged, altered or unsigned webhook is rejected, and has no effect";
export const ANSWERED = "a webhook is answered in time, and a genuine one is accepted";
export const ALIVE = "the process does not die, and comes back after a kill";
export const SECRET = "no key, no secret and no full phone number is printed or answered";

const isPaid = ({ payments }: Facts) => payments.some(({ status }) => status === "completed");
const paidCount = ({ payments }: Facts) =>
  payments.filter(({ status }) => status === "completed").length;

/**
 * What the drill judges. An order is blamed for the first promise of the ledger that it breaks: what
 * comes after follows from it.
 */
export const PROMISES: readonly ShopPromise[] = [
  {
    name: "one order, at most one prompt",
    cause: "a retry after a timeout without an idempotency key, or a key that differs in each call",
    check: (facts) => {
      if (!facts.payments.some(({ isRepeat }) => isRepeat)) return undefined;
      const paid = paidCount(facts) > 1 ? `; ${paidCount(facts)} of them were paid` : "";
      return `${facts.payments.length} prompts for one order${paid}`;
    },
  },
  {
    name: "one order, paid at most once",
    cause: "a second try under a new key before the first one had failed",
    check: (facts) =>
      paidCount(facts) > 1 ? `the customer paid ${paidCount(facts)} times` : undefined,
  },
  {
    name: "paid at the service: the shop says paid",
    cause:
      "a timeout or an error that is taken for a failure, or a failure that takes back a success",
    check: (facts) =>
      isPaid(facts) && facts.canAsk && facts.belief === "failed"
        ? "the customer has paid, and the shop says that the payment failed"
        : undefined,
  },
  {
    name: "not paid at the service: the shop never says paid, and ships nothing",
    cause: "an effect of payment.initiated, or of a page that the customer is redirected to",
    check: (facts) => {
      if (isPaid(facts)) return undefined;
      if (facts.belief === "paid") return "the shop says paid, and nobody has paid";
      return (facts.effects ?? 0) > 0 ? "the shop has shipped, and nobody has paid" : undefined;
    },
  },
  {
    name: "shipped once",
    needsEffects: true,
    cause:
      "a handler without the event's or the order's key, or an effect outside of the transaction",
    check: (facts) => {
      if (facts.effects === undefined || !isPaid(facts) || facts.belief !== "paid")
        return undefined;
      return facts.effects === 1 ? undefined : `shipped ${facts.effects} times instead of once`;
    },
  },
  {
    name: "every order ends",
    cause:
      "a webhook that was lost and is not made up for by a read, or an order that only memory had",
    check: ({ belief, canAsk }) => {
      if (!canAsk || belief === "paid" || belief === "failed") return undefined;
      return belief === "open" ? "the order is still open at the end" : `the shop says ${belief}`;
    },
  },
  { name: FORGED, cause: "a receiver that does not verify the signature over the raw body" },
  {
    name: ANSWERED,
    cause: "work before the 200, or a signature that is checked over a parsed body",
  },
  { name: ALIVE, cause: "an error that nothing catches" },
  { name: SECRET, cause: "a log of whole requests or of the environment" },
];

/** The first promise that an order breaks, and what is wrong. */
export function judgeOrder(facts: Facts): readonly [promise: string, what: string] | undefined {
  for (const { name, check } of PROMISES) {
    const what = check?.(facts);
    if (what !== undefined) return [name, what];
  }
  return undefined;
}
