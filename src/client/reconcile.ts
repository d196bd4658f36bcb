import type { Payment } from "../contract/payment.ts";
import { tell } from "./hooks.ts";
import { type CallOptions, checkNames, limit } from "./settings.ts";

/**
 * What a read says of a payment: `settled` (completed or failed), `pending`, `unknown` (a status that
 * the interface does not show), or `unreadable` (the read failed; `error` says why).
 */
export type ReconcileReport =
  | { readonly reference: string; readonly state: "settled"; readonly payment: Payment }
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

const STATES: Readonly<Record<string, "settled" | "pending">> = {
  completed: "settled",
  failed: "settled",
  pending: "pending",
};

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
  const { onProgress } = options;
  const concurrency = limit("concurrency", options.concurrency);
  const controller = new AbortController();
  const signal =
    options.signal === undefined
      ? controller.signal
      : AbortSignal.any([options.signal, controller.signal]);

  async function report(reference: string): Promise<ReconcileReport> {
    try {
      const payment = await read(reference, { signal });
      const state = STATES[payment.status] ?? "unknown";
      return { reference, state, payment };
    } catch (error) {
      return { reference, state: "unreadable", error };
    }
  }

  const counts = { done: 0, settled: 0, pending: 0, unknown: 0, unreadable: 0 };
  const underWay = new Map<number, Promise<readonly [number, ReconcileReport]>>();
  const source =
    Symbol.asyncIterator in references
      ? references[Symbol.asyncIterator]()
      : references[Symbol.iterator]();
  let more = true;
  let taken = 0;
  try {
    for (;;) {
      while (more && underWay.size < concurrency) {
        const { done, value } = await source.next();
        more = done !== true;
        if (done) continue;
        const id = taken++;
        underWay.set(
          id,
          report(value).then((one) => [id, one]),
        );
      }
      if (underWay.size === 0) return;
      const [id, next] = await Promise.race(underWay.values());
      options.signal?.throwIfAborted();
      underWay.delete(id);
      counts.done++;
      counts[next.state]++;
      tell(onProgress, () => ({ ...counts }));
      yield next;
    }
  } finally {
    // Whoever stops taking reports has no use for the reads under way.
    controller.abort();
    await source.return?.();
  }
}
