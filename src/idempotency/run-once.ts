import { isGatewayError } from "../errors/any.ts";
import {
  AttemptInFlightError,
  IdempotencyConflictError,
  OutcomeUnknownError,
} from "../errors/attempt.ts";
import { type Outcome, withKey } from "../errors/base.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { ConnectionError, TimeoutError } from "../errors/connection.ts";
import { quoteMasked } from "../internal/phone-digits.ts";
import type { Redactor } from "../internal/redact.ts";
import { sleep } from "../internal/timeout.ts";
import { type Deadline, deadlineOf, leaseMsFor } from "./deadline.ts";
import {
  type BeginResult,
  checkBeginResult,
  type IdempotencyStore,
  type InFlightResult,
  type MatchFields,
  type RecordedService,
  type UnknownResult,
  writeBestEffort,
} from "./idempotency-store.ts";
import { rememberUnknown } from "./unknown-attempts.ts";

/** One caller of a call. */
interface Caller {
  /** Method and path. A key of one endpoint has nothing to do with the same key of another. */
  readonly endpoint: string;
  /** The idempotency key, as the caller gave it. */
  readonly key: string;
  readonly totalTimeoutMs: number;
  /** How long it waits for an attempt that it does not make itself. */
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

interface CurrentAttempt {
  readonly owner: string;
  /** Whether the call makes it; otherwise another process does. */
  readonly isOwn: boolean;
  readonly since: Date;
  readonly until: Date;
}

// By store, since a key is scoped by its store: gateways that share a store share its calls.
const IN_FLIGHT = new WeakMap<IdempotencyStore, Map<string, SharedCall<unknown>>>();

/** One call that several callers in this process wait for. */
class SharedCall<T> {
  readonly parameters: string;
  /** What the call may have done so far: the outcome for a caller that leaves now. */
  outcome: Outcome = "not_sent";
  #result: Promise<T> | undefined;
  readonly #controller = new AbortController();
  readonly #close: () => void;
  /** Called when the current attempt becomes known: callers that do not wait any longer for another's. */
  readonly #onAttempt = new Set<() => void>();
  #current: CurrentAttempt | undefined;
  #waiting = 0;

  private constructor(parameters: string, close: () => void) {
    this.parameters = parameters;
    this.#close = close;
  }

  /** The call that is in flight under a name, or else a new one (`isNew`), whose result must be given at once. */
  static findOrStart<T>(
    store: IdempotencyStore,
    name: string,
    parameters: string,
  ): { call: SharedCall<T>; isNew: boolean } {
    const calls = IN_FLIGHT.get(store) ?? new Map<string, SharedCall<unknown>>();
    IN_FLIGHT.set(store, calls);
    const found = calls.get(name);
    if (found !== undefined) return { call: found as SharedCall<T>, isNew: false };
    const started: SharedCall<T> = new SharedCall(parameters, () => {
      // Another call may have started under the name since.
      if (calls.get(name) === started) calls.delete(name);
    });
    calls.set(name, started as SharedCall<unknown>);
    return { call: started, isNew: true };
  }

  /** What every caller waits for. */
  set result(result: Promise<T>) {
    this.#result = result;
    result.then(this.#close, this.#close);
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
      this.#result?.then(resolve, reject).finally(stopWaiting);
      if (signal?.aborted) onAbort();
      else if (waitMs === 0) onWaitTimeout();
    });
  }

  #abort(reason: unknown): void {
    // Closed first: a caller that comes now asks the store, and does not get this caller's reason.
    this.#close();
    this.#controller.abort(reason);
  }

  #timeoutError(endpoint: string, totalTimeoutMs: number): unknown {
    const nextStep =
      this.outcome === "unknown"
        ? "It may have happened: look before you send it again."
        : "Nothing was sent.";
    const error = new TimeoutError(
      `${endpoint}: there was no result within totalTimeoutMs (${totalTimeoutMs} ms). ${nextStep}`,
      this.outcome,
      totalTimeoutMs,
    );
    return withKey(error, this.outcome === "unknown" ? "taken" : "unknown");
  }
}

function inFlightError({ endpoint, key, waitMs }: Caller, current: CurrentAttempt) {
  const { owner, since, until } = current;
  return new AttemptInFlightError(
    `${endpoint}: another call has made an attempt with the idempotency key ${quoteMasked(key)} since ${since.toISOString()}, and it did not end while this call waited (${Math.round(waitMs)} ms). It ends at ${until.toISOString()} at the latest. Nothing was sent now. Make the call again later to get its result.`,
    { idempotencyKey: key, attempt: owner, since, until },
  );
}

