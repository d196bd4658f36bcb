import type { GatewayError } from "../errors/base.ts";

/** One attempt, as hooks see it: no key, no body, phone numbers masked. */
export interface RequestView {
  /** The row of the interface, such as `"GET /payments/{reference}"`; the path itself for others. */
  readonly endpoint: string;
  readonly method: string;
  /** The address with its query, phone numbers masked. */
  readonly url: string;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
}

/** An attempt that was answered. */
export interface ResponseView extends RequestView {
  readonly status: number;
  /** A copy of the answer's headers, your key taken out. */
  readonly headers: Headers;
  /** From sending to the end of the body, in milliseconds. */
  readonly durationMs: number;
}

/** How an attempt ended. Neither `error` nor `aborted`: the service answered with a 2xx. */
export interface AttemptResult {
  /** Of the answer, where one came. */
  readonly status?: number | undefined;
  /** What the call rejects with, unless another attempt follows. */
  readonly error?: GatewayError | undefined;
  /** The caller's own signal ended it. */
  readonly aborted: boolean;
  /** From sending to then, in milliseconds. */
  readonly durationMs: number;
}

/** An attempt that failed and will be made again. */
export interface RetryView extends RequestView {
  /** How long until then, in milliseconds. */
  readonly delayMs: number;
  /** Why. */
  readonly error: GatewayError;
}

/** An answer that departs from the documented type. It was passed through as it came. */
export interface DriftView {
  /** The row of the interface, such as `"GET /payments/{reference}"`. */
  readonly endpoint: string;
  /** Where in the answer, such as `"data.amount"`. */
  readonly path: string;
  /** What the interface documents. */
  readonly expected: string;
  /** The type that came: its kind, never its value. */
  readonly received: string;
}

/**
 * Called as things happen, for logs and traces. Views are redacted. A hook that throws or rejects
 * never fails a call.
 *
 * @example
 * ```ts
 * const gateway = new Gateway({
 *   hooks: {
 *     retry: ({ endpoint, attempt, delayMs, error }) =>
 *       log.warn({ endpoint, attempt, delayMs, code: error.code }, "trying again"),
 *     drift: (drift) => log.warn(drift, "the service answers differently than documented"),
 *   },
 * });
 * ```
 */
export interface GatewayHooks {
  /**
   * Before each attempt. It may return a function, which is told how that attempt ended, answered or
   * not: what a span needs.
   */
  request?:
    | ((view: RequestView) => void)
    | ((view: RequestView) => (result: AttemptResult) => void)
    | undefined;
  /** After each attempt that was answered, whatever the status. */
  response?: ((view: ResponseView) => void) | undefined;
  /** Before the wait that comes before another attempt. */
  retry?: ((view: RetryView) => void) | undefined;
  /** Where an answer departs from its documented type. */
  drift?: ((view: DriftView) => void) | undefined;
}

/** Calls a hook and gives what it returned; whatever goes wrong stays there. */
export function tell<View, Returned>(
  hook: ((view: View) => Returned) | undefined,
  view: () => View,
): Returned | undefined {
  if (hook === undefined) return undefined;
  try {
    const returned = hook(view());
    Promise.resolve(returned).catch(() => {});
    return returned;
  } catch {
    // A log that fails must not fail a payment.
    return undefined;
  }
}
