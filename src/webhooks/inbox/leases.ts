import type { Job, Transaction, Work } from "./contract.ts";

/** A delivery that is this process's to work, for a while. */
export interface Lease {
  readonly key: string;
  readonly raw: Uint8Array;
  readonly attempt: number;
  /** Names the lease: nothing is written under another's. */
  readonly token: string;
}

/** A store that hands out its deliveries by leases. Each method is atomic. */
export interface LeaseStore {
  /** Leases what is due, and what another process died over. */
  take(count: number): Lease[];
  /** Makes leases last longer. Gives the tokens of those that are lost. */
  renew(tokens: readonly string[]): string[];
  done(lease: Lease): void;
  /** A failed attempt: due again after a while, or a dead letter. */
  fail(lease: Lease, error: unknown): void;
  /** Hands it back, as if it had not been taken. */
  release(lease: Lease): void;
  /** When something falls due next; `undefined` where nothing does. */
  nextDueInMs(): number | undefined;
  /** A transaction in which the lease is done, where the store has such. */
  transaction?(lease: Lease): Transaction;
}

const RENEW_EVERY_MS = 5_000;
// Another process may put something in, or die over something, without this one being told.
const LOOK_EVERY_MS = 500;

/** Works off a store of leases. */
export interface LeaseWorker {
  /** There may be something to do: look now. */
  look(): void;
  stop(timeoutMs: number): Promise<void>;
}

export function startLeaseWorker(store: LeaseStore, work: Work): LeaseWorker {
  const running = new Map<
    string,
    { lease: Lease; controller: AbortController; end: Promise<void> }
  >();
  let stopping = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** A store that fails now may work later; the leases run out by themselves. */
  function guarded<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      work.onError(error);
      return undefined;
    }
  }

  function look(): void {
    if (stopping) return;
    clearTimeout(timer);
    const free = work.concurrency - running.size;
    const leases = free > 0 ? (guarded(() => store.take(free)) ?? []) : [];
    for (const lease of leases) run(lease);
    const due = running.size < work.concurrency ? guarded(() => store.nextDueInMs()) : undefined;
    timer = setTimeout(look, Math.min(Math.max(due ?? LOOK_EVERY_MS, 1), LOOK_EVERY_MS));
  }

  function run(lease: Lease): void {
    const controller = new AbortController();
    const { signal } = controller;
    const { key, raw, attempt } = lease;
    const transaction = store.transaction?.(lease);
    const job: Job = { key, raw, attempt, signal, ...(transaction && { transaction }) };
    const end = work
      .run(job)
      .then(
        () => guarded(() => store.done(lease)),
        // Handed back by `stop`, or lost: there is nothing to write any more.
        (error: unknown) => signal.aborted || guarded(() => store.fail(lease, error)),
      )
      .then(() => {
        running.delete(lease.token);
        look();
      });
    running.set(lease.token, { lease, controller, end });
  }

  const renewal = setInterval(() => {
    const lost = guarded(() => store.renew([...running.keys()])) ?? [];
    for (const token of lost)
      running.get(token)?.controller.abort(new Error("The lease was lost."));
  }, RENEW_EVERY_MS);
  look();

  return {
    look,
    stop: async (timeoutMs) => {
      stopping = true;
      clearTimeout(timer);
      const ends = Promise.all([...running.values()].map(({ end }) => end));
      let late: ReturnType<typeof setTimeout> | undefined;
      const deadline = new Promise<void>((resolve) => {
        late = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([ends, deadline]);
      clearTimeout(late);
      clearInterval(renewal);
      for (const { lease, controller } of running.values()) {
        controller.abort(new Error("The receiver was stopped."));
        guarded(() => store.release(lease));
      }
    },
  };
}
