import type { RejectionCause } from "../../profile/causes.ts";

/** Why the sandbox rejects a request: what a profile knows, and what only the sandbox tells apart. */
export type ErrorCause = RejectionCause | "invalid_path";

/** Thrown to reject a request: the cause, and a message about what is wrong with the request. */
export class ErrorResponse extends Error {
  override readonly cause: ErrorCause;
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    cause: ErrorCause,
    message: string,
    options: { field?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.cause = cause;
    this.field = options.field;
    this.headers = options.headers ?? {};
  }
}

export const invalidField = (field: string, message: string): ErrorResponse =>
  new ErrorResponse("invalid_field", `${field}: ${message}`, { field });
