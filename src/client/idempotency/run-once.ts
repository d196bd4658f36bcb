import { isGatewayError } from "../../errors/any.ts";
import type { Outcome } from "../../errors/base.ts";
import { ConnectionError, TimeoutError } from "../../errors/connection.ts";
import { IdempotencyConflictError, OutcomeUnknownError } from "../../errors/payment.ts";
import { sleep } from "../../internal/timeout.ts";
import type { IdempotencyStore, Standing } from "./store.ts";

/** One call that must happen once, whoever makes it. */
export interface KeyedCall<T> {
  readonly store: IdempotencyStore;
  /** As the caller gave it. */
  readonly key: string;
  /** Method and path: a key of one endpoint says nothing of another. */
  readonly endpoint: string;
  /** Canonical: what tells this call from another under the same key. */
  readonly parameters: string;
  readonly totalTimeoutMs: number;
  /** Sends, and checks the answer. */
  perform(signal: AbortSignal): Promise<T>;
  /** A result as the store keeps it, and back. */
  encode(result: T): string;
  decode(result: string): T;
}

/** A call under way, and how many callers wait for it. */
interface Shared<T> {
  readonly parameters: string;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  /** What leaving now would mean. */
  outcome: Outcome;
  waiting: number;
  /** Nobody joins it any more. */
  close(): void;
}

// By store, since a key is scoped by its store: two gateways that share one share its calls.
const UNDER_WAY = new WeakMap<IdempotencyStore, Map<string, Shared<unknown>>>();

// The last unknown attempt that this process was told of, by its key: whoever looked at that one must
// not close another that has begun since.
const SEEN = new WeakMap<IdempotencyStore, Map<string, string>>();
const MOST_SEEN = 10_000;

/** The attempt that this process knows to be of unknown outcome. */
export const attemptSeen = (store: IdempotencyStore, name: string): string | undefined =>
  SEEN.get(store)?.get(name);

function sawUnknown(store: IdempotencyStore, name: string, owner: string): void {
  const seen = SEEN.get(store) ?? new Map<string, string>();
  SEEN.set(store, seen);
  seen.delete(name);
  seen.set(name, owner);
  for (const oldest of seen.keys()) {
    if (seen.size <= MOST_SEEN) break;
    seen.delete(oldest);
  }
}

/** The name of a record. */
export const recordKey = (endpoint: string, key: string): string => `${endpoint} ${key}`;

/**
 * Makes a call once for its key: callers in this process share one call, callers elsewhere get its
 * result, and what may have happened is never repeated.
 *
 * @throws {IdempotencyConflictError} where the key was used with other parameters.
 * @throws {OutcomeUnknownError} where an earlier attempt may have happened.
 * @throws {ConnectionError} `not_sent`, where the store fails: no store, no prompt.
 */
export async function onePerKey<T>(
  call: KeyedCall<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const calls = UNDER_WAY.get(call.store) ?? new Map<string, Shared<unknown>>();
  UNDER_WAY.set(call.store, calls);
  const name = recordKey(call.endpoint, call.key);
  let shared = calls.get(name) as Shared<T> | undefined;
  if (shared === undefined) {
    const begun = begin(call, name, () => {
      if (calls.get(name) === begun) calls.delete(name);
    });
    calls.set(name, begun);
    begun.result.then(begun.close, begun.close);
    shared = begun;
  } else if (shared.parameters !== call.parameters) {
    throw conflict(call);
  }
  return join(shared, call, signal);
}

/** Waits for a call as one of its callers. The last one to leave ends it. */
function join<T>(
  shared: Shared<T>,
  { endpoint, totalTimeoutMs }: KeyedCall<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    shared.waiting++;
    const leave = (reason: unknown) => {
      reject(reason);
      stop();
      if (--shared.waiting > 0) return;
      // Who comes now asks the store, and is not told of an abort that is not theirs.
      shared.close();
      shared.controller.abort(reason);
    };
    const onAbort = () => leave(signal?.reason);
    const timer = setTimeout(() => {
      const { outcome } = shared;
      const way = outcome === "unknown" ? "Look before sending again." : "Nothing was sent.";
      const what = `${endpoint}: no result within totalTimeoutMs (${totalTimeoutMs} ms). ${way}`;
      leave(new TimeoutError(what, outcome, totalTimeoutMs));
    }, totalTimeoutMs);
    const stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort);
    shared.result.then(resolve, reject).finally(stop);
    if (signal?.aborted) onAbort();
  });
}

