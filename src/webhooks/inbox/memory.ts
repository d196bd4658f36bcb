import { checkOptionNames } from "../../internal/check-options.ts";
import { asOwnEvent, conflictIdOf, partsOfConflictId } from "./conflicts.ts";
import { conflictNotFound, deadLetterNotFound, errorText } from "./errors.ts";
import { type EndedLease, type Lease, type LeaseStore, WorkerSlot } from "./lease-worker.ts";
import { checkRetention, DEFAULT_PACE, type Pace } from "./pace.ts";
import { exactText } from "./text.ts";
import {
  type Conflict,
  type DeadLetter,
  type Inbox,
  type InboxStats,
  MAX_ATTEMPTS,
  type NewDelivery,
  type Receipt,
  receiptFor,
  type WorkerOptions,
} from "./types.ts";

interface Stored {
  readonly key: string;
  readonly digest: string;
  readonly event: string;
  raw: Uint8Array;
  attempts: number;
  readonly receivedAt: number;
  /** Failed: when it is retried. Processed, or kept for another process: when it may be forgotten. */
  dueAt: number;
}

// Unlike the clock on the wall, nobody sets this one.
const now = () => performance.now();

class MemoryStore implements LeaseStore {
  readonly #pace: Pace;
  readonly #retentionMs: number;
  /** All deliveries, in whatever state. */
  readonly #known = new Map<string, Stored>();
  readonly #ready = new Set<Stored>();
  /** By key and digest; without the delivery where a person has decided. */
  readonly #conflicts = new Map<string, Map<string, NewDelivery | undefined>>();
  /** Of kinds that this process does not take. */
  readonly #kept = new Set<Stored>();
  #kinds: readonly string[] | undefined;
  #onKept: WorkerOptions["onKept"];
  /** Failed, and not due yet. */
  readonly #delayed = new Set<Stored>();
  readonly #dead = new Map<string, DeadLetter>();
  /** Processed, in that order. */
  readonly #done = new Set<Stored>();
  /** The body of everything that is processed. */
  readonly #noBytes = new Uint8Array(0);

  constructor(pace: Pace, retentionMs: number) {
    this.#pace = pace;
    this.#retentionMs = retentionMs;
  }

  store(delivery: NewDelivery): Receipt {
    const { key, digest, event, raw, receivedAt } = delivery;
    const known = this.#known.get(key);
    if (known !== undefined)
      return receiptFor(this.#isDuplicate(known, delivery) ? "duplicate" : "conflict");
    const stored: Stored = { key, digest, event, raw, receivedAt, attempts: 0, dueAt: now() };
    this.#known.set(key, stored);
    this.#offer(stored);
    return receiptFor("accepted");
  }

  /** Keeps the delivery where it is a conflict. */
  #isDuplicate(known: Stored, delivery: NewDelivery): boolean {
    if (known.digest === delivery.digest) return true;
    const of = this.#conflicts.get(delivery.key) ?? new Map<string, NewDelivery | undefined>();
    this.#conflicts.set(delivery.key, of);
    // A person has decided on this one.
    if (of.has(delivery.digest) && of.get(delivery.digest) === undefined) return true;
    if (!of.has(delivery.digest)) of.set(delivery.digest, delivery);
    return false;
  }

  conflicts(): Conflict[] {
    const waiting = [...this.#conflicts.values()].flatMap((of) => [...of.values()]);
    return waiting.flatMap((delivery) => {
      if (delivery === undefined) return [];
      const { event, raw, receivedAt } = delivery;
      return [{ id: conflictIdOf(delivery), event, body: exactText(raw), receivedAt }];
    });
  }

  /** Takes conflicts off the list. Gives their deliveries. */
  endConflicts(ids: readonly string[]): NewDelivery[] {
    const ended = ids.map((id) => {
      const { key, digest } = partsOfConflictId(id);
      const delivery = this.#conflicts.get(key)?.get(digest);
      if (delivery === undefined) throw conflictNotFound(id);
      return delivery;
    });
    for (const { key, digest } of ended) this.#conflicts.get(key)?.set(digest, undefined);
    return ended;
  }

  /** Sets which kinds are taken from here on. */
  take({ kinds, onKept }: WorkerOptions): void {
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
      conflicts: this.conflicts().length,
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

  deadLetters(): DeadLetter[] {
    return [...this.#dead.values()];
  }

  requeue(id: string): void {
    if (!this.#dead.delete(id)) throw deadLetterNotFound(id);
    const stored = this.#known.get(id) as Stored;
    stored.attempts = 0;
    this.#ready.add(stored);
  }

  #end(ended: EndedLease): void {
    const stored = this.#known.get(ended.lease.key) as Stored;
    if (ended.as === "done") {
      stored.dueAt = now() + this.#retentionMs;
      // Key and digest stay, by which duplicates are recognised.
      stored.raw = this.#noBytes;
      this.#done.add(stored);
    } else if (ended.as === "released") {
      stored.attempts--;
      this.#ready.add(stored);
    } else if (stored.attempts < MAX_ATTEMPTS) {
      stored.dueAt = now() + this.#pace.backoffMs(stored.attempts);
      this.#delayed.add(stored);
    } else {
      const { key: id, event, raw, attempts } = stored;
      const error = errorText(ended.error);
      this.#dead.set(id, { id, event, body: exactText(raw), attempts, error });
    }
  }

  #forget(): void {
    for (const over of [this.#done, this.#kept]) {
      for (const stored of over) {
        if (stored.dueAt > now()) break;
        over.delete(stored);
        this.#known.delete(stored.key);
        this.#conflicts.delete(stored.key);
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
      const { key, raw } = stored;
      // The key is a token: each delivery has one lease at a time.
      leases.push({ key, raw, attempt: ++stored.attempts, token: key });
    }
    return leases;
  }
}

const OPTIONS = ["retentionMs", "pace"];

/**
 * Keeps deliveries in this process: for tests and experiments. **A restart loses what was acknowledged
 * and not processed yet**, and other processes see nothing of it. Use `sqliteInbox` for a shop.
 *
 * @param options - `retentionMs`: how long processed events are remembered, in milliseconds, so that
 * late duplicates are recognised. Set it shorter where memory is short. Default: 14 days.
 */
export function memoryInbox(
  options: {
    retentionMs?: number | undefined;
    /** @internal */
    pace?: Pace | undefined;
  } = {},
): Inbox {
  checkOptionNames(options, OPTIONS, "memoryInbox");
  const { pace = DEFAULT_PACE } = options;
  const store = new MemoryStore(pace, checkRetention(options.retentionMs));
  const worker = new WorkerSlot();
  return {
    accept: async (delivery) => {
      const receipt = store.store(delivery);
      if (receipt.kind === "accepted") worker.poll();
      return receipt;
    },
    start: async (workerOptions) => {
      store.take(workerOptions);
      worker.start(store, workerOptions, pace);
    },
    stop: (timeoutMs) => worker.stop(timeoutMs),
    conflicts: {
      list: async () => store.conflicts(),
      requeue: async (ids) => {
        for (const delivery of store.endConflicts(ids)) store.store(asOwnEvent(delivery));
        worker.poll();
      },
      drop: async (ids) => void store.endConflicts(ids),
    },
    stats: async () => store.stats(),
    deadLetters: async () => store.deadLetters(),
    requeue: async (id) => {
      store.requeue(id);
      worker.poll();
    },
  };
}
