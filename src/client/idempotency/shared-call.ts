import type { Outcome } from "../../errors/base.ts";
import { TimeoutError } from "../../errors/connection.ts";
import type { IdempotencyStore } from "./store.ts";

/** One of the callers that wait for a call. */
export interface Caller {
  /** The endpoint that it called, for its error message. */
  readonly endpoint: string;
  readonly totalTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
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

  /** The call that is in flight under a name, or else a new one. */
  static findOrStart<T>(
    store: IdempotencyStore,
    name: string,
    parameters: string,
    perform: (call: SharedCall<T>) => Promise<T>,
  ): SharedCall<T> {
    const calls = IN_FLIGHT.get(store) ?? new Map<string, SharedCall<unknown>>();
    IN_FLIGHT.set(store, calls);
    const found = calls.get(name);
    if (found !== undefined) return found as SharedCall<T>;
    const started: SharedCall<T> = new SharedCall(parameters, perform, () => {
      // Another call may have started under the name since.
      if (calls.get(name) === started) calls.delete(name);
    });
    calls.set(name, started as SharedCall<unknown>);
    return started;
  }

  /** Aborts when the last caller has left. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for the call as one of its callers. The last caller that leaves ends it. */
  join({ endpoint, totalTimeoutMs, signal }: Caller): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting++;
      const leave = (reason: unknown) => {
        reject(reason);
        stopWaiting();
        this.#waiting--;
        if (this.#waiting === 0) this.#abort(reason);
      };
      const onAbort = () => leave(signal?.reason);
      const timer = setTimeout(
        () => leave(this.#timeoutError(endpoint, totalTimeoutMs)),
        totalTimeoutMs,
      );
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      signal?.addEventListener("abort", onAbort);
      this.#result.then(resolve, reject).finally(stopWaiting);
      if (signal?.aborted) onAbort();
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
