import type { Payment } from "../../contract/payment.ts";
import { addUpdate, isFinal } from "../../contract/payment-state.ts";
import { type AnyGatewayError, isGatewayError } from "../../errors/any.ts";
import { PaymentPendingError } from "../../errors/payment.ts";
import { checkOptions } from "../../internal/check-options.ts";
import type { Semaphore } from "../../internal/semaphore.ts";
import { sleep } from "../../internal/timeout.ts";
import { callHook } from "../hooks.ts";
import type { CallOptions } from "../options.ts";
import type { Wake } from "../wakeups/local.ts";
import { nextReadInMs } from "./poll-schedule.ts";
import { readInTurn } from "./read-turns.ts";
import { WAIT_OPTIONS, type WaitOptions } from "./wait-options.ts";

/** What a wait knows so far. */
interface WaitState {
  payment: Payment | undefined;
  /** Why the last read failed; `undefined` if it did not. */
  failure: unknown;
}

/** What all waits of a gateway share. */
export interface Waits {
  readonly turns: Semaphore;
  /** The default of the option `wake`. */
  readonly wake: Wake | undefined;
}

/** A payment may be read before the service has stored it: a 404 is not final in this time. */
const NOT_FOUND_GRACE_MS = 10_000;

/** After these the next read may succeed. */
const PASSING: readonly string[] = [
  "connection",
  "timeout",
  "server",
  "rate_limit",
  "unexpected_response",
];

/** Whether the wait goes on after a failed read. */
function mayPass(error: AnyGatewayError, elapsedMs: number, known: Payment | undefined): boolean {
  const { code, outcome } = error;
  return (
    PASSING.includes(code) ||
    (code === "api" && outcome === "unknown") ||
    (code === "not_found" && elapsedMs < NOT_FOUND_GRACE_MS) ||
    // Once a read has succeeded, the reference can be sent: the response is about another payment.
    (code === "invalid_params" && known !== undefined)
  );
}

/**
 * Reads the payment once and updates the state.
 *
 * @returns How long the service asked to wait before the next read, in milliseconds.
 */
async function readOnce(
  read: () => Promise<Payment>,
  state: WaitState,
  { signal, onUpdate }: WaitOptions,
  elapsedMs: () => number,
): Promise<number> {
  try {
    const before = state.payment?.status;
    const payment = addUpdate(state.payment, await read());
    state.payment = payment;
    state.failure = undefined;
    if (payment.status !== before) callHook(onUpdate, () => payment);
    return 0;
  } catch (error) {
    signal?.throwIfAborted();
    if (!isGatewayError(error) || !mayPass(error, elapsedMs(), state.payment)) throw error;
    state.failure = error;
    return (error as { retryAfterMs?: number }).retryAfterMs ?? 0;
  }
}

/**
 * Reads a payment until it reaches a final status: often at first, then less often, and at once after
 * a wake-up. Goes on after failures that may pass; rejects if the service rejects the read.
 *
 * @throws {PaymentPendingError} at the time limit, with the payment as it was last read.
 */
export async function waitForFinalStatus(
  { turns, wake: defaultWake }: Waits,
  read: (options: CallOptions) => Promise<Payment>,
  reference: string,
  given: WaitOptions = {},
): Promise<Payment> {
  const options = checkOptions(given, WAIT_OPTIONS, "waitFor");
  const { signal, wake = defaultWake, headers, finalStatuses, timeoutMs, waitMs } = options;
  const endsWait = ({ status }: Payment) => isFinal(status) || finalStatuses.includes(status);
  const started = performance.now();
  const elapsedMs = () => performance.now() - started;
  // Aborted to end the sleep. A wake-up between two sleeps ends the next one at once.
  let alarm = new AbortController();
  const lookNow = () => alarm.abort();
  const state: WaitState = { payment: undefined, failure: undefined };
  const leftMs = () => Math.max(waitMs - elapsedMs(), 1);
  const readNow = () =>
    read({
      signal,
      headers,
      timeoutMs,
      // This loop is the retry.
      maxRetries: 0,
      totalTimeoutMs: leftMs(),
    });
  const readNext = () => readInTurn(turns, readNow, leftMs(), signal);

  // If that fails, the reads still come.
  const unsubscribe = callHook(
    (look: () => void) => wake?.(reference, look),
    () => lookNow,
  );
  signal?.addEventListener("abort", lookNow);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const retryAfterMs = await readOnce(readNext, state, options, elapsedMs);
      if (state.payment !== undefined && endsWait(state.payment)) return state.payment;
      const elapsed = elapsedMs();
      const restMs = waitMs - elapsed;
      const nextMs = Math.max(nextReadInMs(elapsed, waitMs) ?? restMs, retryAfterMs);
      if (restMs > 0) {
        // Rounded up: a timer that ends early would come before what it waits for.
        await sleep(Math.ceil(Math.min(nextMs, restMs)), alarm.signal);
        alarm = new AbortController();
      }
      signal?.throwIfAborted();
      if (elapsedMs() >= waitMs) throw pendingError(reference, state, waitMs);
    }
  } finally {
    callHook(unsubscribe, () => undefined);
    signal?.removeEventListener("abort", lookNow);
  }
}

function pendingError(
  reference: string,
  { payment, failure }: WaitState,
  waitMs: number,
): PaymentPendingError<Payment> {
  const status = payment === undefined ? "could not be read" : `is ${payment.status}`;
  return new PaymentPendingError(
    `The payment ${reference} ${status} after ${Math.round(waitMs)} ms. This is not a failure: it may still be paid. Keep the reference and look again later.`,
    reference,
    payment,
    failure === undefined ? undefined : { cause: failure },
  );
}
