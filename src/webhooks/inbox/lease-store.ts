import type { Job, Transaction } from "./types.ts";

/** A delivery that only this process may process, for a limited time. */
export interface Lease extends Omit<Job, "signal" | "transaction"> {
  /** Identifies the lease: a store ignores the end of a lease that it gave to another since. */
  readonly token: string;
}

/** How a lease ended. `released`: handed back, as if it had not been taken. */
export interface EndedLease {
  readonly lease: Lease;
  readonly as: "done" | "failed" | "released";
  /** Why the attempt failed. */
  readonly error?: string;
  /** Of a failed attempt: when the next one begins. Without it, the event is a dead letter. */
  readonly retryInMs?: number | undefined;
}

/** What a store did beside its turns. */
export interface Maintenance {
  /** What the user must know. */
  readonly warnings: readonly Error[];
  /** When to call again, in milliseconds. */
  readonly nextInMs: number;
}

/** A store that leases its deliveries. Each method is atomic. */
export interface LeaseStore {
  /**
   * Writes how leases ended, and leases due deliveries of the queues.
   *
   * @param room - Returns how many to lease at most: none any more once the worker stops.
   */
  turn(
    ended: readonly EndedLease[],
    room: () => number,
    queues: readonly string[],
  ): Lease[] | Promise<Lease[]>;
  /** Extends leases. Returns the tokens of the lost ones. */
  renew(tokens: readonly string[]): string[] | Promise<string[]>;
  /** Milliseconds until the next delivery of the queues is due; infinite if none is known. */
  nextDueInMs(queues: readonly string[]): number;
  /** How many deliveries of the queues are due. */
  dueCount(queues: readonly string[]): number | Promise<number>;
  /** Forgets what is over. */
  maintain(queues: readonly string[]): Maintenance | Promise<Maintenance>;
  /** A delivery of the queue may be due. */
  noteDue?(queue: string): void;
  /** It is storing deliveries, which comes first. It has the workers poll soon after that. */
  readonly isStoring?: boolean;
  /** How many deliveries it leases at most before a handler is free for them, since a turn takes long. */
  readonly maxAhead?: number;
  /**
   * A transaction that includes the end of the lease, if the store supports it.
   *
   * @param isHeld - Whether the handler still has the lease.
   */
  transaction?(lease: Lease, isHeld: () => boolean): Transaction;
  /** Called when its worker has stopped. */
  stop?(): Promise<void>;
}

/** Another process may store a delivery, or die, without notifying this one. */
export const POLL_INTERVAL_MS = 500;
