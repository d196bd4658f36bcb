import { setTimeout as sleep } from "node:timers/promises";
import type { Look } from "./messages.ts";
import type { Order } from "./plan.ts";
import type { Pool } from "./pool.ts";
import { LOOK_AFTER_MS } from "./times.ts";

/** The one place where attempts of unknown outcome are settled. */
export interface Desk {
  /** Resolves when somebody has looked at the order's attempt, and settled it if it could be. */
  look(order: Order): Promise<void>;
  readonly counts: Readonly<Record<Look, number>>;
}

/**
 * One place, and only where nobody is asking for the order: a look says nothing of an attempt that
 * came after it, and to settle by it would free a key whose customer was prompted.
 */
export function createDesk(pool: Pool, signal: AbortSignal): Desk {
  const counts = { found: 0, not_sent: 0, stood: 0 };
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
      let looks: readonly Look[] | undefined;
      while (looks === undefined && !signal.aborted) {
        // A worker that dies over it leaves it to the next.
        looks = await pool.run(worker++, "settle", orders);
        if (looks === undefined) await sleep(100);
      }
      for (const look of looks ?? []) counts[look]++;
      for (const { done } of batch) done();
    }
    working = false;
  }

  return {
    counts,
    look: async (order) => {
      await sleep(LOOK_AFTER_MS);
      await new Promise<void>((resolve) => {
        queue.push({ order, done: resolve });
        if (signal.aborted) resolve();
        else void work();
      });
    },
  };
}