/** A call that must happen at most once, no matter who makes it. */
export interface KeyedCall<T> extends Caller {
  readonly store: IdempotencyStore;
  readonly redactor: Redactor;
  /** In canonical form: other parameters under the same key are another call. */
  readonly parameters: string;
  readonly baseUrl: string;
  /** What the payment can be recognised by, if the call makes one. */
  readonly payment: MatchFields | undefined;
  /** Sends the request and checks the response. Asks the deadline before each attempt. */
  perform(signal: AbortSignal, deadline: Deadline): Promise<T>;
  /** The result as the store remembers it. */
  encode(result: T): string;
  /** The result out of what the store remembered. */
  decode(result: string): T;
}

/** The name of a record in the store. */
export const recordName = (endpoint: string, key: string): string => `${endpoint} ${key}`;

/** Nothing is sent if the store fails: it could not prevent a second prompt. */
export function storeError(message: string, thrown: unknown, redactor: Redactor): ConnectionError {
  // What a person must change, such as a password or a missing right.
  const reason = thrown instanceof ConfigurationError ? ` ${redactor.text(thrown.message)}` : "";
  return new ConnectionError(message + reason, "not_sent", { cause: redactor.cause(thrown) });
}

const conflictError = ({ endpoint, key }: KeyedCall<unknown>) =>
  new IdempotencyConflictError(
    `${endpoint}: the idempotency key ${quoteMasked(key)} was used with other parameters. Nothing was sent. Use a new key for a new order, and for a new try of a payment that failed.`,
    key,
  );

/** The same key at another service, or in another scope of the store, is another payment. */
const serviceError = (
  { endpoint, key, baseUrl }: KeyedCall<unknown>,
  service: RecordedService = {},
) => {
  const other =
    service.baseUrl === undefined
      ? "with another base URL or another `scope` of the store"
      : service.baseUrl === baseUrl
        ? "with another `scope` of the store"
        : `with another base URL (${service.baseUrl})`;
  return new IdempotencyConflictError(
    `${endpoint}: the idempotency key ${quoteMasked(key)} was used ${other}. This gateway uses ${baseUrl}. Nothing was sent. Give each service its own store, or its own \`scope\` of the store.`,
    key,
  );
};

const unknownError = ({ endpoint, key }: KeyedCall<unknown>, found: UnknownResult) => {
  const notSentFrom = new Date(Date.now() + found.notSentInMs);
  const look =
    found.notSentInMs > 0
      ? `Its request may be on its way until ${notSentFrom.toISOString()}, so look for the payment after that time.`
      : "Look for the payment.";
  return new OutcomeUnknownError(
    `${endpoint}: an earlier attempt with the idempotency key ${quoteMasked(key)} may have happened, so nothing was sent now. ${look} ` +
      'Then call gateway.idempotency.resolve(key, reference), or resolve(key, "not_sent") if there is none.',
    key,
    found.owner,
    notSentFrom,
  );
};

/**
 * Makes a call once for its key. Callers in this process share one call, callers in other processes
 * get its result, and a call that may have happened is never repeated.
 *
 * @throws {IdempotencyConflictError} if the key was used with other parameters.
 * @throws {OutcomeUnknownError} if an earlier attempt may have happened.
 * @throws {ConnectionError} with the outcome `not_sent`, if the store fails.
 */
export async function runOnce<T>(call: KeyedCall<T>): Promise<T> {
  const { store, parameters, endpoint, key } = call;
  const name = recordName(endpoint, key);
  const { call: shared, isNew } = SharedCall.findOrStart<T>(store, name, parameters);
  if (isNew) shared.result = runThroughStore(call, name, shared);
  if (shared.parameters !== parameters) throw conflictError(call);
  return shared.join(call, isNew);
}

const MIN_POLL_MS = 50;
const MAX_POLL_MS = 1_000;

/** How long to wait before the next look at an attempt of another process: longer each time. */
const pollDelayMs = (polls: number) =>
  Math.min(MAX_POLL_MS, MIN_POLL_MS * 1.5 ** polls) * (1 + Math.random() / 4);

/** A call that waits for longer than most calls take prints a warning: the other process may be dead. */
const WARN_AFTER_MS = 5_000;

function warnOfWait({ endpoint, key }: KeyedCall<unknown>, found: InFlightResult): void {
  const { since, until } = currentAttempt(found, false);
  // biome-ignore lint/suspicious/noConsole: the call waits for up to a minute, and no error says why.
  console.warn(
    `malipo: ${endpoint} waits for the attempt ${found.owner} of another process with the idempotency key ${quoteMasked(key)}. It began at ${since.toISOString()}. If that process was killed, its outcome is unknown from ${until.toISOString()} on.`,
  );
}

