import { retryAfterMs } from "../../../client/http/retry-after.ts";
import { ProbeError } from "../../../errors/probe.ts";
import { sleep } from "../../../internal/timeout.ts";
import type { Received } from "./exchange.ts";

/** The wait if the service names none. */
const DEFAULT_WAIT_MS = 2_000;
/** A service that asks for no wait at all is not flooded. */
const MIN_WAIT_MS = 1_000;
/** For one response, and for all of them together. */
const MAX_WAIT_MS = 120_000;
const MAX_TOTAL_MS = 300_000;
const MAX_ERRORS_IN_A_ROW = 3;

/** What an overloaded service returns for a moment: the question is asked once more. */
const PASSING: readonly number[] = [502, 503, 504];

/** What a request is, as far as its failure is concerned. */
export interface RequestKind {
  readonly isRead: boolean;
  /** Whether it is wrong on purpose. */
  readonly isWrong: boolean;
}

/** Shows a message to the user beside the progress. */
export type Notify = (message: string) => void;

/** Waits if the service limits the rate, and ends the probe if the service keeps failing. */
export class RateLimiter {
  readonly #notify: Notify;
  #waitedMs = 0;
  #errorsInARow = 0;
  #isRepeated = false;

  constructor(notify: Notify) {
    this.#notify = notify;
  }

  /**
   * Resolves with whether the request should be sent again.
   *
   * @param signal - Ends the wait.
   * @throws {ProbeError} `rate_limit` if the wait would be too long, `service_error` after several
   *   5xx in a row.
   */
  async isToSendAgain(
    { status, headers }: Received,
    signal: AbortSignal | undefined,
    { isRead, isWrong }: RequestKind,
  ): Promise<boolean> {
    // A service may respond with 500 to an unknown id: that is its answer.
    if (!isWrong) this.#countError(status);
    if (PASSING.includes(status) && isRead && !isWrong && !this.#isRepeated) {
      this.#isRepeated = true;
      return sleep(MIN_WAIT_MS, signal);
    }
    this.#isRepeated = false;
    if (status !== 429) return false;
    const waitMs = Math.max(retryAfterMs(headers, true) ?? DEFAULT_WAIT_MS, MIN_WAIT_MS);
    this.#waitedMs += waitMs;
    if (waitMs > MAX_WAIT_MS || this.#waitedMs > MAX_TOTAL_MS) throw tooSlow(waitMs);
    const seconds = Math.ceil(waitMs / 1_000);
    this.#notify(`The service limits the rate (429). The probe waits ${seconds} s.`);
    return sleep(waitMs, signal);
  }

  #countError(status: number): void {
    this.#errorsInARow = status >= 500 ? this.#errorsInARow + 1 : 0;
    if (this.#errorsInARow < MAX_ERRORS_IN_A_ROW) return;
    this.#errorsInARow = 0;
    throw new ProbeError(
      "service_error",
      `The service returned ${status} to ${MAX_ERRORS_IN_A_ROW} requests in a row. The probe stopped, so that it does no harm. Try again when the service is well.`,
    );
  }
}

const tooSlow = (waitMs: number) =>
  new ProbeError(
    "rate_limit",
    `The service limits the rate (429), and asks to wait ${Math.ceil(waitMs / 1_000)} s. The probe waits at most ${MAX_WAIT_MS / 1_000} s at a time and ${MAX_TOTAL_MS / 60_000} min in all. Try again later, or ask for a higher limit.`,
  );
