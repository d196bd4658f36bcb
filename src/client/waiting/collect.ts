import { ENDPOINTS } from "../../contract/endpoints.ts";
import type {
  MobileMoneyPayment,
  MobileMoneyPaymentParams,
  Payment,
} from "../../contract/payment.ts";
import { isGatewayError } from "../../errors/any.ts";
import { withKey } from "../../errors/base.ts";
import { PaymentPendingError } from "../../errors/payment.ts";
import {
  checkFunction,
  checkOptions,
  type OptionRows,
  optional,
} from "../../internal/check-options.ts";
import { sleep } from "../../internal/timeout.ts";
import type { Call } from "../call.ts";
import { callHook } from "../hooks.ts";
import type { CallOptions, CreateOptions } from "../options.ts";
import { nextReadInMs } from "./poll-schedule.ts";
import { type Waits, waitForFinalStatus } from "./wait-for-payment.ts";
import { WAIT_OPTIONS, type WaitOptions } from "./wait-options.ts";

/** How to start a payment and wait until it reaches a final status. */
export interface CollectOptions
  extends WaitOptions,
    Pick<CreateOptions, "idempotencyKey" | "idempotencyWaitMs" | "sendBefore"> {
  /**
   * The time limit of the start and the wait together, in milliseconds. Lower it if the customer
   * waits for your response; the payment goes on without you.
   *
   * @default 120_000
   */
  waitMs?: number | undefined;
  /**
   * Called with the reference of the payment as soon as there is one, before the wait begins. Set it
   * to store the reference with the order: a webhook may come before `collect` resolves.
   */
  onStarted?: ((reference: string) => void) | undefined;
}

/** The call that starts the payment checks what it takes. */
const COLLECT_OPTIONS = {
  ...WAIT_OPTIONS,
  idempotencyKey: (key) => key,
  idempotencyWaitMs: (ms) => ms,
  sendBefore: (moment) => moment,
  onStarted: (callback) => optional(callback, (given) => checkFunction("onStarted", given)),
} satisfies OptionRows<CollectOptions>;

/** Starts a payment, or finds it, and waits for its final status. */
export async function collectPayment(
  call: Call,
  waits: Waits,
  finder: {
    look(key: string, params: MobileMoneyPaymentParams, options: CallOptions): Promise<Look>;
  },
  params: MobileMoneyPaymentParams,
  given: CollectOptions,
): Promise<Payment> {
  const options = checkOptions(given, COLLECT_OPTIONS, "collect");
  const { idempotencyKey, idempotencyWaitMs, sendBefore, onStarted, waitMs, ...wait } = options;
  // From the checked options: a copy would inherit from `Object.prototype`, which others can change.
  const { signal, headers, timeoutMs } = options;
  const started = performance.now();
  const leftMs = () => Math.max(waitMs - (performance.now() - started), 1);
  const start = () =>
    call<MobileMoneyPayment>(
      ENDPOINTS["mobileMoney.initiate"],
      { body: params, atMostMs: leftMs() },
      { signal, headers, timeoutMs, idempotencyKey, idempotencyWaitMs, sendBefore },
    );
  const look = (totalTimeoutMs: number) =>
    finder.look(String(idempotencyKey), params, { signal, headers, timeoutMs, totalTimeoutMs });
  const startOrFind = async () => {
    try {
      return await start();
    } catch (error) {
      // Without a key, the payment could not be recognised.
      if (idempotencyKey === undefined || !mayHaveStarted(error)) throw error;
      if (!(await isFound(look, leftMs, signal))) throw error;
      // Resolves with the payment that was found, and sends nothing.
      return start();
    }
  };
  const { reference } = await startOrFind();
  callHook(onStarted, () => reference);
  let lastRead: Payment | undefined;
  const read = async (each: CallOptions) => {
    lastRead = await call<Payment>(ENDPOINTS["payments.get"], { path: [reference] }, each);
    return lastRead;
  };
  try {
    return await waitForFinalStatus(waits, read, reference, { ...wait, waitMs: leftMs() });
  } catch (error) {
    const pending = asPending(error, reference, lastRead);
    throw idempotencyKey === undefined ? pending : withKey(pending, "taken");
  }
}

/** The error of a read must not look as if the prompt was rejected and could be sent again. */
function asPending(error: unknown, reference: string, lastRead: Payment | undefined): unknown {
  if (!isGatewayError(error) || error.code === "payment_pending") return error;
  return new PaymentPendingError(
    `The payment ${reference} was started, but the service rejected the read of it. This is not a failure: it may still be paid. Keep the reference and do not start it again. ${error.message}`,
    reference,
    lastRead,
    { cause: error },
  );
}

/** What a look for the payment of an attempt says. `open`: it may still be found. */
export type Look = "found" | "open" | "gone";

/** A caller that does not wait for another's attempt does not want to wait for its payment either. */
const mayHaveStarted = (error: unknown): boolean =>
  isGatewayError(error) && error.outcome === "unknown" && error.code !== "attempt_in_flight";

/** Looks until the payment is found, cannot appear any more, or time is up. Sends nothing. */
async function isFound(
  look: (leftMs: number) => Promise<Look>,
  leftMs: () => number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const started = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    // A look that fails says nothing: the next one may succeed.
    const found = await look(leftMs()).catch((): Look => "open");
    if (found !== "open") return found === "found";
    const elapsedMs = performance.now() - started;
    const nextMs = nextReadInMs(elapsedMs, elapsedMs + leftMs());
    if (nextMs === undefined) return false;
    await sleep(nextMs, signal);
  }
}
