import type { Payment } from "../../contract/payment.ts";
import {
  checkFunction,
  checkMilliseconds,
  type OptionRows,
  optional,
  wrongOption,
} from "../../internal/check-options.ts";
import type { CallOptions } from "../options.ts";
import type { Wake } from "../wakeups/local.ts";

/** How to wait until a payment reaches a final status. */
export interface WaitOptions {
  /**
   * The time limit of the whole wait, in milliseconds. A prompt lives for about a minute. Lower it
   * if the customer waits for your response; the payment goes on without you.
   *
   * @default 120_000
   */
  waitMs?: number | undefined;
  /**
   * The time limit of one attempt, as in every other call, in milliseconds. Lower it if a read that
   * hangs should be replaced by the next one sooner.
   *
   * @default `timeoutMs` of the gateway
   */
  timeoutMs?: CallOptions["timeoutMs"];
  /**
   * Ends the wait at once. It rejects with the signal's own reason. Set it if the result may become
   * useless, such as when the customer closes the page.
   */
  signal?: AbortSignal | undefined;
  /**
   * Called with the payment at the first read and each time its status has changed. Set it to show
   * progress.
   */
  onUpdate?: ((payment: Payment) => void) | undefined;
  /**
   * A subscription that makes the wait read the payment at once, such as `createWakeups().wake`. Set
   * it if the gateway has no `wakeups`, and with `wakeups.wakeOf(merchant)` if it serves many merchants.
   *
   * @default that of `wakeups` of the gateway
   */
  wake?: Wake | undefined;
  /**
   * Statuses that end the wait besides `completed` and `failed`. Set it if your service sends
   * final statuses that are not documented, such as `"reversed"`.
   *
   * @default []
   */
  finalStatuses?: readonly string[] | undefined;
  /** Additional request headers of the reads, such as a trace id. */
  headers?: CallOptions["headers"];
}

/** @throws {ConfigurationError} for anything but a list. */
function checkStatuses(statuses: readonly string[] = []): readonly string[] {
  if (Array.isArray(statuses)) return statuses;
  throw wrongOption("finalStatuses", "a list of statuses", statuses);
}

/** What a wait takes, and all that contains one. */
export const WAIT_OPTIONS = {
  waitMs: (ms = 120_000) => checkMilliseconds("waitMs", ms),
  /** Each call checks it. */
  timeoutMs: (ms) => ms,
  signal: (signal) => signal,
  onUpdate: (callback) => optional(callback, (given) => checkFunction("onUpdate", given)),
  wake: (wake) => optional(wake, (given) => checkFunction("wake", given)),
  finalStatuses: checkStatuses,
  /** Each call checks them. */
  headers: (headers) => headers,
} satisfies OptionRows<WaitOptions>;
