import { asOwnEvent, conflictIdOf } from "../delivery.ts";
import { DeletedError } from "../errors.ts";
import type { EndedLease, Lease, LeaseStore, Maintenance } from "../lease-store.ts";
import {
  type InboxStats,
  type NewDelivery,
  queueOf,
  type Receipt,
  receiptFor,
  type StoredDoublePayment,
} from "../types.ts";

/** An event or a conflict. */
export interface Entry {
  /** Without its body once it is done: then the key and the digest recognise duplicates. */
  delivery: NewDelivery;
  /** A conflict is done when a person has decided. */
  state: "pending" | "running" | "dead" | "conflict" | "done";
  attempts: number;
  /** When it is due, or may be forgotten. */
  at: number;
  /** Why the last attempt failed. */
  error: string;
}

const MAINTENANCE_INTERVAL_MS = 500;

const NO_BYTES = /* @__PURE__ */ new Uint8Array();

// Unlike the wall clock, this one cannot be set.
const now = () => performance.now();

/** No spread of a long list into the arguments of a function: the stack is too small for that. */
const least = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);

/** What one process has received. */
export class MemoryStore implements LeaseStore {
  readonly #retentionMs: number;
  /** Events by their keys, conflicts by their ids. */
  readonly #entries = new Map<string, Entry>();
  /** To be processed: first those that were due first, except for retries. */
  readonly #pending = new Set<Entry>();
  /** Done, in that order. */
  readonly #done = new Map<string, Entry>();
  /** Dropped pairs included, without their data. */
  readonly doubles: Map<string, StoredDoublePayment | undefined> = new Map();

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  accept(delivery: NewDelivery): Receipt {
    const { key, formerKey = key, digest, deadLetterReason: error = "" } = delivery;
    for (const one of [key, formerKey]) {
      if (this.#entries.get(one)?.delivery.digest === digest) return receiptFor("duplicate");
      const conflict = this.#entries.get(conflictIdOf({ key: one, digest }));
      if (conflict !== undefined) {
        return receiptFor(conflict.state === "done" ? "duplicate" : "conflict");
      }
    }
    const isConflict = this.#entries.has(key);
    const state = error === "" ? "pending" : "dead";
    const entry: Entry = {
      delivery,
      state: isConflict ? "conflict" : state,
      attempts: 0,
      at: now(),
      error,
    };
    this.#entries.set(isConflict ? conflictIdOf(delivery) : key, entry);
    if (entry.state === "pending") this.#pending.add(entry);
    return receiptFor(isConflict ? "conflict" : "accepted");
  }

  /** The entries in some states, other than `done`. */
  in(...states: readonly Entry["state"][]): Entry[] {
    return [...this.#entries.values()].filter(({ state }) => states.includes(state));
  }

  entry(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  requeue(id: string): void {
    const entry = this.#entries.get(id) as Entry;
    const { delivery } = entry;
    if (entry.state === "dead") {
      entry.error = "";
      this.#retry(entry, 0, now());
    } else {
      this.end(id);
      this.accept(asOwnEvent(delivery));
    }
  }

  /** Its body is dropped. */
  end(id: string): void {
    const entry = this.#entries.get(id) as Entry;
    const { key, digest, event, receivedAt, signedAt } = entry.delivery;
    const rest = { raw: NO_BYTES, secretIndex: 0, receivedAt, signedAt };
    const aheadMs = Math.max(0, (signedAt ?? 0) - Date.now());
    const at = now() + aheadMs + this.#retentionMs;
    Object.assign(entry, {
      state: "done",
      delivery: { key, digest, event, ...rest },
      error: "",
      at,
    });
    // Without a time that can be read, a replay could come at any time.
    if (signedAt !== undefined) this.#done.set(id, entry);
  }

  #retry(entry: Entry, attempts: number, at: number): void {
    Object.assign(entry, { state: "pending", attempts, at });
    this.#pending.add(entry);
  }

  #pendingIn(queues: readonly string[]): Entry[] {
    return [...this.#pending].filter(({ delivery }) => queues.includes(queueOf(delivery.event)));
  }

  /** @param queues - Those that this process works on. */
  stats(queues: readonly string[]): InboxStats {
    const waiting = [...this.#pending];
    const retrying = waiting.filter(({ attempts }) => attempts > 0);
    const own = this.#pendingIn(queues);
    const oldest = (entries: readonly Entry[]) =>
      entries.length === 0 ? null : least(entries.map(({ delivery }) => delivery.receivedAt));
    return {
      waiting: waiting.length,
      unhandled: waiting.length - own.length,
      running: this.in("running").length,
      dead: this.in("dead").length,
      conflicts: this.in("conflict").length,
      retrying: retrying.length,
      oldestRetrying: oldest(retrying),
      oldestWaiting: oldest(waiting),
      lagMs: Math.max(0, Math.round(now() - least(own.map(({ at }) => at)))),
    };
  }

  turn(ended: readonly EndedLease[], room: () => number, queues: readonly string[]): Lease[] {
    for (const one of ended) this.#endLease(one);
    const count = room();
    const due: Entry[] = [];
    for (const entry of this.#pending) {
      if (due.length >= count) break;
      if (entry.at <= now() && queues.includes(queueOf(entry.delivery.event))) due.push(entry);
    }
    return due.map((entry) => this.#lease(entry));
  }

  #lease(entry: Entry): Lease {
    this.#pending.delete(entry);
    entry.state = "running";
    const { key, raw, receivedAt, traceContext, source } = entry.delivery;
    const attempt = ++entry.attempts;
    // The key is a token: each delivery has one lease at a time.
    return { key, raw, attempt, receivedAt, traceContext, source, token: key };
  }

  #endLease({ lease, as, error = "", retryInMs }: EndedLease): void {
    const entry = this.#entries.get(lease.key) as Entry;
    const { attempts } = entry;
    if (as === "done") this.end(lease.key);
    else if (as === "released") this.#retry(entry, attempts - 1, now());
    else {
      entry.error = error;
      if (retryInMs === undefined) entry.state = "dead";
      else this.#retry(entry, attempts, now() + retryInMs);
    }
  }

  maintain(queues: readonly string[]): Maintenance {
    for (const [id, { at }] of this.#done) {
      // Signed ahead of time: those after it are over first.
      if (at > now() + this.#retentionMs) continue;
      if (at > now()) break;
      this.#done.delete(id);
      this.#entries.delete(id);
    }
    const deleted = this.#deleteUnprocessed(queues);
    const warnings = deleted === 0 ? [] : [new DeletedError(deleted)];
    return { warnings, nextInMs: MAINTENANCE_INTERVAL_MS };
  }

  /** Deletes the events that no process took for the whole retention. */
  #deleteUnprocessed(queues: readonly string[]): number {
    const before = now() - this.#retentionMs;
    const over = [...this.#pending].filter(
      ({ at, delivery }) => at <= before && !queues.includes(queueOf(delivery.event)),
    );
    for (const entry of over) {
      this.#pending.delete(entry);
      this.#entries.delete(entry.delivery.key);
    }
    return over.length;
  }

  // The only process that holds leases is this one: none is ever lost.
  renew(): string[] {
    return [];
  }

  nextDueInMs(queues: readonly string[]): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { at, delivery } of this.#pending) {
      if (queues.includes(queueOf(delivery.event))) next = Math.min(next, at - now());
      if (next <= 0) break;
    }
    return next;
  }

  dueCount(queues: readonly string[]): number {
    return this.#pendingIn(queues).filter(({ at }) => at <= now()).length;
  }
}
