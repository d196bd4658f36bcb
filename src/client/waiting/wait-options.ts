import type { Payment } from "../../contract/payment.ts";
import {
  checkFunction,
  checkMilliseconds,
  ownOptions,
  wrongOption,
} from "../../internal/check-options.ts";
import type { CallOptions } from "../options.ts";
import type { Wake } from "./wakeups/local.ts";

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
   * it if your webhooks know of the payment sooner than the next read.
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

const DEFAULT_WAIT_MS = 120_000;

export const WAIT_OPTION_NAMES: readonly string[] = [
  "waitMs",
  "timeoutMs",
  "signal",
  "onUpdate",
  "wake",
  "finalStatuses",
  "headers",
];

/**
 * Checks the options of a wait.
 *
 * @param owner - The method that takes them.
 * @param names - The names of its options.
 * @returns The options, with the time limit of the wait.
 * @throws {ConfigurationError}
 */
export function checkWaitOptions<Options extends WaitOptions>(
  given: Options,
  owner: string,
  names: readonly string[] = WAIT_OPTION_NAMES,
): Options & { readonly waitMs: number } {
  const options = ownOptions(given, names, owner);
  const { onUpdate, wake, finalStatuses, waitMs = DEFAULT_WAIT_MS } = options;
  if (onUpdate !== undefined) checkFunction("onUpdate", onUpdate);
  if (wake !== undefined) checkFunction("wake", wake);
  if (finalStatuses !== undefined && !Array.isArray(finalStatuses)) {
    throw wrongOption("finalStatuses", "a list of statuses", finalStatuses);
  }
  return Object.assign(options, { waitMs: checkMilliseconds("waitMs", waitMs) });
}
