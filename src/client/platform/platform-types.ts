import type { AttemptResult, RequestView } from "../hooks.ts";

/** An attempt that has ended. */
export interface LoggedAttempt extends AttemptResult {
  readonly view: RequestView;
  readonly response?: Response | undefined;
}

/** Writes a line for each attempt of one call. Never throws. */
export interface AttemptLog {
  ended(attempt: LoggedAttempt): void;
  /** Called after each failed attempt, when it is known what follows. */
  follows(retryInMs?: number): void;
}

/** What the error of a connection says, beside its message. */
export interface ConnectionDetails {
  /** Whether it failed before anything was sent. */
  readonly wasNotSent: boolean;
  /** The code of the failure and what its deepest cause says; `undefined` if it has no code. */
  readonly reason?: string | undefined;
  /** What to do about the error. */
  readonly hint?: string | undefined;
}
