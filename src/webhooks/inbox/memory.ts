import { checkOptionNames } from "../../internal/check-options.ts";
import { deadLetterNotFound, errorText } from "./errors.ts";
import { type EndedLease, type Lease, type LeaseStore, WorkerSlot } from "./lease-worker.ts";
import { checkRetention, DEFAULT_PACE, type Pace } from "./pace.ts";
import { exactText } from "./text.ts";
import {
  type DeadLetter,
  type Inbox,
  MAX_ATTEMPTS,
  type NewDelivery,
  type Receipt,
  receiptFor,
} from "./types.ts";

interface Stored {
  readonly key: string;
  readonly digest: string;
  readonly event: string;
  raw: Uint8Array;
  attempts: number;
  /** Failed: when it is retried. Processed: when it may be forgotten. */
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

  store({ key, digest, event, raw }: NewDelivery): Receipt {
    const known = this.#known.get(key);
    if (known !== undefined) return receiptFor(known.digest === digest ? "duplicate" : "conflict");
    const stored: Stored = { key, digest, event, raw, attempts: 0, dueAt: 0 };
    this.#known.set(key, stored);
    this.#ready.add(stored);
    return receiptFor("accepted");
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
    for (const stored of this.#done) {
      if (stored.dueAt > now()) break;
      this.#done.delete(stored);
      this.#known.delete(stored.key);
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
    start: async (workerOptions) => worker.start(store, workerOptions, pace),
    stop: (timeoutMs) => worker.stop(timeoutMs),
    deadLetters: async () => store.deadLetters(),
    requeue: async (id) => {
      store.requeue(id);
      worker.poll();
    },
  };
}
