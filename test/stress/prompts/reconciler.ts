import { setTimeout as sleep } from "node:timers/promises";
import type { Resolution } from "./messages.ts";
import type { Order } from "./plan.ts";
import type { Pool } from "./pool.ts";
import { LOOKUP_DELAY_MS } from "./time-limits.ts";

/** Resolves attempts of unknown outcome. */
export interface Reconciler {
  /** Looks for the payment of an order, and resolves its attempt. */
  resolve(order: Order): Promise<void>;
  readonly counts: Readonly<Record<Resolution, number>>;
}

/**
 * There is one reconciler, and it works on an order only while nobody pays for it. A lookup says
 * nothing of an attempt that begins after it: resolving that one as not sent would free a key whose
 * customer was prompted.
 */
export function createReconciler(pool: Pool, signal: AbortSignal): Reconciler {
  const counts = { found: 0, not_sent: 0, conflict: 0 };
  let queue: { readonly order: Order; readonly done: () => void }[] = [];
  let working = false;
  let worker = 0;

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    while (queue.length > 0 && !signal.aborted) {
      const batch = queue;
      queue = [];
      const orders = batch.map(({ order }) => order);
      let resolutions: readonly Resolution[] | undefined;
      while (resolutions === undefined && !signal.aborted) {
        // If the worker dies, the next one takes the batch.
        resolutions = await pool.run(worker++, "resolve", orders);
        if (resolutions === undefined) await sleep(100);
      }
      for (const resolution of resolutions ?? []) counts[resolution]++;
      for (const { done } of batch) done();
    }
    working = false;
  }

  return {
    counts,
    resolve: async (order) => {
      await sleep(LOOKUP_DELAY_MS);
      await new Promise<void>((done) => {
        queue.push({ order, done });
        if (signal.aborted) done();
        else void work();
      });
    },
  };
}
