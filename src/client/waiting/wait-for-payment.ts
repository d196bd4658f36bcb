import type { Payment } from "../../contract/payment.ts";
import { mergePayment } from "../../contract/payment-state.ts";
import { isGatewayError } from "../../errors/any.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { PaymentPendingError } from "../../errors/payment.ts";
import { tell } from "../hooks.ts";
import { type CallOptions, checkNames, limit } from "../settings.ts";
import { nextReadInMs } from "./poll-schedule.ts";
import type { Wake } from "./wakeups/local.ts";

/** How to wait for a payment to be settled. */
export interface WaitOptions {
  /**
   * The longest to wait, in milliseconds. A prompt lives about a minute.
   * @default 120_000
   */
  timeoutMs?: number | undefined;
  /** Ends the wait at once; it rejects with the signal's own reason. */
  signal?: AbortSignal | undefined;
  /** Called with the payment at the first read, and whenever its status has changed since. */
  onUpdate?: ((payment: Payment) => void) | undefined;
  /** A subscription that makes the wait look at once: `createWakeups().wake`. */
  wake?: Wake | undefined;
  /**
   * Statuses that end the wait beside `completed` and `failed`, of those that the interface does not
   * show.
   * @default []
   */
  finalStatuses?: readonly string[] | undefined;
  /** Further request headers of the reads. */
  headers?: CallOptions["headers"];
}

const WAIT_OPTIONS = ["timeoutMs", "signal", "onUpdate", "wake", "finalStatuses", "headers"];

const STANDARD_WAIT_MS = 120_000;

/**
 * Checks options, and gives the longest that the wait may take.
 *
 * @throws {ConfigurationError}
 */
export function checkWait(options: WaitOptions, what: string): number {
  checkNames(options, WAIT_OPTIONS, what);
  const { onUpdate, wake, finalStatuses } = options;
  for (const [name, given] of Object.entries({ onUpdate, wake })) {
    if (given === undefined || typeof given === "function") continue;
    throw new ConfigurationError(`\`${name}\` is ${String(given)}. It takes a function.`);
  }
  if (finalStatuses !== undefined && !Array.isArray(finalStatuses)) {
    throw new ConfigurationError("`finalStatuses` takes a list of statuses.");
  }
  return limit("timeoutMs", options.timeoutMs, STANDARD_WAIT_MS);
}

/** A payment may be read before the service has it: how long that is not taken for an answer. */
const NOT_FOUND_GRACE_MS = 10_000;

/** What a failed read means for the wait: the error to end it with, or `undefined` to go on. */
function endOf(error: unknown, elapsedMs: number, known: Payment | undefined): unknown {
  if (!isGatewayError(error)) return error;
  switch (error.code) {
    // A reference that cannot be sent; later, an answer about another payment, which is no answer.
    case "invalid_params":
      return known === undefined ? error : undefined;
    // It passes, or the answer was no answer.
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

/** A wait that can be ended early. A ring between two waits ends the next one at once. */
function createBell() {
  let end: (() => void) | undefined;
  let rung = false;
  return {
    ring: () => {
      rung = true;
      end?.();
    },
    wait: async (ms: number): Promise<void> => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          // Rounded up: a timer that ends early comes before what it waits for.
          const timer = setTimeout(resolve, Math.ceil(ms));
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
    },
  };
}

/** Asks for hints. They are no part of the wait: where they cannot be had, the reads still come. */
function subscribe(wake: Wake, reference: string, ring: () => void): () => void {
  let unsubscribe: (() => void) | undefined;
  try {
    unsubscribe = wake(reference, ring);
  } catch {}
  return () => tell(unsubscribe, () => undefined);
}

/**
 * Reads a payment until it is settled: quickly at first, then slower, at once where a wake-up says
 * so. Outlives failures that pass; what the service definitely refuses ends it.
 *
 * @throws {PaymentPendingError} at the deadline, with the payment as it was last read.
 */
export async function waitForFinalStatus(
  read: (options: CallOptions) => Promise<Payment>,
  reference: string,
  options: WaitOptions = {},
): Promise<Payment> {
  const timeoutMs = checkWait(options, "waitFor");
  const { signal, onUpdate, wake, finalStatuses = [], headers } = options;
  const started = performance.now();
  const elapsedMs = () => performance.now() - started;
  const settled = ["completed", "failed", ...finalStatuses];
  const bell = createBell();
  const unsubscribe = wake && subscribe(wake, reference, bell.ring);
  signal?.addEventListener("abort", bell.ring);
  let known: Payment | undefined;
  let failure: unknown;
  try {
    for (;;) {
      signal?.throwIfAborted();
      let retryAfterMs = 0;
      try {
        const left = Math.max(timeoutMs - elapsedMs(), 1);
        // One attempt: this loop is the retry.
        const report = await read({ signal, headers, maxRetries: 0, totalTimeoutMs: left });
        const { payment, changed } = mergePayment(known, report);
        known = payment;
        failure = undefined;
        if (changed) tell(onUpdate, () => payment);
        if (settled.includes(payment.status)) return payment;
      } catch (error) {
        signal?.throwIfAborted();
        const end = endOf(error, elapsedMs(), known);
        if (end !== undefined) throw end;
        failure = error;
        retryAfterMs = (error as { retryAfterMs?: number }).retryAfterMs ?? 0;
      }
      const elapsed = elapsedMs();
      const left = timeoutMs - elapsed;
      const nextMs = Math.max(nextReadInMs(elapsed, timeoutMs) ?? left, retryAfterMs);
      if (left > 0) await bell.wait(Math.min(nextMs, left));
      signal?.throwIfAborted();
      if (elapsedMs() >= timeoutMs) throw pending(reference, known, failure, timeoutMs);
    }
  } finally {
    unsubscribe?.();
    signal?.removeEventListener("abort", bell.ring);
  }
}

function pending(
  reference: string,
  payment: Payment | undefined,
  cause: unknown,
  timeoutMs: number,
): PaymentPendingError<Payment> {
  const state = payment === undefined ? "could not be read" : `is ${payment.status}`;
  return new PaymentPendingError(
    `The payment ${reference} ${state} after ${Math.round(timeoutMs)} ms. That is no failure: it may still be paid. Keep the reference, and look again later.`,
    reference,
    payment,
    cause === undefined ? undefined : { cause },
  );
}
