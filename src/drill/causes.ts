// The usual cause of a broken promise, by what was seen: a reader looks for it in that place.
import type { CaseResult } from "./case-run.ts";
import {
  ALIVE,
  ANSWERED,
  CANCELED,
  CHANGED,
  DELIVERED,
  ENDS,
  FORGED,
  GOODS_ONCE,
  NO_FALSE_FAILURE,
  ONE_PROMPT,
  PROMISES,
  REFUNDED,
  SECRET,
} from "./promises.ts";

/** A cause that is likelier than the usual one of its promise. */
interface Likelier {
  readonly promise: string;
  /** Whether it fits, by what is wrong and the case. */
  readonly fits: (what: string, result: CaseResult) => boolean;
  readonly cause: string;
}

const acts = ({ case: one }: CaseResult, ...names: readonly string[]) =>
  names.some((name) => name === one.act);
const hasFault = ({ case: one }: CaseResult, kind: RegExp) =>
  one.faults.some((fault) => kind.test(fault.kind));

/** The first that fits counts. */
const LIKELIER: readonly Likelier[] = [
  {
    promise: SECRET,
    fits: (what) => what.includes("answered"),
    cause:
      "a response that repeats the whole order, the payment or the request of another customer",
  },
  {
    promise: SECRET,
    fits: (what) => what.includes("phone number"),
    cause: "a log of the order with its phone, or of an error with the request in it",
  },
  {
    promise: ENDS,
    fits: (what) => what.includes("paid again"),
    cause:
      "a second attempt with the idempotency key of the failed one, to which the service returns the failed payment, or an order that is set to open before its prompt is sent",
  },
  {
    promise: ONE_PROMPT,
    fits: (_, result) => acts(result, "clicks"),
    cause:
      "a double click that is taken for two orders: the insert of the order does not decide who asks for the prompt",
  },
  {
    promise: ONE_PROMPT,
    fits: (_, result) => acts(result, "tabs"),
    cause:
      "two tabs that both pay again: the request does not tell after which attempt it was sent",
  },
  {
    promise: ONE_PROMPT,
    fits: (_, { case: { group } }) => group === "processes",
    cause: "a lock, or a store of idempotency keys, that only one of the processes knows",
  },
  {
    promise: ONE_PROMPT,
    fits: (_, result) => hasFault(result, /^kill$/),
    cause:
      "a restart that asks again under a new idempotency key: the key was made in memory, or was stored after the request",
  },
  {
    promise: DELIVERED,
    fits: (what, result) => what.includes("got nothing") && !hasFault(result, /^kill$/),
    cause:
      'goods that are given apart from the status, and whose error nothing sees: an "await" that was forgotten, or a step that is never repeated',
  },
  {
    promise: DELIVERED,
    fits: (what) => what.includes("got nothing"),
    cause: "goods that are given after the order was marked as paid, and not in its transaction",
  },
  {
    promise: GOODS_ONCE,
    fits: (_, result) => acts(result, "lateAfterPaying", "lateWhileWaiting"),
    cause: "goods for each paid attempt, and not once for the order",
  },
  {
    promise: NO_FALSE_FAILURE,
    fits: (_, result) => acts(result, "failedWhileWaiting"),
    cause:
      "a payment.failed of an earlier attempt that ends the order: it ends the attempt whose reference it has, also if a read told that reference",
  },
  {
    promise: CANCELED,
    fits: (_, result) => acts(result, "cancelTwice"),
    cause:
      "a second click on cancel that takes the first one back: a switch, where a decision is once and for all",
  },
  {
    promise: REFUNDED,
    fits: (_, result) => acts(result, "refundTwice"),
    cause:
      "a second click on refund that takes the first one back: a switch, where a decision is once and for all",
  },
  {
    promise: CANCELED,
    fits: (what) => what.includes("prompt"),
    cause: 'a "pay again" that asks for every order that is not paid, canceled ones included',
  },
  {
    promise: REFUNDED,
    fits: (what) => what.includes("prompt"),
    cause: 'a "pay" that asks for every order that is not paid, refunded ones included',
  },
  {
    promise: CHANGED,
    fits: (what) => what.includes("no prompt"),
    cause: "a part of the money that blocks the order: nothing asks for the rest",
  },
  {
    promise: CHANGED,
    fits: (what, result) => what.includes("asked for") && acts(result, "part", "partMeanwhile"),
    cause: "a payment by hand, with the order's label, that nothing adds to what has come",
  },
  {
    promise: CHANGED,
    fits: (what) => what.includes("asked for"),
    cause: "an attempt that asks for the price that the order had when it was made",
  },
  {
    promise: CHANGED,
    fits: (_, result) => acts(result, "part", "partMeanwhile"),
    cause: "a payment with the order's label that is taken for the whole price",
  },
  {
    promise: ONE_PROMPT,
    fits: (_, result) => acts(result, "updateMeanwhile", "partMeanwhile"),
    cause: "a change of the order that begins a new attempt while a phone is still asked",
  },
  {
    promise: FORGED,
    fits: (_, result) => hasFault(result, /^unsigned$/),
    cause: "a receiver that checks the signature only if the header is there",
  },
  {
    promise: ANSWERED,
    fits: (what, result) =>
      /returned 4/.test(what) && hasFault(result, /^(?:twice|again|lost200)$/),
    cause:
      "an error status for an event that the shop has stored before: a repeated one needs a 200",
  },
  {
    promise: ALIVE,
    fits: (what) => /not ready|before it was ready/.test(what),
    cause: "a lock, a port or a half-written file that the killed process has left",
  },
];

/** The usual cause of what is wrong with a case. */
export function causeOf(result: CaseResult, promise: string): string {
  const what = result.problems.get(promise) ?? "";
  const found = LIKELIER.find((one) => one.promise === promise && one.fits(what, result));
  return (
    found?.cause ?? result.case.cause ?? PROMISES.find(({ name }) => name === promise)?.cause ?? ""
  );
}
