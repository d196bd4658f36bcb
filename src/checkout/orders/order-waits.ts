import { sleep } from "../../internal/timeout.ts";
import type { CustomerOrder } from "../rules/order-types.ts";

/** Another process may change an order without notifying this one. */
const POLL_MS = 500;
/** A timer of Node takes no longer time. */
const MAX_TIMER_MS = 2_147_483_647;

/** What one that waits makes of an order, and whether its wait is over. */
export interface Looked<Value> {
  readonly value: Value;
  readonly isOver: boolean;
}

interface Waiter {
  /** It takes what reads with a higher number find: they began after it asked. */
  after: number;
  /** Whether its time is over: its next read is the last one. */
  isLast: boolean;
  take(order: CustomerOrder | undefined): void;
  fail(error: unknown): void;
}

/** The reads of one order, for all that wait for it. */
interface Poll {
  readonly waiters: Set<Waiter>;
  /** How many reads have begun. */
  begun: number;
  /** Whether it goes on after its first read, and counts for the limit. */
  goesOn: boolean;
  /** Begins the next read at once, or right after the one that is under way. */
  wake(): void;
}

/** Waits for orders. All that wait for one order share one poll, and one read at a time. */
export class OrderWaits {
  readonly #read: (id: string) => Promise<CustomerOrder | undefined>;
  readonly #maxWaits: number;
  readonly #polls = new Map<string, Poll>();
  #count = 0;

  /** @param maxWaits - How many orders are polled at most. Beyond it, a wait is one read. */
  constructor(read: (id: string) => Promise<CustomerOrder | undefined>, maxWaits: number) {
    this.#read = read;
    this.#maxWaits = maxWaits;
  }

  /** An order has changed in this process. */
  note(id: string): void {
    this.#polls.get(id)?.wake();
  }

  /** The order as it is now. All that ask at the same time share one read. */
  read(id: string): Promise<CustomerOrder | undefined> {
    return this.wait(id, 0, undefined, (value) => ({ value, isOver: true }));
  }

  /** Looks at an order until the wait for it is over, its time is, or too many others wait. */
  wait<Value>(
    id: string,
    waitMs: number,
    signal: AbortSignal | undefined,
    look: (order: CustomerOrder | undefined) => Looked<Value>,
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const poll = this.#pollOf(id);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        poll.waiters.delete(waiter);
      };
      const fail = (error: unknown) => {
        end();
        reject(error);
      };
      const waiter: Waiter = {
        after: poll.begun,
        isLast: waitMs <= 0 || !this.#mayGoOn(poll),
        take: (order) => {
          const { value, isOver } = look(order);
          if (!isOver && !waiter.isLast) return;
          end();
          resolve(value);
        },
        fail,
      };
      const onAbort = () => {
        fail(signal?.reason);
        // A poll for which no other one waits ends.
        if (poll.waiters.size === 0) poll.wake();
      };
      const onLate = () => {
        waiter.isLast = true;
        waiter.after = poll.begun;
        poll.wake();
      };
      signal?.addEventListener("abort", onAbort);
      if (!waiter.isLast) timer = setTimeout(onLate, Math.min(waitMs, MAX_TIMER_MS));
      poll.waiters.add(waiter);
      poll.wake();
    });
  }

  #pollOf(id: string): Poll {
    const known = this.#polls.get(id);
    if (known !== undefined) return known;
    const poll: Poll = { waiters: new Set(), begun: 0, goesOn: false, wake: () => {} };
    this.#polls.set(id, poll);
    void this.#run(id, poll);
    return poll;
  }

  #mayGoOn(poll: Poll): boolean {
    if (!poll.goesOn && this.#count < this.#maxWaits) {
      poll.goesOn = true;
      this.#count++;
    }
    return poll.goesOn;
  }

  async #run(id: string, poll: Poll): Promise<void> {
    // All that ask now share the first read.
    await Promise.resolve();
    while (poll.waiters.size > 0) {
      const woken = new AbortController();
      poll.wake = () => woken.abort();
      await this.#look(id, poll, ++poll.begun);
      if (poll.waiters.size > 0) await sleep(POLL_MS, woken.signal);
    }
    this.#polls.delete(id);
    if (poll.goesOn) this.#count--;
  }

  /** Never rejects. */
  async #look(id: string, { waiters }: Poll, number: number): Promise<void> {
    const tell = (say: (waiter: Waiter) => void) => {
      for (const waiter of [...waiters]) if (waiter.after < number) say(waiter);
    };
    try {
      const order = await this.#read(id);
      tell((waiter) => {
        try {
          waiter.take(order);
        } catch (error) {
          waiter.fail(error);
        }
      });
    } catch (error) {
      tell((waiter) => waiter.fail(error));
    }
  }
}
