import type { Outcome } from "../errors/base.ts";
import { TimeoutError } from "../errors/connection.ts";
import { AttemptInFlightError } from "../errors/payment.ts";
import { quoteMasked } from "../internal/phone-digits.ts";
import type { IdempotencyStore } from "./store.ts";

/** One caller of a call. */
export interface Caller {
  /** Method and path. A key of one endpoint has nothing to do with the same key of another. */
  readonly endpoint: string;
  /** The idempotency key, as the caller gave it. */
  readonly key: string;
  readonly totalTimeoutMs: number;
  /** How long it waits for an attempt that it does not make itself. */
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface CurrentAttempt {
  readonly owner: string;
  /** Whether the call makes it; otherwise another process does. */
  readonly isOwn: boolean;
  readonly since: Date;
  readonly until: Date;
}

// By store, since a key is scoped by its store: gateways that share a store share its calls.
const IN_FLIGHT = new WeakMap<IdempotencyStore, Map<string, SharedCall<unknown>>>();

/** One call that several callers in this process wait for. */
export class SharedCall<T> {
  readonly parameters: string;
  /** What the call may have done so far: the outcome for a caller that leaves now. */
  outcome: Outcome = "not_sent";
  readonly #result: Promise<T>;
  readonly #controller = new AbortController();
  readonly #close: () => void;
  /** Called when the current attempt becomes known: callers that do not wait any longer for another's. */
  readonly #onAttempt = new Set<() => void>();
  #current: CurrentAttempt | undefined;
  #waiting = 0;

  private constructor(
    parameters: string,
    perform: (call: SharedCall<T>) => Promise<T>,
    close: () => void,
  ) {
    this.parameters = parameters;
    this.#close = close;
    // In a later turn, when the constructor has ended.
    this.#result = Promise.resolve().then(() => perform(this));
    this.#result.then(close, close);
  }

  /** The call that is in flight under a name, or else a new one (`isNew`). */
  static findOrStart<T>(
    store: IdempotencyStore,
    name: string,
    parameters: string,
    perform: (call: SharedCall<T>) => Promise<T>,
  ): { call: SharedCall<T>; isNew: boolean } {
    const calls = IN_FLIGHT.get(store) ?? new Map<string, SharedCall<unknown>>();
    IN_FLIGHT.set(store, calls);
    const found = calls.get(name);
    if (found !== undefined) return { call: found as SharedCall<T>, isNew: false };
    const started: SharedCall<T> = new SharedCall(parameters, perform, () => {
      // Another call may have started under the name since.
      if (calls.get(name) === started) calls.delete(name);
    });
    calls.set(name, started as SharedCall<unknown>);
    return { call: started, isNew: true };
  }

  /** Aborts when the last caller has left. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Says which attempt the call waits for now, or makes. */
  setCurrent(attempt: CurrentAttempt): void {
    this.#current = attempt;
    for (const onAttempt of this.#onAttempt) onAttempt();
  }

  /**
   * Waits for the call as one of its callers. The last caller that leaves ends it.
   *
   * @param started - Whether this caller started the call, so that its attempt is the caller's own.
   */
  join(caller: Caller, started: boolean): Promise<T> {
    const { endpoint, totalTimeoutMs, waitMs, signal } = caller;
    return new Promise((resolve, reject) => {
      this.#waiting++;
      const leave = (reason: unknown) => {
        reject(reason);
        stopWaiting();
        this.#waiting--;
        if (this.#waiting === 0) this.#abort(reason);
      };
      const onAbort = () => leave(signal?.reason);
      const leaveOthersAttempt = () => {
        const current = this.#current;
        if (current === undefined || (started && current.isOwn)) return false;
        leave(inFlightError(caller, current));
        return true;
      };
      const onTotalTimeout = () => {
        if (!leaveOthersAttempt()) leave(this.#timeoutError(endpoint, totalTimeoutMs));
      };
      const onWaitTimeout = () => {
        // Until it is known, there may be no other attempt: the store has not answered yet.
        if (!leaveOthersAttempt()) this.#onAttempt.add(leaveOthersAttempt);
      };
      const timer = setTimeout(onTotalTimeout, totalTimeoutMs);
      const waitTimer =
        waitMs > 0 && waitMs < totalTimeoutMs ? setTimeout(onWaitTimeout, waitMs) : undefined;
      const stopWaiting = () => {
        clearTimeout(timer);
        clearTimeout(waitTimer);
        this.#onAttempt.delete(leaveOthersAttempt);
        signal?.removeEventListener("abort", onAbort);
      };
      signal?.addEventListener("abort", onAbort);
      this.#result.then(resolve, reject).finally(stopWaiting);
      if (signal?.aborted) onAbort();
      else if (waitMs === 0) onWaitTimeout();
    });
  }

  #abort(reason: unknown): void {
    // Closed first: a caller that comes now asks the store, and does not get this caller's reason.
    this.#close();
    this.#controller.abort(reason);
  }

  #timeoutError(endpoint: string, totalTimeoutMs: number): TimeoutError {
    const nextStep =
      this.outcome === "unknown"
        ? "It may have happened: look before you send it again."
        : "Nothing was sent.";
    return new TimeoutError(
      `${endpoint}: there was no result within totalTimeoutMs (${totalTimeoutMs} ms). ${nextStep}`,
      this.outcome,
      totalTimeoutMs,
    );
  }
}

function inFlightError({ endpoint, key, waitMs }: Caller, current: CurrentAttempt) {
  const { owner, since, until } = current;
  return new AttemptInFlightError(
    `${endpoint}: another call has made an attempt with the idempotency key ${quoteMasked(key)} since ${since.toISOString()}, and it did not end while this call waited (${Math.round(waitMs)} ms). It ends at ${until.toISOString()} at the latest. Nothing was sent now. Make the call again later to get its result.`,
    { idempotencyKey: key, attempt: owner, since, until },
  );
}
