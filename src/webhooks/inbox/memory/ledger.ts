import { conflictIdOf } from "../conflicts.ts";
import { type NewDelivery, type Receipt, receiptFor, type StoredDoublePayment } from "../types.ts";

/** An event, in any state. */
export interface StoredEvent {
  readonly key: string;
  readonly digest: string;
  readonly signedAt: number | undefined;
  /** Not of an event that is done: its key and its digest recognise duplicates. */
  delivery: NewDelivery | undefined;
  state: "pending" | "done" | "dead";
  attempts: number;
  /** When it is due, or its lease ends, or it may be forgotten. */
  at: number;
  /** Why the last attempt failed. */
  error: string;
}

/** An event that has its delivery: one that is pending or dead. */
export interface LiveEvent extends StoredEvent {
  readonly delivery: NewDelivery;
}

/** A delivery whose event was stored before with other `data`; without it, a person has decided. */
interface StoredConflict {
  readonly signedAt: number | undefined;
  delivery: NewDelivery | undefined;
  at: number;
}

type Remembered = Map<StoredEvent | StoredConflict, () => void>;

// Unlike the wall clock, this one cannot be set.
export const now = (): number => performance.now();

/** What one process has seen: events, conflicts and double payments. */
export class MemoryLedger {
  readonly #retentionMs: number;
  readonly #events = new Map<string, StoredEvent>();
  /** By their ids. */
  readonly #conflicts = new Map<string, StoredConflict>();
  /** Dropped pairs included, without their data. */
  readonly doubles: Map<string, StoredDoublePayment | undefined> = new Map();
  /** Processed events and decided conflicts, in that order, each with what forgets it. */
  readonly #remembered: Remembered = new Map();
  /** Those that were signed ahead of time: the order of their ends is not that of the others. */
  readonly #signedAhead: Remembered = new Map();

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  /** @param onNew - Is called with a new event that is to be processed. */
  accept(delivery: NewDelivery, onNew: (event: LiveEvent) => void): Receipt {
    const { key, digest, formerKey, signedAt, deadLetterReason } = delivery;
    const known = this.#events.get(key);
    for (const one of formerKey === undefined ? [key] : [key, formerKey]) {
      if (this.#events.get(one)?.digest === digest) return receiptFor("duplicate");
      const conflict = this.#conflicts.get(conflictIdOf({ key: one, digest }));
      if (conflict !== undefined) {
        return receiptFor(conflict.delivery === undefined ? "duplicate" : "conflict");
      }
    }
    if (known !== undefined) {
      this.#conflicts.set(conflictIdOf(delivery), { signedAt, delivery, at: 0 });
      return receiptFor("conflict");
    }
    const state = deadLetterReason === undefined ? "pending" : "dead";
    const error = deadLetterReason ?? "";
    const event = {
      key,
      digest,
      signedAt,
      delivery,
      state,
      attempts: 0,
      at: now(),
      error,
    } as const;
    this.#events.set(key, event);
    if (state === "pending") onNew(event);
    return receiptFor("accepted");
  }

  event(key: string): StoredEvent | undefined {
    return this.#events.get(key);
  }

  /** The events in a state. */
  in(state: "pending" | "dead"): LiveEvent[] {
    return [...this.#events.values()].filter((one) => one.state === state) as LiveEvent[];
  }

  openConflicts(): NewDelivery[] {
    const all = [...this.#conflicts.values()].map(({ delivery }) => delivery);
    return all.filter((delivery) => delivery !== undefined);
  }

  openConflict(id: string): NewDelivery | undefined {
    return this.#conflicts.get(id)?.delivery;
  }

  /** Only the key and the digest stay, by which duplicates are recognised. */
  end(event: StoredEvent): void {
    event.state = "done";
    event.error = "";
    this.#remember(event, () => this.#events.delete(event.key));
  }

  /** A person has decided. */
  decide(id: string): void {
    const conflict = this.#conflicts.get(id) as StoredConflict;
    this.#remember(conflict, () => this.#conflicts.delete(id));
  }

  #remember(one: StoredEvent | StoredConflict, forget: () => void): void {
    one.delivery = undefined;
    // Without a time that can be read, a replay could come at any time.
    if (one.signedAt === undefined) return;
    const aheadMs = Math.max(0, one.signedAt - Date.now());
    one.at = now() + aheadMs + this.#retentionMs;
    (aheadMs === 0 ? this.#remembered : this.#signedAhead).set(one, forget);
  }

  /** Forgets what is remembered for long enough. */
  forget(): void {
    for (const [one, forget] of this.#remembered) {
      if (one.at > now()) break;
      this.#remembered.delete(one);
      forget();
    }
    for (const [one, forget] of this.#signedAhead) {
      if (one.at > now()) continue;
      this.#signedAhead.delete(one);
      forget();
    }
  }

  /** Deletes an event that was never processed. */
  delete({ key }: StoredEvent): void {
    this.#events.delete(key);
  }
}
