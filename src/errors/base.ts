/**
 * Whether a failed request may have taken effect, for example prompted a customer.
 *
 * - `not_sent`: nothing was sent. It is safe to send the request again.
 * - `rejected`: the service rejected the request. Fix the cause, then send it again.
 * - `unknown`: the request may have taken effect. Do **not** send it again before you have read
 *   the payment, or found out in another way.
 */
export type Outcome = "not_sent" | "rejected" | "unknown";

/**
 * What is known of the idempotency key of a call that failed.
 *
 * - `free`: nothing was sent under it, or the service rejected it. The next call with the key is sent.
 * - `taken`: an attempt with it is in flight, has succeeded, or may have happened. A call with the key sends
 *   nothing.
 * - `unknown`: the store failed, or was not asked. `gateway.idempotency.get(key)` says it.
 */
export type KeyStatus = "free" | "taken" | "unknown";

/** What caused an error. Libraries before ES2022 have no `ErrorOptions`. */
export interface ErrorCause {
  cause?: unknown;
}

/**
 * The base class of every error that this package throws. There is one exception: when your own
 * `AbortSignal` ends a call, the call rejects with the reason of that signal.
 *
 * `instanceof` works across entry points and across ESM and CJS.
 *
 * @example
 * ```ts
 * try {
 *   await gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" });
 * } catch (error) {
 *   if (isGatewayError(error) && error.outcome === "unknown") {
 *     // The customer may have been prompted. Read the payment before you send again.
 *   }
 * }
 * ```
 */
export abstract class GatewayError extends Error {
  /**
   * The names of the class and of those above it, as a literal, because a bundler may shorten the real
   * ones: `ApiError/NotFoundError`. Two copies of the package (ESM and CJS) recognise each other's
   * errors by it.
   */
  protected static readonly malipo: string = "";

  /** A stable name of the failure. Compare it instead of the message, which may change. */
  abstract readonly code: string;

  /** Whether the request may have taken effect, and so whether it may be sent again. */
  declare readonly outcome: Outcome;

  /**
   * The id that the service gave to the request, if its response had one of the usual headers, such
   * as `X-Request-Id`. Give it to the service's support. The interface of the service promises none.
   */
  declare readonly requestId?: string;

  /** What is known of the idempotency key of the call. `undefined` if the call had no key. */
  declare readonly key?: KeyStatus;

  constructor(message: string, outcome: Outcome, options?: ErrorCause) {
    super(message, options);
    this.outcome = outcome;
  }

  /** The name of the class, even if a bundler has shortened it. */
  override get name(): string {
    return (this.constructor as typeof GatewayError).malipo.split("/").at(-1) as string;
  }

  /** Works across entry points, and across ESM and CJS. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const name = (value as { constructor?: { malipo?: unknown } } | undefined)?.constructor?.malipo;
    // A subclass that a user wrote has no own `malipo`: the usual check applies to it.
    return typeof name === "string" && Object.hasOwn(this, "malipo")
      ? name.startsWith(this.malipo)
      : super[Symbol.hasInstance](value);
  }
}

/** The error of a call with a key, with what is known of the key, unless it says that already. */
export function withKey(error: unknown, key: KeyStatus): unknown {
  if (error instanceof GatewayError && error.key === undefined && Object.isExtensible(error)) {
    Object.assign(error, { key });
  }
  return error;
}
