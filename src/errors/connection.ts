import { GatewayError, type Outcome } from "./base.ts";

/**
 * No answer came. `not_sent` where the name did not resolve or the connection was refused,
 * otherwise `unknown`. `cause` holds what the runtime reported.
 */
export class ConnectionError extends GatewayError {
  protected static override readonly malipo: string = "ConnectionError";
  override readonly code = "connection" as const;
}

/** The attempt (`timeoutMs`) or the whole call (`totalTimeoutMs`) took too long, body included. */
export class TimeoutError extends GatewayError {
  protected static override readonly malipo: string = "TimeoutError";
  override readonly code = "timeout" as const;
  /** The limit that was passed, in milliseconds. */
  readonly timeoutMs: number;
  constructor(message: string, outcome: Outcome, timeoutMs: number) {
    super(message, outcome);
    this.timeoutMs = timeoutMs;
  }
}
