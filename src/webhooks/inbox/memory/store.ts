import { errorText, forgottenUnprocessed, isLastAttempt } from "../errors.ts";
import type { EndedLease, Lease, LeaseStore, Maintenance } from "../lease-worker.ts";
import type { Pace } from "../pace.ts";
import { type InboxStats, queueOf } from "../types.ts";
import { type LiveEvent, type MemoryLedger, now } from "./ledger.ts";

const MAINTENANCE_INTERVAL_MS = 500;

/** No spread of a long list into the arguments of a function: the stack is too small for that. */
const least = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);

/** The events of one process that wait or run, in their queues. */
export class MemoryStore implements LeaseStore {
  readonly #ledger: MemoryLedger;
  readonly #pace: Pace;
  readonly #retentionMs: number;
  /** Due, in the order in which they became so. */
  readonly #ready = new Map<string, Set<LiveEvent>>();
  /** Failed, and not due yet. */
  readonly #delayed = new Set<LiveEvent>();
  readonly #running = new Set<LiveEvent>();

  constructor(ledger: MemoryLedger, pace: Pace, retentionMs: number) {
    this.#ledger = ledger;
    this.#pace = pace;
    this.#retentionMs = retentionMs;
  }

  /** The event is to be processed. */
  offer(event: LiveEvent): void {
    event.at = now();
    this.#queue(event).add(event);
  }

  #queue({ delivery }: LiveEvent): Set<LiveEvent> {
    const name = queueOf(delivery.event);
    const queue = this.#ready.get(name) ?? new Set();
    this.#ready.set(name, queue);
    return queue;
  }

  #readyIn(queues: readonly string[]): Set<LiveEvent>[] {
    return queues.flatMap((name) => this.#ready.get(name) ?? []);
  }

  #delayedIn(queues: readonly string[]): LiveEvent[] {
    return [...this.#delayed].filter(({ delivery }) => queues.includes(queueOf(delivery.event)));
  }

  /** @param queues - Those that this process works on. */
  stats(queues: readonly string[]): InboxStats {
    const ready = [...this.#ready.values()].flatMap((queue) => [...queue]);
    const waiting = [...ready, ...this.#delayed];
    const retrying = waiting.filter(({ attempts }) => attempts > 0);
    const own = this.#readyIn(queues).flatMap((queue) => [...queue]);
    const oldest = (events: readonly LiveEvent[]) =>
      events.length === 0 ? null : least(events.map(({ delivery }) => delivery.receivedAt));
    return {
      waiting: waiting.length,
      unhandled: waiting.length - own.length - this.#delayedIn(queues).length,
      running: this.#running.size,
      dead: this.#ledger.in("dead").length,
      conflicts: this.#ledger.openConflicts().length,
      retrying: retrying.length,
      oldestRetrying: oldest(retrying),
      oldestWaiting: oldest(waiting),
      lagMs: own.length === 0 ? 0 : Math.max(0, Math.round(now() - least(own.map(({ at }) => at)))),
    };
  }

  turn(ended: readonly EndedLease[], count: number, queues: readonly string[]): Lease[] {
    for (const one of ended) this.#end(one);
    this.#wake();
    return this.#take(count, queues);
  }

  maintain(queues: readonly string[]): Maintenance {
    this.#ledger.forget();
    const deleted = this.#deleteUnprocessed(queues);
    const warnings = deleted === 0 ? [] : [forgottenUnprocessed(deleted)];
    return { warnings, nextInMs: MAINTENANCE_INTERVAL_MS };
  }

  /** Deletes the events that no process took for the whole retention. */
  #deleteUnprocessed(queues: readonly string[]): number {
    let count = 0;
    for (const [name, queue] of this.#ready) {
      if (queues.includes(name)) continue;
      for (const event of queue) {
        if (event.at + this.#retentionMs > now()) break;
        queue.delete(event);
        this.#ledger.delete(event);
        count++;
      }
    }
    return count;
  }

  // The only process that holds leases is this one: none is ever lost.
  renew(): string[] {
    return [];
  }

  nextDueInMs(queues: readonly string[]): number {
    if (this.dueCount(queues) > 0) return 0;
    return least(this.#delayedIn(queues).map(({ at }) => at)) - now();
  }

  dueCount(queues: readonly string[]): number {
    return this.#readyIn(queues).reduce((sum, { size }) => sum + size, 0);
  }

  #end(ended: EndedLease): void {
    const event = this.#ledger.event(ended.lease.key) as LiveEvent;
    this.#running.delete(event);
    if (ended.as === "done") this.#ledger.end(event);
    else if (ended.as === "released") {
      event.attempts--;
      this.offer(event);
    } else if (!isLastAttempt(event.attempts, ended.error)) {
      event.at = now() + this.#pace.backoffMs(event.attempts);
      this.#delayed.add(event);
    } else {
      event.error = errorText(ended.error);
      event.state = "dead";
    }
  }

  #wake(): void {
    for (const event of this.#delayed) {
      if (event.at > now()) continue;
      this.#delayed.delete(event);
      this.#queue(event).add(event);
    }
  }

  #take(count: number, queues: readonly string[]): Lease[] {
    const leases: Lease[] = [];
    const due = this.#readyIn(queues).flatMap((queue) => [...queue].slice(0, count));
    for (const event of due.sort((a, b) => a.at - b.at).slice(0, count)) {
      this.#queue(event).delete(event);
      this.#running.add(event);
      const { raw, receivedAt, traceContext, source } = event.delivery;
      const { key } = event;
      // The key is a token: each delivery has one lease at a time.
      leases.push({
        key,
        raw,
        attempt: ++event.attempts,
        token: key,
        receivedAt,
        traceContext,
        source,
      });
    }
    return leases;
  }
}
