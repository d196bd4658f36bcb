import { isGatewayError } from "../../errors/any.ts";
import { ConnectionError } from "../../errors/connection.ts";
import { IdempotencyConflictError, OutcomeUnknownError } from "../../errors/payment.ts";
import { sleep } from "../../internal/timeout.ts";
import { SharedCall } from "./shared-call.ts";
import type { BeginResult, IdempotencyStore } from "./store.ts";
import { rememberUnknown } from "./unknown-attempts.ts";
import { writeBestEffort } from "./write-best-effort.ts";

/** A call that must happen at most once, whoever makes it. */
export interface KeyedCall<T> {
  readonly store: IdempotencyStore;
  /** The idempotency key, as the caller gave it. */
  readonly key: string;
  /** Method and path. A key of one endpoint has nothing to do with the same key of another. */
  readonly endpoint: string;
  /** In canonical form: other parameters under the same key are another call. */
  readonly parameters: string;
  readonly totalTimeoutMs: number;
  /** Sends the request and checks the response. */
  perform(signal: AbortSignal): Promise<T>;
  /** The result as the store keeps it. */
  encode(result: T): string;
  /** The result out of what the store kept. */
  decode(result: string): T;
}

/** The name of a record in the store. */
export const recordName = (endpoint: string, key: string): string => `${endpoint} ${key}`;

/** Nothing is sent where the store fails: it could not prevent a second prompt. */
export const storeError = (message: string, cause: unknown): ConnectionError =>
  new ConnectionError(message, "not_sent", { cause });

const conflictError = ({ endpoint, key }: KeyedCall<unknown>) =>
  new IdempotencyConflictError(
    `${endpoint}: the idempotency key ${JSON.stringify(key)} was used with other parameters. Nothing was sent. Use a new key for a new order, and for a new try of a payment that failed.`,
    key,
  );

const unknownError = ({ endpoint, key }: KeyedCall<unknown>, owner: string) =>
  new OutcomeUnknownError(
    `${endpoint}: an earlier attempt with the idempotency key ${JSON.stringify(key)} may have happened, so nothing was sent now. ` +
      'Find out whether it happened, then call gateway.idempotency.resolve(key, reference), or resolve(key, "not_sent") if it did not.',
    key,
    owner,
  );

/**
 * Makes a call once for its key. Callers in this process share one call, callers in other processes
 * get its result, and a call that may have happened is never repeated.
 *
 * @throws {IdempotencyConflictError} where the key was used with other parameters.
 * @throws {OutcomeUnknownError} where an earlier attempt may have happened.
 * @throws {ConnectionError} with the outcome `not_sent`, where the store fails.
 */
export async function runOnce<T>(call: KeyedCall<T>, signal: AbortSignal | undefined): Promise<T> {
  const { store, parameters, endpoint, totalTimeoutMs } = call;
  const name = recordName(endpoint, call.key);
  const shared = SharedCall.findOrStart<T>(store, name, parameters, (started) =>
    runThroughStore(call, name, started),
  );
  if (shared.parameters !== parameters) throw conflictError(call);
  return shared.join({ endpoint, totalTimeoutMs, signal });
}

/** Added to the time limit of a call: an attempt that is not finished by then has lost its process. */
const LEASE_MARGIN_MS = 10_000;

const MIN_POLL_MS = 50;
const MAX_POLL_MS = 1_000;

/** How long to wait before the next look at an attempt of another process: longer each time. */
const pollDelayMs = (polls: number) =>
  Math.min(MAX_POLL_MS, MIN_POLL_MS * 1.5 ** polls) * (1 + Math.random() / 4);

/** Makes the call, or waits for another process that makes it and takes over its result. */
async function runThroughStore<T>(
  call: KeyedCall<T>,
  name: string,
  shared: SharedCall<T>,
): Promise<T> {
  const owner = globalThis.crypto.randomUUID();
  for (let polls = 0; ; polls++) {
    const found = await begin(call, name, owner);
    if (found.state === "begun") return attempt(call, name, shared, owner);
    if (!found.sameParameters) throw conflictError(call);
    if (found.state === "succeeded") return call.decode(found.result);
    if (found.state === "unknown") {
      rememberUnknown(call.store, name, found.owner);
      throw unknownError(call, found.owner);
    }
    // Another process makes the call now.
    shared.outcome = "unknown";
    if (!(await sleep(pollDelayMs(polls), shared.signal))) throw shared.signal.reason;
  }
}

async function begin(
  { store, endpoint, parameters, totalTimeoutMs }: KeyedCall<unknown>,
  name: string,
  owner: string,
): Promise<BeginResult> {
  const leaseMs = totalTimeoutMs + LEASE_MARGIN_MS;
  try {
    return await store.begin(name, { parameters, owner, leaseMs });
  } catch (cause) {
    // The store may have written the record before it failed.
    await writeBestEffort(() => store.forget(name, owner));
    throw storeError(
      `${endpoint}: the idempotency store failed, so nothing was sent. The call may be made again.`,
      cause,
    );
  }
}

async function attempt<T>(
  { store, perform, encode }: KeyedCall<T>,
  name: string,
  shared: SharedCall<T>,
  owner: string,
): Promise<T> {
  const { signal } = shared;
  let result: T;
  let sent = false;
  try {
    // Every caller may have left while the store was slow.
    signal.throwIfAborted();
    sent = true;
    shared.outcome = "unknown";
    result = await perform(signal);
  } catch (error) {
    const mayHaveHappened = sent && (!isGatewayError(error) || error.outcome === "unknown");
    if (mayHaveHappened) rememberUnknown(store, name, owner);
    await writeBestEffort(() =>
      mayHaveHappened ? store.finish(name, owner, { state: "unknown" }) : store.forget(name, owner),
    );
    throw error;
  }
  await writeBestEffort(() =>
    store.finish(name, owner, { state: "succeeded", result: encode(result) }),
  );
  return result;
}
