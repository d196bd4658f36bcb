import type { GatewayError } from "../../errors/base.ts";
import type { RequestView } from "../hooks.ts";

/** An attempt that has ended, and what follows. */
export interface LoggedAttempt {
  readonly view: RequestView;
  readonly durationMs: number;
  readonly response?: Response | undefined;
  /** Why the attempt failed; `undefined` if it did not. */
  readonly error?: GatewayError | undefined;
  readonly aborted?: boolean;
  readonly retryInMs?: number | undefined;
}

/** Writes a line for an attempt. Never throws. */
export type AttemptLog = (attempt: () => LoggedAttempt) => void;

/** What the error of a connection says, beside its message. */
export interface ConnectionDetails {
  /** Whether it failed before anything was sent. */
  readonly wasNotSent: boolean;
  /** Such as `ECONNREFUSED`. */
  readonly code?: string | undefined;
  /** What to do about it. */
  readonly hint?: string | undefined;
}
