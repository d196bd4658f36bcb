import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../harness/processes.ts";
import type { Jobs, Resolution, UnknownOrder } from "./messages.ts";
import { LOOKUP_DELAY_MS, MAX_LOOKUP_INTERVAL_MS } from "./time-limits.ts";

/**
 * Resolves attempts of unknown outcome, one batch after the other. There is one reconciler, and it works on an order only
 * while no customer pays for it. A lookup says nothing of an attempt that begins after it: resolving that one as not sent
 * would free a key whose customer was prompted.
 */
export class Reconciler {
  readonly counts = { found: 0, not_sent: 0, conflict: 0, too_early: 0 };
  readonly #pool: Pick<Pool<Jobs>, "run">;
  readonly #signal: AbortSignal;
  /** The orders of the next batch, and what becomes of each. */
  #next: { readonly orders: UnknownOrder[]; readonly done: Promise<Resolution[]> } | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #worker = 0;

  constructor(pool: Pick<Pool<Jobs>, "run">, signal: AbortSignal) {
    this.#pool = pool;
    this.#signal = signal;
  }

  async #resolveAll(orders: readonly UnknownOrder[]): Promise<Resolution[]> {
    while (!this.#signal.aborted) {
      const resolutions = await this.#pool.run(this.#worker++, "resolve", orders);
      for (const { end } of resolutions ?? []) this.counts[end]++;
      if (resolutions !== undefined) return resolutions;
      // If the worker dies, the next one takes the batch.
      await sleep(100);
    }
    return [];
  }

  async #lookUp(order: UnknownOrder): Promise<Resolution | undefined> {
    if (this.#next === undefined) {
      const orders: UnknownOrder[] = [];
      const done = this.#last.then(() => {
        this.#next = undefined;
        return this.#resolveAll(orders);
      });
      this.#next = { orders, done };
      this.#last = done.catch(() => {});
    }
    const { orders, done } = this.#next;
    const at = orders.push(order) - 1;
    return (await done)[at];
  }

  /** Looks for the payment of an order, again and again, until its attempt is resolved. */
  async resolve(order: UnknownOrder): Promise<void> {
    await sleep(LOOKUP_DELAY_MS);
    for (;;) {
      const resolution = await this.#lookUp(order);
      if (resolution?.end !== "too_early") return;
      await sleep(Math.min(resolution.waitMs + 50, MAX_LOOKUP_INTERVAL_MS));
    }
  }
}
