import {
  backoffMs,
  type Inbox,
  MOST_ATTEMPTS,
  type NewDelivery,
  noDeadLetter,
  receiptFor,
  STANDARD_RETENTION_MS,
  whyFailed,
} from "./contract.ts";
import { type Lease, type LeaseStore, type LeaseWorker, startLeaseWorker } from "./leases.ts";

interface Stored extends NewDelivery {
  attempts: number;
  /** When it falls due, or, once done, may be forgotten. */
  at: number;
  error: string;
  /** Deliveries of the same key with other data. */
  readonly conflicts: NewDelivery[];
}

/**
 * Keeps deliveries in this process: for tests and toys. **A restart loses what was acknowledged and
 * not yet worked off**; other processes see nothing of it. Use `sqliteInbox` for a shop.
 *
 * @param options - `retentionMs`: how long what was worked off is remembered, so that a late repeat
 * is known. Default: 14 days.
 */
export function memoryInbox({
  retentionMs = STANDARD_RETENTION_MS,
}: {
  retentionMs?: number | undefined;
} = {}): Inbox {
  /** All of them, whatever has become of them. */
  const known = new Map<string, Stored>();
  const waiting = new Set<Stored>();
  const leased = new Map<string, Stored>();
  const dead = new Set<Stored>();
  /** In the order in which they were done. */
  const done = new Set<Stored>();
  let worker: LeaseWorker | undefined;
  let leases = 0;

  function forgetOld(): void {
    for (const stored of done) {
      if (stored.at > Date.now()) break;
      done.delete(stored);
      known.delete(stored.key);
    }
  }

  /** Ends a lease, where it still holds. */
  function returned(token: string): Stored | undefined {
    const stored = leased.get(token);
    leased.delete(token);
    return stored;
  }

  const store: LeaseStore = {
    take: (count) => {
      const now = Date.now();
      const taken: Lease[] = [];
      for (const stored of waiting) {
        if (taken.length === count) break;
        if (stored.at > now) continue;
        waiting.delete(stored);
        const token = String(++leases);
        leased.set(token, stored);
        taken.push({ key: stored.key, raw: stored.raw, attempt: ++stored.attempts, token });
      }
      return taken;
    },
    // The process that holds them is this one: none is ever lost.
    renew: () => [],
    done: ({ token }) => {
      const stored = returned(token);
      if (stored === undefined) return;
      stored.at = Date.now() + retentionMs;
      done.add(stored);
      forgetOld();
    },
    fail: ({ token }, error) => {
      const stored = returned(token);
      if (stored === undefined) return;
      stored.error = whyFailed(error);
      stored.at = Date.now() + backoffMs(stored.attempts);
      (stored.attempts < MOST_ATTEMPTS ? waiting : dead).add(stored);
    },
    release: ({ token }) => {
      const stored = returned(token);
      if (stored === undefined) return;
      stored.attempts--;
      waiting.add(stored);
    },
    nextDueInMs: () => {
      let next = Number.POSITIVE_INFINITY;
      for (const { at } of waiting) next = Math.min(next, at);
      return waiting.size === 0 ? undefined : next - Date.now();
    },
  };

  return {
    accept: async (delivery) => {
      const stored = known.get(delivery.key);
      if (stored !== undefined) {
        if (stored.digest === delivery.digest) return receiptFor("duplicate");
        stored.conflicts.push(delivery);
        return receiptFor("conflict");
      }
      const { receivedAt: at } = delivery;
      const accepted: Stored = { ...delivery, attempts: 0, at, error: "", conflicts: [] };
      known.set(delivery.key, accepted);
      waiting.add(accepted);
      worker?.look();
      return receiptFor("accepted");
    },
    start: async (work) => {
      worker = startLeaseWorker(store, work);
    },
    stop: async (timeoutMs) => {
      await worker?.stop(timeoutMs);
      worker = undefined;
    },
    deadLetters: async () =>
      [...dead].map(({ key, event, raw, attempts, error }) => ({
        id: key,
        event,
        body: new TextDecoder().decode(raw),
        attempts,
        error,
      })),
    requeue: async (id) => {
      const stored = known.get(id);
      if (stored === undefined || !dead.delete(stored)) throw noDeadLetter(id);
      Object.assign(stored, { attempts: 0, at: Date.now() });
      waiting.add(stored);
      worker?.look();
    },
  };
}
