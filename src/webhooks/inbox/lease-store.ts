import type { Job, Transaction } from "./inbox-types.ts";
import type { Kinds } from "./kinds.ts";

/** A delivery that only this process may process, for a limited time. */
export interface Lease extends Omit<Job, "signal" | "transaction"> {
  /** Identifies the lease: a store ignores the end of a lease that it gave to another since. */
  readonly token: string;
}

/** A lease whose attempt failed. */
export interface FailedLease {
  readonly lease: Lease;
  /** Why the attempt failed. */
  readonly error: string;
  /** When the next attempt begins. Without it, the event is a dead letter. */
  readonly retryInMs?: number | undefined;
}

/** Which deliveries a worker claims. */
interface Claim {
  /** Returns how many at most: none any more once the worker stops. */
  readonly room: () => number;
  readonly kinds: Kinds;
  /** Merchants whose share of the places is taken: their deliveries are left. */
  readonly busy: readonly string[];
}

/** What a worker writes at once. */
export interface LeaseChanges {
  /** Processed. */
  readonly complete: readonly Lease[];
  readonly fail: readonly FailedLease[];
  /** Handed back, as if they had not been taken. */
  readonly release: readonly Lease[];
  readonly claim: Claim;
}

/** What became of leases. One that its own transaction is about to end is in neither list. */
export interface Extended {
  readonly kept: readonly string[];
  readonly lost: readonly string[];
}

/** What a store did beside its leases. */
export interface Maintenance {
  /** What the user must know. */
  readonly warnings: readonly Error[];
  /** When to call again, in milliseconds. */
  readonly nextInMs: number;
}

/** A store that leases its deliveries. Each method is atomic. */
export interface LeaseStore {
  /** Completes, fails and releases leases, and then claims deliveries. Returns the new leases. */
  commit(changes: LeaseChanges): Lease[] | Promise<Lease[]>;
  /** Extends leases, by their tokens. */
  extend(tokens: readonly string[]): Extended | Promise<Extended>;
  /** Milliseconds until the next delivery of the kinds is due, after a commit; infinite if none is known. */
  nextDueInMs(kinds: Kinds): number;
  /** How many deliveries of the kinds are due. */
  dueCount(kinds: Kinds): number | Promise<number>;
  /** Forgets what is over. */
  maintain(kinds: Kinds): Maintenance | Promise<Maintenance>;
  /** A delivery may be due that this process has stored, or requeued. */
  noteDue?(): void;
  /** It is storing deliveries, which comes first. It has the workers poll soon after that. */
  readonly isStoring?: boolean;
  /** How many deliveries it leases at most before a handler is free for them, since a commit takes long. */
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
