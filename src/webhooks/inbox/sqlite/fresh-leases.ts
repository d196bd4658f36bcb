import type { Lease } from "../lease-worker.ts";
import type { NewDelivery } from "../types.ts";

/** The row of an event that is stored as leased. */
interface LeasedRow {
  readonly id: number;
  readonly token: string;
  readonly leaseUntil: number;
}

/**
 * The leases of events that this process stores and processes at once: it need not look for their rows,
 * and write each a second time. For one transaction, which nothing else writes in.
 */
export class FreshLeases {
  readonly leases: Lease[] = [];
  readonly #limit: number;
  readonly #token: string = globalThis.crypto.randomUUID();
  readonly #leaseUntil: number;
  #id: number;

  /** @param lastId - The highest id of a row. */
  constructor(limit: number, lastId: number, leaseUntil: number) {
    this.#limit = limit;
    this.#id = lastId;
    this.#leaseUntil = leaseUntil;
  }

  /** The row for the next event; `undefined` where there are enough leases. */
  next(): LeasedRow | undefined {
    if (this.leases.length >= this.#limit) return undefined;
    const id = this.#id + 1;
    return { id, token: `${this.#token}/${id}`, leaseUntil: this.#leaseUntil };
  }

  /** The event is new, and its row is written. */
  add({ key, raw, receivedAt, traceContext }: NewDelivery, { id, token }: LeasedRow): void {
    this.#id = id;
    this.leases.push({ key, raw, attempt: 1, token, receivedAt, traceContext });
  }
}
