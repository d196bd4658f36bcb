import { asOwnEvent, conflictIdOf, merchantOf } from "../delivery.ts";
import { DeletedError } from "../errors.ts";
import {
  type InboxStats,
  type NewDelivery,
  type Receipt,
  receiptFor,
  type StoredDoublePayment,
} from "../inbox-types.ts";
import { includesKind, type Kinds } from "../kinds.ts";
import type {
  Extended,
  FailedLease,
  Lease,
  LeaseChanges,
  LeaseStore,
  Maintenance,
} from "../lease-store.ts";

/** An event or a conflict that is not done. */
export interface Entry {
  readonly delivery: NewDelivery;
  state: "pending" | "running" | "dead" | "conflict";
  attempts: number;
  /** When it is due. */
  at: number;
  /** Why the last attempt failed. */
  error: string;
}

/**
 * What is left of an event that is processed, or of a conflict that a person has decided on. A shop has
 * hundreds of thousands of them: nothing else of the delivery is stored.
 */
interface Remembered {
  readonly digest: string;
  /** When it may be forgotten. */
  readonly until: number;
}

const MAINTENANCE_INTERVAL_MS = 500;

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
  readonly #done = new Map<string, Remembered>();
  /** Done, without a signed time: a replay could come at any time. */
  readonly #doneForEver = new Map<string, Pick<Remembered, "digest">>();
  /** Dropped pairs included, without their data. */
  readonly doubles: Map<string, StoredDoublePayment | undefined> = new Map();

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  accept(delivery: NewDelivery): Receipt {
    const { key, formerKey = key, digest, deadLetterReason: error = "" } = delivery;
    for (const one of formerKey === key ? [key] : [key, formerKey]) {
      if (this.#digestOf(one) === digest) return receiptFor("duplicate");
      const conflict = conflictIdOf({ key: one, digest });
      if (this.#digestOf(conflict) !== undefined) {
        return receiptFor(this.#entries.has(conflict) ? "conflict" : "duplicate");
      }
    }
    const isConflict = this.#digestOf(key) !== undefined;
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

  /** The digest of a known event or conflict. */
  #digestOf(id: string): string | undefined {
    const done = this.#done.get(id) ?? this.#doneForEver.get(id);
    return (done ?? this.#entries.get(id)?.delivery)?.digest;
  }

  /** The entries in some states. */
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

  /** It is done, and only remembered. */
  end(id: string): void {
    const { digest, signedAt } = (this.#entries.get(id) as Entry).delivery;
    this.#entries.delete(id);
    if (signedAt === undefined) {
      this.#doneForEver.set(id, { digest });
      return;
    }
    const aheadMs = Math.max(0, signedAt - Date.now());
    this.#done.set(id, { digest, until: now() + aheadMs + this.#retentionMs });
  }

  #retry(entry: Entry, attempts: number, at: number): void {
    Object.assign(entry, { state: "pending", attempts, at });
    this.#pending.add(entry);
  }

  #pendingOf(kinds: Kinds): Entry[] {
    return [...this.#pending].filter(({ delivery }) => includesKind(kinds, delivery.event));
  }

  /** @param kinds - Those that this process works on. */
  stats(kinds: Kinds): InboxStats {
    const waiting = [...this.#pending];
    const retrying = waiting.filter(({ attempts }) => attempts > 0);
    const own = this.#pendingOf(kinds);
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

  commit({ complete, fail, release, claim }: LeaseChanges): Lease[] {
    for (const { key } of complete) this.end(key);
    for (const one of fail) this.#fail(one);
    for (const { key, attempt } of release) {
      this.#retry(this.#entries.get(key) as Entry, attempt - 1, now());
    }
    return this.#claim(claim);
  }

  #claim({ room, kinds, busy }: LeaseChanges["claim"]): Lease[] {
    const count = room();
    const due: Entry[] = [];
    for (const entry of this.#pending) {
      if (due.length >= count) break;
      const { event, traceContext } = entry.delivery;
      const isWanted = entry.at <= now() && includesKind(kinds, event);
      if (isWanted && !busy.includes(merchantOf(traceContext) ?? "")) due.push(entry);
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

  #fail({ lease, error, retryInMs }: FailedLease): void {
    const entry = this.#entries.get(lease.key) as Entry;
    entry.error = error;
    if (retryInMs === undefined) entry.state = "dead";
    else this.#retry(entry, entry.attempts, now() + retryInMs);
  }

  maintain(kinds: Kinds): Maintenance {
    for (const [id, { until }] of this.#done) {
      // Signed ahead of time: those after it are over first.
      if (until > now() + this.#retentionMs) continue;
      if (until > now()) break;
      this.#done.delete(id);
    }
    const deleted = this.#deleteUnprocessed(kinds);
    const warnings = deleted === 0 ? [] : [new DeletedError(deleted)];
    return { warnings, nextInMs: MAINTENANCE_INTERVAL_MS };
  }

  /** Deletes the events that no process took for the whole retention. */
  #deleteUnprocessed(kinds: Kinds): number {
    const before = now() - this.#retentionMs;
    const over = [...this.#pending].filter(
      ({ at, delivery }) => at <= before && !includesKind(kinds, delivery.event),
    );
    for (const entry of over) {
      this.#pending.delete(entry);
      this.#entries.delete(entry.delivery.key);
    }
    return over.length;
  }

  // The only process that holds leases is this one: none is ever lost.
  extend(tokens: readonly string[]): Extended {
    return { kept: tokens, lost: [] };
  }

  nextDueInMs(kinds: Kinds): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { at, delivery } of this.#pending) {
      if (includesKind(kinds, delivery.event)) next = Math.min(next, at - now());
      if (next <= 0) break;
    }
    return next;
  }

  dueCount(kinds: Kinds): number {
    return this.#pendingOf(kinds).filter(({ at }) => at <= now()).length;
  }
}
