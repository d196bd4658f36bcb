import type { Lease } from "../lease-worker.ts";
import type { NewDelivery } from "../types.ts";
import { leaseToken } from "./lease-token.ts";

/**
 * The leases of events that one transaction stores and this process processes at once: it need not look
 * for their rows, and write each a second time.
 */
export class FreshLeases {
  readonly leases: Lease[] = [];
  readonly #limit: number;
  /** Of all rows of the transaction. */
  readonly secret: string = globalThis.crypto.randomUUID();
  readonly leaseUntil: number;

  constructor(limit: number, leaseUntil: number) {
    this.#limit = limit;
    this.leaseUntil = leaseUntil;
  }

  get hasRoom(): boolean {
    return this.leases.length < this.#limit;
  }

  /** The event is new, and its row is written. */
  add({ key, raw, receivedAt, traceContext }: NewDelivery, id: number): void {
    const token = leaseToken(this.secret, id);
    this.leases.push({ key, raw, attempt: 1, token, receivedAt, traceContext });
  }
}