function begin<T>(call: KeyedCall<T>, name: string, close: () => void): Shared<T> {
  const controller = new AbortController();
  const shared: Shared<T> = {
    parameters: call.parameters,
    // Later, when `shared` is there to be written to.
    result: Promise.resolve().then(() => run(call, name, shared)),
    controller,
    outcome: "not_sent",
    waiting: 0,
    close,
  };
  return shared;
}

/** Longer than a call can take: an attempt that is not finished by then is nobody's any more. */
const GRACE_MS = 10_000;

async function run<T>(call: KeyedCall<T>, name: string, shared: Shared<T>): Promise<T> {
  const { store, parameters, key } = call;
  const { signal } = shared.controller;
  const owner = globalThis.crypto.randomUUID();
  const leaseMs = call.totalTimeoutMs + GRACE_MS;
  for (let polls = 0; ; polls++) {
    let standing: Standing;
    try {
      standing = await store.begin(name, { parameters, owner, leaseMs });
    } catch (cause) {
      // It may have been written all the same.
      await written(() => store.forget(name, owner));
      const what = "the idempotency store failed, so nothing was sent. It may be sent again.";
      throw storeFailed(`${call.endpoint}: ${what}`, cause);
    }
    if (standing.state === "begun") return attempt(call, name, shared, owner);
    if (!standing.sameParameters) throw conflict(call);
    if (standing.state === "succeeded") return call.decode(standing.result);
    if (standing.state === "unknown") {
      sawUnknown(store, name, standing.owner);
      throw new OutcomeUnknownError(
        `${call.endpoint}: an earlier attempt under the idempotency key ${JSON.stringify(key)} may have happened, so nothing was sent now. ` +
          'Look whether it did, then close it: gateway.idempotency.resolve(key, reference), or "not_sent".',
        key,
        standing.owner,
      );
    }
    // Another process is at it: wait for what comes of that.
    shared.outcome = "unknown";
    if (!(await sleep(pollInMs(polls), signal))) throw signal.reason;
  }
}

const pollInMs = (polls: number) => Math.min(1_000, 50 * 1.5 ** polls) * (1 + Math.random() / 4);

async function attempt<T>(
  { store, perform, encode }: KeyedCall<T>,
  name: string,
  shared: Shared<T>,
  owner: string,
): Promise<T> {
  const { signal } = shared.controller;
  let result: T;
  let sent = false;
  try {
    // Whoever asked may have left while the store was slow.
    if (signal.aborted) throw signal.reason;
    sent = true;
    shared.outcome = "unknown";
    result = await perform(signal);
  } catch (error) {
    const mayHaveHappened = sent && (!isGatewayError(error) || error.outcome === "unknown");
    if (mayHaveHappened) sawUnknown(store, name, owner);
    await written(() =>
      mayHaveHappened ? store.finish(name, owner, { state: "unknown" }) : store.forget(name, owner),
    );
    throw error;
  }
  await written(() => store.finish(name, owner, { state: "succeeded", result: encode(result) }));
  return result;
}

const WRITE_TRIES = 3;
const LONGEST_WRITE_MS = 1_000;

/**
 * Writes down how an attempt ended, as well as that goes. A store that fails now must not take the
 * result from the caller; what it does not learn stands as unknown once the lease is over.
 */
function written(write: () => Promise<void>): Promise<void> {
  const writing = (async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await write();
      } catch {
        if (tries === WRITE_TRIES) return;
        await sleep(100 * tries, undefined);
      }
    }
  })();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WRITE_MS);
    void writing.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** No store, no prompt. */
export const storeFailed = (message: string, cause: unknown): ConnectionError =>
  new ConnectionError(message, "not_sent", { cause });

const conflict = ({ endpoint, key }: KeyedCall<unknown>) =>
  new IdempotencyConflictError(
    `${endpoint}: the idempotency key ${JSON.stringify(key)} was used with other parameters. Nothing was sent. A new order, or a new try of a failed one, needs a new key.`,
    key,
  );
