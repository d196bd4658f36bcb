import type { GatewayError } from "../errors/base.ts";

/** One attempt, as hooks see it: without the key and the body, with phone numbers masked. */
export interface RequestView {
  /** The endpoint, such as `"GET /payments/{reference}"`; the path itself if it is not documented. */
  readonly endpoint: string;
  readonly method: string;
  /** The URL with its query, phone numbers masked. */
  readonly url: string;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
}

/** An attempt that got a response. */
export interface ResponseView extends RequestView {
  readonly status: number;
  /** A copy of the response headers, with your key redacted. */
  readonly headers: Headers;
  /** From sending to the end of the response body, in milliseconds. */
  readonly durationMs: number;
}

/** How an attempt ended. With neither `error` nor `aborted`, the service returned a 2xx. */
export interface AttemptResult {
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined;
  /** What the call rejects with, unless it is retried. */
  readonly error?: GatewayError | undefined;
  /** Whether the caller's own signal ended it. */
  readonly aborted: boolean;
  /** From sending to the end of the attempt, in milliseconds. */
  readonly durationMs: number;
}

/** An attempt that failed and will be retried. */
export interface RetryView extends RequestView {
  /** The wait before the next attempt, in milliseconds. */
  readonly delayMs: number;
  /** Why the attempt failed. */
  readonly error: GatewayError;
}

/**
 * A response that differs from its documented type, or from what was learned of the service (option
 * `profile`). It was passed through unchanged.
 */
export interface DriftView {
  /** The endpoint, such as `"GET /payments/{reference}"`. */
  readonly endpoint: string;
  /** The place in the response, such as `"data.amount"`. */
  readonly path: string;
  /** The documented type; with a `profile`, the learned type, such as `string or null`. */
  readonly expected: string;
  /**
   * The type of the value that was received, never the value itself; `nothing` for a field that is
   * missing. Only the name of a status that was never seen is given, such as `"reversed"`.
   */
  readonly received: string;
}

/**
 * Functions that a gateway calls while it works, for logs and traces. What they get is redacted. A
 * hook that throws or rejects never fails a call, and no call waits for a hook.
 *
 * @example
 * ```ts
 * const gateway = new Gateway({
 *   hooks: {
 *     retry: ({ endpoint, attempt, delayMs, error }) =>
 *       log.warn({ endpoint, attempt, delayMs, code: error.code }, "retrying"),
 *     drift: (drift) => log.warn(drift, "the response differs from its documentation"),
 *   },
 * });
 * ```
 */
export interface GatewayHooks {
  /**
   * Called before each attempt. It may return a function, which is called when that attempt has
   * ended, with or without a response. Set it to log requests, or to start and end a trace span.
   */
  request?:
    | ((view: RequestView) => void)
    | ((view: RequestView) => (result: AttemptResult) => void)
    | undefined;
  /** Called after each response, whatever its status. Set it to log or to measure responses. */
  response?: ((view: ResponseView) => void) | undefined;
  /** Called before the wait for the next attempt. Set it to notice a service that is unstable. */
  retry?: ((view: RetryView) => void) | undefined;
  /**
   * Called if a response differs from its documented type, and with the option `profile` also
   * if it differs from what was learned of the service. Set it to learn of a change of the
   * service before your code meets it.
   */
  drift?: ((view: DriftView) => void) | undefined;
}

/** Calls a hook with a view and returns what the hook returned. Never throws. */
export function callHook<View, Returned>(
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
