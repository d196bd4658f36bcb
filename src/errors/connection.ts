import { GatewayError, type Outcome } from "./base.ts";

/**
 * The request got no response. The outcome is `not_sent` if the host name did not resolve, the connection
 * was not opened, the certificate of the server was rejected, or a proxy refused to connect; otherwise
 * `unknown`. The message says what the deepest cause says. `cause` is the error of the runtime.
 */
export class ConnectionError extends GatewayError {
  protected static override readonly malipo: string = "ConnectionError";
  override readonly code = "connection" as const;
}

/**
 * One attempt took longer than `timeoutMs`, or the whole call took longer than `totalTimeoutMs`.
 * Both limits include the time to read the body.
 */
export class TimeoutError extends GatewayError {
  protected static override readonly malipo: string = "TimeoutError";
  override readonly code = "timeout" as const;
  /** The limit that was exceeded, in milliseconds. */
  readonly timeoutMs: number;
  constructor(message: string, outcome: Outcome, timeoutMs: number) {
    super(message, outcome);
    this.timeoutMs = timeoutMs;
  }
}
