import { type Job, type Pace, STANDARD_PACE, type Transaction, type Work } from "./types.ts";

/** A delivery that is this process's to work, for a while. */
export interface Lease {
  readonly key: string;
  readonly raw: Uint8Array;
  readonly attempt: number;
  /** Names the lease: nothing is written under another's. */
  readonly token: string;
}

/** How a lease ends. `released`: handed back, as if it had not been taken. */
export type Ended =
  | { readonly lease: Lease; readonly as: "done" }
  | { readonly lease: Lease; readonly as: "released" }
  | { readonly lease: Lease; readonly as: "failed"; readonly error: unknown };

// Workers have no `setImmediate`.
const afterThisTurn = (work: () => void): unknown =>
  typeof setImmediate === "function" ? setImmediate(work) : setTimeout(work);

/** A store that hands out its deliveries by leases. Each method is atomic. */
export interface LeaseStore {
  /** Writes how leases ended, and leases up to `count` of what is due. */
  turn(ended: readonly Ended[], count: number): Lease[];
  /** Makes leases last longer. Gives the tokens of those that are lost. */
  renew(tokens: readonly string[]): string[];
  /** When something falls due next; infinite where nothing does. */
  nextDueInMs(): number;
  /** Whether it is storing what comes in, which goes first, and has us look when it has done so. */
  isBusy?(): boolean;
  /** A transaction in which the lease is done, where the store has such. */
  transaction?(lease: Lease): Transaction;
}

// Another process may put something in, or die over something, without this one being told.
const LOOK_EVERY_MS = 500;
// A store that fails now may work later. Until then, leases are renewed and nothing is forgotten.
const TRY_AGAIN_MS = 2_000;

/** Works off a store of leases. */
export interface LeaseWorker {
  /** There may be something to do: writes what has ended, and takes what is due, at once. */
  look(): void;
  stop(timeoutMs: number): Promise<void>;
}

/** A lease that is being worked. */
interface Running {
  readonly lease: Lease;
  readonly controller: AbortController;
  /** Its own transaction has written "done", or another process has it: there is nothing to write. */
  over: boolean;
  end: Promise<void>;
}

export function startLeaseWorker(
  store: LeaseStore,
  { run, concurrency, onError }: Work,
  { leaseMs }: Pace = STANDARD_PACE,
): LeaseWorker {
  const running = new Map<string, Running>();
  let ended: Ended[] = [];
  let life: "working" | "stopping" | "stopped" = "working";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let soon = false;

  function look(): void {
    if (life === "stopped") return;
    clearTimeout(timer);
    const written = ended;
    ended = [];
    let nextMs = LOOK_EVERY_MS;
    try {
      const free = concurrency - running.size + written.length;
      const leases = store.turn(written, life === "working" ? free : 0);
      for (const { lease } of written) running.delete(lease.token);
      for (const lease of leases) begin(lease);
      if (running.size < concurrency) nextMs = Math.min(nextMs, store.nextDueInMs());
    } catch (error) {
      ended = written;
      nextMs = TRY_AGAIN_MS;
      onError(error);
    }
    timer = setTimeout(look, Math.max(nextMs, 1));
  }

  /** All that ends in this turn of the event loop is written at once. */
  function lookSoon(): void {
    if (soon || store.isBusy?.()) return;
    soon = true;
    afterThisTurn(() => {
      soon = false;
      look();
    });
  }

  function begin(lease: Lease): void {
    const controller = new AbortController();
    const { key, raw, attempt, token } = lease;
    const working: Running = { lease, controller, over: false, end: Promise.resolve() };
    const inTransaction = store.transaction?.(lease);
    const transaction: Transaction | undefined =
      inTransaction &&
      (async (write) => {
        const result = await inTransaction(write);
        working.over = true;
        return result;
      });
    const finish = (end: Ended) => {
      if (working.over) running.delete(token);
      else ended.push(end);
      lookSoon();
    };
    const { signal } = controller;
    working.end = run({
      key,
      raw,
      attempt,
      signal,
      ...(transaction && { transaction }),
    } satisfies Job).then(
      () => finish({ lease, as: "done" }),
      (error: unknown) => finish({ lease, as: "failed", error }),
    );
    running.set(token, working);
  }

  const renewal = setInterval(() => {
    const held = [...running.values()].filter(({ over }) => !over);
    if (held.length === 0) return;
    try {
      const lost = store.renew(held.map(({ lease }) => lease.token));
      for (const token of lost) {
        const working = running.get(token) as Running;
        working.over = true;
        working.controller.abort(
          new Error("The lease was lost: another process works this event."),
        );
      }
    } catch (error) {
      onError(error);
    }
  }, leaseMs / 3);
  look();

  return {
    look,
    stop: async (timeoutMs) => {
      life = "stopping";
      const ends = Promise.all([...running.values()].map(({ end }) => end));
      let late: ReturnType<typeof setTimeout> | undefined;
      const deadline = new Promise<void>((resolve) => {
        late = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([ends, deadline]);
      clearTimeout(late);
      const written = new Set(ended.map(({ lease }) => lease.token));
      for (const { lease, controller, over } of running.values()) {
        if (written.has(lease.token)) continue;
        if (!over) ended.push({ lease, as: "released" });
        controller.abort(new Error("The receiver was stopped."));
      }
      look();
      life = "stopped";
      clearTimeout(timer);
      clearInterval(renewal);
    },
  };
}
