/**
 * Did it happen? The one question that money asks of an error.
 *
 * - `not_sent`: nothing left this machine. Sending again is safe.
 * - `rejected`: the service said no. Sending again is safe once the cause is mended.
 * - `unknown`: it may have happened. Do **not** send again: look first.
 */
export type Outcome = "not_sent" | "rejected" | "unknown";

/**
 * The base of every error that this package throws. A caller's own abort is the one exception:
 * it rejects with the caller's own reason.
 *
 * `instanceof` holds across entry points and across ESM and CJS.
 *
 * @example
 * ```ts
 * try {
 *   await gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" });
 * } catch (error) {
 *   if (isGatewayError(error) && error.outcome === "unknown") {
 *     // The customer may have been prompted: look before sending again.
 *   }
 * }
 * ```
 */
export abstract class GatewayError extends Error {
  /**
   * The name of the class, as a literal, since a bundler shortens the real one. It is also what
   * two copies of the package (ESM beside CJS) know each other's errors by.
   */
  protected static readonly malipo: string = "";

  /** A stable, literal name of the failure. Switch on it, never on the message. */
  abstract readonly code: string;

  /** Whether the request may be sent again. */
  declare readonly outcome: Outcome;

  constructor(message: string, outcome: Outcome, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }

  /** The name of the class, also where a bundler has shortened it. */
  override get name(): string {
    return (this.constructor as typeof GatewayError).malipo;
  }

  /** Holds across entry points, and across ESM and CJS. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const name = (value as { constructor?: { malipo?: unknown } } | undefined)?.constructor?.malipo;
    // A user's own subclass has no such name of its own, and is told apart as any class is.
    return typeof name === "string" && Object.hasOwn(this, "malipo")
      ? name.startsWith(this.malipo)
      : super[Symbol.hasInstance](value);
  }
}
