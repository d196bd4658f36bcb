import type { Payment } from "../../contract/payment.ts";
import { InvalidParamsError } from "../../errors/configuration.ts";
import { concurrently } from "../../internal/concurrently.ts";
import { tell } from "../hooks.ts";
import { type CallOptions, checkNames, limit } from "../settings.ts";

/**
 * What a read says of a payment: `final` (completed or failed), `pending`, `unknown` (a status that
 * the interface does not show), or `unreadable` (the read failed; `error` says why).
 */
export type ReconcileReport =
  | { readonly reference: string; readonly state: "final"; readonly payment: Payment }
  | { readonly reference: string; readonly state: "pending"; readonly payment: Payment }
  | { readonly reference: string; readonly state: "unknown"; readonly payment: Payment }
  | { readonly reference: string; readonly state: "unreadable"; readonly error: unknown };

/** How far a reconciliation has come. */
export type ReconcileProgress = Readonly<Record<"done" | ReconcileReport["state"], number>>;

/** How to reconcile. */
export interface ReconcileOptions {
  /** How many payments to read at once. @default 8 */
  concurrency?: number | undefined;
  /** Called after each payment. */
  onProgress?: ((progress: ReconcileProgress) => void) | undefined;
  /** Ends the reconciliation; it rejects with the signal's own reason. */
  signal?: AbortSignal | undefined;
}

const STATES: ReadonlyMap<string, "final" | "pending"> = new Map([
  ["completed", "final"],
  ["failed", "final"],
  ["pending", "pending"],
]);

function iteratorOf(
  references: Iterable<string> | AsyncIterable<string>,
): Iterator<string> | AsyncIterator<string> {
  const given = Object(references);
  // A string is iterable too, by its letters.
  if (
    typeof references === "string" ||
    !(Symbol.iterator in given || Symbol.asyncIterator in given)
  ) {
    const message = "expected a list of references, or anything that gives one after another";
    throw new InvalidParamsError(`reconcile: ${message}.`, [{ path: [], message }]);
  }
  return Symbol.asyncIterator in references
    ? references[Symbol.asyncIterator]()
    : references[Symbol.iterator]();
}

/**
 * Reads many payments, some at a time, and gives each as it comes. Goes on after errors. Takes
 * references only as fast as reports are taken, so that it needs no more memory for many than for
 * a few.
 */
export async function* reconcilePayments(
  read: (reference: string, options: CallOptions) => Promise<Payment>,
  references: Iterable<string> | AsyncIterable<string>,
  options: ReconcileOptions = {},
): AsyncGenerator<ReconcileReport, void, void> {
  checkNames(options, ["concurrency", "onProgress", "signal"], "reconcile");
  const concurrency = limit("concurrency", options.concurrency);
  const source = iteratorOf(references);

  async function report(reference: string, signal: AbortSignal): Promise<ReconcileReport> {
    try {
      const payment = await read(reference, { signal });
      const state = STATES.get(payment.status) ?? "unknown";
      return { reference, state, payment };
    } catch (error) {
      return { reference, state: "unreadable", error };
    }
  }

  const counts = { done: 0, final: 0, pending: 0, unknown: 0, unreadable: 0 };
  for await (const next of concurrently(source, report, concurrency, options.signal)) {
    counts.done++;
    counts[next.state]++;
    tell(options.onProgress, () => ({ ...counts }));
    yield next;
  }
}
