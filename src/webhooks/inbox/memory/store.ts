import { deadLetterNotFound, errorText, isLastAttempt } from "../errors.ts";
import type { EndedLease, Lease, LeaseStore } from "../lease-worker.ts";
import type { Pace } from "../pace.ts";
import {
  type InboxStats,
  type NewDelivery,
  type Receipt,
  receiptFor,
  type WorkerOptions,
} from "../types.ts";
import { KnownConflicts } from "./known-conflicts.ts";

/** An event in whatever state. */
interface Stored {
  readonly key: string;
  readonly digest: string;
  readonly event: string;
  readonly receivedAt: number;
  /** Not of what is processed or dropped: the key and the digest recognise duplicates. */
  delivery: NewDelivery | undefined;
  attempts: number;
  /** Failed: when it is retried. Processed, or kept for another process: when it may be forgotten. */
  dueAt: number;
  /** Why the last attempt failed. */
  error: string;
}

/** A dead letter. */
export interface DeadEvent extends Stored {
  readonly delivery: NewDelivery;
}

// Unlike the clock on the wall, nobody sets this one.
const now = () => performance.now();

/** The deliveries of one process. */
export class MemoryStore implements LeaseStore {
  readonly #pace: Pace;
  readonly #retentionMs: number;
  /** All events, in whatever state. */
  readonly #known = new Map<string, Stored>();
  readonly #ready = new Set<Stored>();
  readonly #conflicts = new KnownConflicts();
  /** Of kinds that this process does not take. */
  readonly #kept = new Set<Stored>();
  #kinds: readonly string[] | undefined;
  #onKept: WorkerOptions["onKept"];
  /** Failed, and not due yet. */
  readonly #delayed = new Set<Stored>();
  readonly #dead = new Map<string, DeadEvent>();
  /** Processed or dropped, in that order. */
  readonly #done = new Set<Stored>();

  constructor(pace: Pace, retentionMs: number) {
    this.#pace = pace;
    this.#retentionMs = retentionMs;
  }

  store(delivery: NewDelivery): Receipt {
    const { key, digest, event, receivedAt, deadLetterReason } = delivery;
    const known = this.#known.get(key);
    if (known !== undefined) {
      const isDuplicate = known.digest === digest || this.#conflicts.isDecided(delivery);
      if (!isDuplicate) this.#conflicts.add(delivery);
      return receiptFor(isDuplicate ? "duplicate" : "conflict");
    }
    const rest = { attempts: 0, dueAt: now(), error: deadLetterReason ?? "" };
    const stored = { key, digest, event, receivedAt, delivery, ...rest };
    this.#known.set(key, stored);
    if (deadLetterReason === undefined) this.#offer(stored);
    else this.#dead.set(key, stored);
    return receiptFor("accepted");
  }

  dead(): DeadEvent[] {
    return [...this.#dead.values()];
  }

  /** @throws {ConfigurationError} where one of them is not a dead letter. */
  #takeDead(ids: readonly string[]): DeadEvent[] {
    const taken = ids.map((id) => {
      const stored = this.#dead.get(id);
      if (stored === undefined) throw deadLetterNotFound(id);
      return stored;
    });
    for (const id of ids) this.#dead.delete(id);
    return taken;
  }

  requeue(ids: readonly string[]): void {
    for (const stored of this.#takeDead(ids)) {
      Object.assign(stored, { attempts: 0, dueAt: now() });
      this.#offer(stored);
    }
  }

  drop(ids: readonly string[]): void {
    for (const stored of this.#takeDead(ids)) this.#remember(stored);
  }

  conflicts(): NewDelivery[] {
    return this.#conflicts.list();
  }

  /** Takes conflicts off the list. Gives their deliveries. */
  endConflicts(ids: readonly string[]): NewDelivery[] {
    return this.#conflicts.end(ids);
  }

  /** Sets which kinds are taken from here on. */
  takeKinds({ kinds, onKept }: WorkerOptions): void {
    this.#kinds = kinds;
    this.#onKept = onKept;
    const waiting = [...this.#ready, ...this.#kept];
    this.#ready.clear();
    this.#kept.clear();
    for (const stored of waiting) this.#offer(stored);
  }

  #offer(stored: Stored): void {
    if (this.#kinds === undefined || this.#kinds.includes(stored.event)) {
      this.#ready.add(stored);
      return;
    }
    stored.dueAt = now() + this.#retentionMs;
    this.#kept.add(stored);
    this.#onKept?.(stored.event);
  }

  stats(): InboxStats {
    const waiting = [...this.#ready, ...this.#delayed, ...this.#kept];
    const due = [...this.#ready, ...this.#delayed].map(({ dueAt }) => dueAt);
    const received = waiting.map(({ receivedAt }) => receivedAt);
    // No spread of a long list into the arguments of a function: the stack is too small for that.
    const least = (times: number[]) =>
      times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    return {
      stored: this.#known.size,
      waiting: waiting.length,
      unhandled: this.#kept.size,
      running: this.#known.size - waiting.length - this.#dead.size - this.#done.size,
      dead: this.#dead.size,
      conflicts: this.#conflicts.list().length,
      oldestWaiting: waiting.length === 0 ? null : least(received),
      lagMs: due.length === 0 ? 0 : Math.max(0, Math.round(now() - least(due))),
    };
  }

  turn(ended: readonly EndedLease[], count: number): Lease[] {
    for (const one of ended) this.#end(one);
    this.#forget();
    return this.#take(count);
  }

  // The only process that holds leases is this one: none is ever lost.
  renew(): string[] {
    return [];
  }

  nextDueInMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { dueAt } of this.#delayed) next = Math.min(next, dueAt);
    return next - now();
  }

  #end(ended: EndedLease): void {
    const stored = this.#known.get(ended.lease.key) as DeadEvent;
    if (ended.as === "done") this.#remember(stored);
    else if (ended.as === "released") {
      stored.attempts--;
      this.#ready.add(stored);
    } else if (!isLastAttempt(stored.attempts, ended.error)) {
      stored.dueAt = now() + this.#pace.backoffMs(stored.attempts);
      this.#delayed.add(stored);
    } else {
      stored.error = errorText(ended.error);
      this.#dead.set(stored.key, stored);
    }
  }

  /** Only the key and the digest stay, by which duplicates are recognised. */
  #remember(stored: Stored): void {
    stored.delivery = undefined;
    stored.error = "";
    stored.dueAt = now() + this.#retentionMs;
    this.#done.add(stored);
  }

  #forget(): void {
    for (const over of [this.#done, this.#kept]) {
      for (const stored of over) {
        if (stored.dueAt > now()) break;
        over.delete(stored);
        this.#known.delete(stored.key);
        this.#conflicts.forget(stored.key);
      }
    }
  }

  #take(count: number): Lease[] {
    for (const stored of this.#delayed) {
      if (stored.dueAt > now()) continue;
      this.#delayed.delete(stored);
      this.#ready.add(stored);
    }
    const leases: Lease[] = [];
    for (const stored of this.#ready) {
      if (leases.length === count) break;
      this.#ready.delete(stored);
      const { key, delivery } = stored as DeadEvent;
      const { raw, receivedAt, traceContext } = delivery;
      // The key is a token: each delivery has one lease at a time.
      leases.push({
        key,
        raw,
        attempt: ++stored.attempts,
        token: key,
        receivedAt,
        traceContext,
      });
    }
    return leases;
  }
}
