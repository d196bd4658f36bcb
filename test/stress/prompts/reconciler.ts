import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../harness/processes.ts";
import type { Jobs, Resolution, UnknownOrder } from "./messages.ts";
import { LOOKUP_DELAY_MS, MAX_LOOKUP_INTERVAL_MS } from "./time-limits.ts";

/** Resolves attempts of unknown outcome. */
export interface Reconciler {
  /** Looks for the payment of an order, again and again, until its attempt is resolved. */
  resolve(order: UnknownOrder): Promise<void>;
  readonly counts: Readonly<Record<Resolution["end"], number>>;
}

/**
 * There is one reconciler, and it works on an order only while no customer pays for it. A lookup says
 * nothing of an attempt that begins after it: resolving that one as not sent would free a key whose
 * customer was prompted.
 */
export function createReconciler(pool: Pick<Pool<Jobs>, "run">, signal: AbortSignal): Reconciler {
  const counts = { found: 0, not_sent: 0, conflict: 0, too_early: 0 };
  let queue: {
    readonly order: UnknownOrder;
    readonly done: (resolution: Resolution | undefined) => void;
    readonly failed: (error: unknown) => void;
  }[] = [];
  let working = false;
  let worker = 0;

  async function resolveAll(orders: readonly UnknownOrder[]) {
    while (!signal.aborted) {
      const resolutions = await pool.run(worker++, "resolve", orders);
      if (resolutions !== undefined) return resolutions;
      // If the worker dies, the next one takes the batch.
      await sleep(100);
    }
    return undefined;
  }

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    while (queue.length > 0 && !signal.aborted) {
      const batch = queue;
      queue = [];
      try {
        const resolutions = await resolveAll(batch.map(({ order }) => order));
        for (const { end } of resolutions ?? []) counts[end]++;
        for (const [index, { done }] of batch.entries()) done(resolutions?.[index]);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    working = false;
  }

  const lookUp = (order: UnknownOrder) =>
    new Promise<Resolution | undefined>((done, failed) => {
      queue.push({ order, done, failed });
      if (signal.aborted) done(undefined);
      else void work();
    });

  return {
    counts,
    resolve: async (order) => {
      await sleep(LOOKUP_DELAY_MS);
      for (;;) {
        const resolution = await lookUp(order);
        if (resolution?.end !== "too_early") return;
        await sleep(Math.min(resolution.waitMs + 50, MAX_LOOKUP_INTERVAL_MS));
      }
    },
  };
}
