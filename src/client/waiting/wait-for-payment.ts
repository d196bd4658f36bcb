import type { Payment } from "../../contract/payment.ts";
import { isFinal, mergePayment } from "../../contract/payment-state.ts";
import { isGatewayError } from "../../errors/any.ts";
import { PaymentPendingError } from "../../errors/payment.ts";
import { callHook } from "../hooks.ts";
import type { CallOptions } from "../options.ts";
import { nextReadInMs } from "./poll-schedule.ts";
import type { ReadTurns } from "./read-turns.ts";
import { checkWaitOptions, type WaitOptions } from "./wait-options.ts";
import { createWakeableSleep } from "./wakeable-sleep.ts";
import type { Wake } from "./wakeups/local.ts";

/** What a wait knows so far. */
interface WaitState {
  payment: Payment | undefined;
  /** Why the last read failed; `undefined` if it did not. */
  failure: unknown;
}

/** A payment may be read before the service has stored it: a 404 is not final in this time. */
const NOT_FOUND_GRACE_MS = 10_000;

/** The error that ends the wait after a failed read; `undefined` where the wait goes on. */
function terminalErrorOf(error: unknown, elapsedMs: number, known: Payment | undefined): unknown {
  if (!isGatewayError(error)) return error;
  switch (error.code) {
    // The reference cannot be sent. Once a read has succeeded, the response is about another payment.
    case "invalid_params":
      return known === undefined ? error : undefined;
    // The next read may succeed.
    case "connection":
    case "timeout":
    case "server":
    case "rate_limit":
    case "unexpected_response":
      return undefined;
    case "not_found":
      return elapsedMs < NOT_FOUND_GRACE_MS ? undefined : error;
    case "api":
      return error.outcome === "unknown" ? undefined : error;
    default:
      return error;
  }
}

/** Subscribes to wake-ups. If that fails, the reads still come, so nothing is thrown. */
function subscribe(wakeUp: Wake, reference: string, wake: () => void): () => void {
  let unsubscribe: (() => void) | undefined;
  try {
    unsubscribe = wakeUp(reference, wake);
  } catch {}
  return () => {
    callHook(unsubscribe, () => undefined);
  };
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
    const { payment, changed } = mergePayment(state.payment, await read());
    state.payment = payment;
    state.failure = undefined;
    if (changed) callHook(onUpdate, () => payment);
    return 0;
  } catch (error) {
    signal?.throwIfAborted();
    const terminalError = terminalErrorOf(error, elapsedMs(), state.payment);
    if (terminalError !== undefined) throw terminalError;
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
  turns: ReadTurns,
  read: (options: CallOptions) => Promise<Payment>,
  reference: string,
  given: WaitOptions = {},
): Promise<Payment> {
  const options = checkWaitOptions(given, "waitFor");
  const { signal, wake, headers, finalStatuses = [], timeoutMs, waitMs } = options;
  const endsWait = ({ status }: Payment) => isFinal(status) || finalStatuses.includes(status);
  const started = performance.now();
  const elapsedMs = () => performance.now() - started;
  const sleep = createWakeableSleep();
  const state: WaitState = { payment: undefined, failure: undefined };
  const leftMs = () => Math.max(waitMs - elapsedMs(), 1);
  const readInTurn = () =>
    read({
      signal,
      headers,
      timeoutMs,
      // This loop is the retry.
      maxRetries: 0,
      totalTimeoutMs: leftMs(),
    });
  const readNext = () => turns.take(readInTurn, leftMs(), signal);

  const unsubscribe = wake && subscribe(wake, reference, sleep.wake);
  signal?.addEventListener("abort", sleep.wake);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const retryAfterMs = await readOnce(readNext, state, options, elapsedMs);
      if (state.payment !== undefined && endsWait(state.payment)) return state.payment;
      const elapsed = elapsedMs();
      const restMs = waitMs - elapsed;
      const nextMs = Math.max(nextReadInMs(elapsed, waitMs) ?? restMs, retryAfterMs);
      if (restMs > 0) await sleep.sleep(Math.min(nextMs, restMs));
      signal?.throwIfAborted();
      if (elapsedMs() >= waitMs) throw pendingError(reference, state, waitMs);
    }
  } finally {
    unsubscribe?.();
    signal?.removeEventListener("abort", sleep.wake);
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
