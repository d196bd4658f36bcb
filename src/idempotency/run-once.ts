import { isGatewayError } from "../errors/any.ts";
import { ConnectionError } from "../errors/connection.ts";
import { IdempotencyConflictError, OutcomeUnknownError } from "../errors/payment.ts";
import { quoteMasked } from "../internal/phone-digits.ts";
import type { Redactor } from "../internal/redact.ts";
import { sleep } from "../internal/timeout.ts";
import { checkBeginResult } from "./check-begin-result.ts";
import { createFence, type Fence, leaseMsFor } from "./fence.ts";
import { type Caller, type CurrentAttempt, SharedCall } from "./shared-call.ts";
import type {
  BeginResult,
  IdempotencyStore,
  InFlightResult,
  PaymentSignals,
  RecordedService,
  UnknownResult,
} from "./store.ts";
import { rememberUnknown } from "./unknown-attempts.ts";
import { writeBestEffort } from "./write-best-effort.ts";

/** A call that must happen at most once, no matter who makes it. */
export interface KeyedCall<T> extends Caller {
  readonly store: IdempotencyStore;
  readonly redactor: Redactor;
  /** In canonical form: other parameters under the same key are another call. */
  readonly parameters: string;
  readonly baseUrl: string;
  /** What the payment can be recognised by, if the call makes one. */
  readonly payment: PaymentSignals | undefined;
  /** Sends the request and checks the response. Asks the fence before each attempt. */
  perform(signal: AbortSignal, fence: Fence): Promise<T>;
  /** The result as the store remembers it. */
  encode(result: T): string;
  /** The result out of what the store remembered. */
  decode(result: string): T;
}

/** The name of a record in the store. */
export const recordName = (endpoint: string, key: string): string => `${endpoint} ${key}`;

/** Nothing is sent if the store fails: it could not prevent a second prompt. */
export const storeError = (message: string, cause: unknown): ConnectionError =>
  new ConnectionError(message, "not_sent", { cause });

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
        ? `with another \`scope\` of the store (${JSON.stringify(service.scope)})`
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
  const { call: shared, isNew } = SharedCall.findOrStart<T>(store, name, parameters, (started) =>
    runThroughStore(call, name, started),
  );
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
    // Before the lease begins, so that the fence closes before the lease is over.
    const fence = createFence(leaseMs);
    const found = await begin(call, name, owner, leaseMs);
    if (found.state === "begun") {
      shared.setCurrent(currentAttempt({ owner, ageMs: 0, leaseLeftMs: leaseMs }, true));
      return attempt(call, name, shared, owner, fence);
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
      redactor.cause(cause),
    );
  }
}

/** A record that was changed, or that a store of the user returned. */
function decodeStored<T>({ endpoint, key, redactor, decode }: KeyedCall<T>, result: string): T {
  try {
    return decode(result);
  } catch (cause) {
    throw storeError(
      `${endpoint}: the idempotency store holds a result for the idempotency key ${quoteMasked(key)} that cannot be read, so nothing was sent now. An earlier attempt may have happened. Look before you use another key.`,
      redactor.cause(cause),
    );
  }
}

async function attempt<T>(
  { store, perform, encode }: KeyedCall<T>,
  name: string,
  shared: SharedCall<T>,
  owner: string,
  fence: Fence,
): Promise<T> {
  const { signal } = shared;
  let result: T;
  let sent = false;
  try {
    // Every caller may have left while the store was slow.
    signal.throwIfAborted();
    sent = true;
    shared.outcome = "unknown";
    result = await perform(signal, fence);
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