/** Makes the call, or waits for another process that makes it and takes over its result. */
async function runThroughStore<T>(
  call: KeyedCall<T>,
  name: string,
  shared: SharedCall<T>,
): Promise<T> {
  const owner = globalThis.crypto.randomUUID();
  const leaseMs = leaseMsFor(call.totalTimeoutMs);
  const startedAt = performance.now();
  let hasWarned = false;
  for (let polls = 0; ; polls++) {
    // Before the lease begins, so that the deadline comes before the lease is over.
    const deadline = deadlineOf(leaseMs);
    const found = await begin(call, name, owner, leaseMs);
    if (found.state === "begun") {
      shared.setCurrent(currentAttempt({ owner, ageMs: 0, leaseLeftMs: leaseMs }, true));
      return attempt(call, name, shared, owner, deadline);
    }
    if (!found.sameService) throw serviceError(call, found.service);
    if (!found.sameParameters) throw conflictError(call);
    if (found.state === "succeeded") return decodeStored(call, found.result);
    if (found.state === "unknown") {
      rememberUnknown(call.store, name, found.owner);
      throw unknownError(call, found);
    }
    // Another process makes the call now.
    if (!hasWarned && performance.now() - startedAt >= WARN_AFTER_MS) {
      hasWarned = true;
      warnOfWait(call, found);
    }
    shared.setCurrent(currentAttempt(found, false));
    if (!(await sleep(pollDelayMs(polls), shared.signal))) throw shared.signal.reason;
  }
}

function currentAttempt(
  { owner, ageMs, leaseLeftMs }: Pick<InFlightResult, "owner" | "ageMs" | "leaseLeftMs">,
  isOwn: boolean,
): CurrentAttempt {
  const now = Date.now();
  return { owner, isOwn, since: new Date(now - ageMs), until: new Date(now + leaseLeftMs) };
}

async function begin(
  { store, redactor, endpoint, key, parameters, baseUrl, payment }: KeyedCall<unknown>,
  name: string,
  owner: string,
  leaseMs: number,
): Promise<BeginResult> {
  const attempt = {
    parameters,
    owner,
    leaseMs,
    endpoint,
    idempotencyKey: key,
    baseUrl,
    ...(payment && { payment }),
  };
  try {
    return checkBeginResult(await store.begin(name, attempt));
  } catch (cause) {
    // The store may have written the record before it failed.
    await writeBestEffort(() => store.forget(name, owner));
    throw storeError(
      `${endpoint}: the idempotency store failed, so nothing was sent. The call may be made again.`,
      cause,
      redactor,
    );
  }
}

/** A record that was changed, or that a store of the user returned. */
function decodeStored<T>({ endpoint, key, redactor, decode }: KeyedCall<T>, result: string): T {
  try {
    return decode(result);
  } catch (cause) {
    const error = storeError(
      `${endpoint}: the idempotency store holds a result for the idempotency key ${quoteMasked(key)} that cannot be read, so nothing was sent now. An earlier attempt may have happened. Look before you use another key.`,
      cause,
      redactor,
    );
    throw withKey(error, "taken");
  }
}

async function attempt<T>(
  { store, perform, encode }: KeyedCall<T>,
  name: string,
  shared: SharedCall<T>,
  owner: string,
  deadline: Deadline,
): Promise<T> {
  const { signal } = shared;
  let result: T;
  let sent = false;
  let isLate = false;
  const onTime: Deadline = () => {
    const reason = deadline();
    isLate = reason !== undefined;
    return reason;
  };
  try {
    // Every caller may have left while the store was slow.
    signal.throwIfAborted();
    sent = true;
    shared.outcome = "unknown";
    result = await perform(signal, onTime);
  } catch (error) {
    const mayHaveHappened = sent && (!isGatewayError(error) || error.outcome === "unknown");
    if (mayHaveHappened) rememberUnknown(store, name, owner);
    const isWritten = await writeBestEffort(() =>
      mayHaveHappened ? store.finish(name, owner, { state: "unknown" }) : store.forget(name, owner),
    );
    // After the lease, another attempt may have begun.
    const isFree = isWritten && !isLate;
    throw withKey(error, mayHaveHappened ? "taken" : isFree ? "free" : "unknown");
  }
  await writeBestEffort(() =>
    store.finish(name, owner, { state: "succeeded", result: encode(result) }),
  );
  return result;
}
