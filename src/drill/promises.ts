import type { CaseRun } from "./case-run.ts";

/** A promise that a shop should keep. */
interface ShopPromise {
  readonly name: string;
  /** What usually breaks it. */
  readonly cause: string;
  /** It cannot be checked without `--effects`. */
  readonly needsEffects?: true;
  /** It is checked only by cases with one of these faults. */
  readonly needsFault?: readonly string[];
  /** Describes what is wrong with an order. Promises without it are checked while a case runs. */
  readonly check?: (order: CaseRun) => string | false;
}

export const FORGED = "a forged, altered or unsigned webhook is rejected, and has no effect";
export const ANSWERED = "a webhook is answered in time, and a genuine one is accepted";
export const ALIVE = "the process does not die, and comes back after a kill";
export const SECRET = "no key, no secret and no full phone number is printed or answered";

const paidCount = ({ payments }: CaseRun) =>
  payments.filter(({ status }) => status === "completed").length;

/** What a drill checks. An order breaks the first promise that fails: what comes after follows from it. */
export const PROMISES: readonly ShopPromise[] = [
  {
    name: "one order, at most one prompt",
    cause: "a retry after a timeout without an idempotency key, or a key that differs in each call",
    check: (order) =>
      order.payments.some(({ isRepeat }) => isRepeat) &&
      `${order.payments.length} prompts for one order, and ${paidCount(order)} of them paid`,
  },
  {
    name: "one order, paid at most once",
    cause: "a second try under a new key before the first one had failed",
    check: (order) => paidCount(order) > 1 && `the customer paid ${paidCount(order)} times`,
  },
  {
    name: "paid at the service: the shop says paid",
    cause:
      "a timeout or an error that is taken for a failure, or a failure that takes back a success",
    check: (order) =>
      paidCount(order) > 0 &&
      order.shown === "failed" &&
      "the customer has paid, and the shop says that the payment failed",
  },
  {
    name: "not paid at the service: the shop never says paid, and ships nothing",
    cause: "an effect of payment.initiated, or of a page that the customer is redirected to",
    check: (order) =>
      paidCount(order) === 0 &&
      ((order.shown === "paid" && "the shop says paid, and the customer has not paid") ||
        ((order.effects ?? 0) > 0 && "the shop has shipped, and the customer has not paid")),
  },
  {
    name: "shipped once",
    needsEffects: true,
    cause:
      "a handler without the event's or the order's key, or an effect outside of the transaction",
    check: ({ effects, shown }) =>
      effects !== undefined &&
      effects !== 1 &&
      shown === "paid" &&
      `shipped ${effects} times instead of once`,
  },
  {
    name: "every order ends",
    cause: "a webhook that was lost and that no read makes up for, or an order only in memory",
    check: ({ shown, canAsk }) =>
      canAsk &&
      !["paid", "failed"].includes(shown) &&
      (shown === "open" ? "the order is still open at the end" : `the shop says ${shown}`),
  },
  {
    name: FORGED,
    cause: "a receiver that does not verify the signature over the raw body",
    needsFault: ["forged", "unsigned", "altered"],
  },
  {
    name: ANSWERED,
    cause: "work before the 200, or a signature that is checked over a parsed body",
  },
  { name: ALIVE, cause: "an error that nothing catches" },
  { name: SECRET, cause: "a log of whole requests or of the environment" },
];

/** The first promise that an order breaks, and what is wrong. */
export function brokenPromise(order: CaseRun): readonly [name: string, what: string] | undefined {
  for (const { name, check } of PROMISES) {
    const what = check?.(order);
    if (what) return [name, what];
  }
  return undefined;
}
