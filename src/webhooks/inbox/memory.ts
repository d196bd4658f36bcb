import {
  type Ended,
  type Lease,
  type LeaseStore,
  type LeaseWorker,
  startLeaseWorker,
} from "./lease-worker.ts";
import { retentionOf } from "./options.ts";
import {
  atWork,
  type DeadLetter,
  exactText,
  type Inbox,
  MOST_ATTEMPTS,
  noDeadLetter,
  type Pace,
  receiptFor,
  STANDARD_PACE,
  whyFailed,
} from "./types.ts";

interface Stored {
  readonly key: string;
  readonly digest: string;
  readonly event: string;
  raw: Uint8Array;
  attempts: number;
  /** When it falls due again, or, once done, may be forgotten. */
  at: number;
}

// Nobody sets this one.
const now = () => performance.now();

/**
 * Keeps deliveries in this process: for tests and toys. **A restart loses what was acknowledged and
 * not yet worked off**; other processes see nothing of it. Use `sqliteInbox` for a shop.
 *
 * @param options - `retentionMs`: how long what was worked off is remembered, so that a late repeat
 * is known. Default: 14 days.
 */
export function memoryInbox(
  options: {
    retentionMs?: number | undefined;
    /** @internal */
    pace?: Pace | undefined;
  } = {},
): Inbox {
  const retentionMs = retentionOf("memoryInbox", options, ["retentionMs", "pace"]);
  const { pace = STANDARD_PACE } = options;
  /** All of them, whatever has become of them. */
  const known = new Map<string, Stored>();
  const ready = new Set<Stored>();
  /** Failed, and not due yet. */
  const delayed = new Set<Stored>();
  const dead = new Map<string, DeadLetter>();
  /** In the order in which they were done. */
  const done = new Set<Stored>();
  /** The body of all that is done. */
  const nothing = new Uint8Array(0);
  let worker: LeaseWorker | undefined;

  function forgetOld(): void {
    for (const stored of done) {
      if (stored.at > now()) break;
      done.delete(stored);
      known.delete(stored.key);
    }
  }

  function end(ended: Ended): void {
    const { key } = ended.lease;
    const stored = known.get(key) as Stored;
    if (ended.as === "done") {
      stored.at = now() + retentionMs;
      // What a repeat is told by stays.
      stored.raw = nothing;
      done.add(stored);
    } else if (ended.as === "released") {
      stored.attempts--;
      ready.add(stored);
    } else if (stored.attempts < MOST_ATTEMPTS) {
      stored.at = now() + pace.backoffMs(stored.attempts);
      delayed.add(stored);
    } else {
      const { event, raw, attempts } = stored;
      const error = whyFailed(ended.error);
      dead.set(key, { id: key, event, body: exactText(raw), attempts, error });
    }
  }

  function take(count: number): Lease[] {
    for (const stored of delayed) {
      if (stored.at > now()) continue;
      delayed.delete(stored);
      ready.add(stored);
    }
    const taken: Lease[] = [];
    for (const stored of ready) {
      if (taken.length === count) break;
      ready.delete(stored);
      const { key, raw } = stored;
      // One process, and no lease is lost: each delivery has one at a time.
      taken.push({ key, raw, attempt: ++stored.attempts, token: key });
    }
    return taken;
  }

  const store: LeaseStore = {
    turn: (ended, count) => {
      for (const one of ended) end(one);
      forgetOld();
      return take(count);
    },
    // The process that holds them is this one: none is ever lost.
    renew: () => [],
    nextDueInMs: () => {
      let next = Number.POSITIVE_INFINITY;
      for (const { at } of delayed) next = Math.min(next, at);
      return next - now();
    },
  };

  return {
    accept: async (delivery) => {
      const { key, digest, event, raw } = delivery;
      const stored = known.get(key);
      if (stored !== undefined) {
        return receiptFor(stored.digest === digest ? "duplicate" : "conflict");
      }
      const accepted: Stored = { key, digest, event, raw, attempts: 0, at: 0 };
      known.set(key, accepted);
      ready.add(accepted);
      worker?.look();
      return receiptFor("accepted");
    },
    start: async (work) => {
      if (worker !== undefined) throw atWork();
      worker = startLeaseWorker(store, work, pace);
    },
    stop: async (timeoutMs) => {
      await worker?.stop(timeoutMs);
      worker = undefined;
    },
    deadLetters: async () => [...dead.values()],
    requeue: async (id) => {
      if (!dead.delete(id)) throw noDeadLetter(id);
      const stored = known.get(id) as Stored;
      stored.attempts = 0;
      ready.add(stored);
      worker?.look();
    },
  };
}
