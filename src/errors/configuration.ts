import { type ErrorCause, GatewayError } from "./base.ts";

/**
 * An option is wrong, of a gateway, a webhook receiver, an inbox or a sandbox: a missing or
 * malformed API key, an unknown option, a base URL that is not `https:`. Outcome `not_sent`.
 */
export class ConfigurationError extends GatewayError {
  protected static override readonly malipo: string = "ConfigurationError";
  override readonly code = "configuration" as const;
  constructor(message: string, options?: ErrorCause) {
    super(message, "not_sent", options);
  }
}

/** This kind of API key may not make this call. Checked before anything is sent. Outcome `not_sent`. */
export class KeyTypeError extends GatewayError {
  protected static override readonly malipo: string = "KeyTypeError";
  override readonly code = "key_type" as const;
  constructor(message: string) {
    super(message, "not_sent");
  }
}

/** One problem with the parameters of a call. */
export interface ParamIssue {
  /** The path of the problem: `["events", 0]` is the first entry of `events`. */
  readonly path: readonly (string | number)[];
  /** What was expected and what was given. Phone numbers are masked. */
  readonly message: string;
}

/** The parameters of the call are invalid, so nothing was sent. Outcome `not_sent`. */
export class InvalidParamsError extends GatewayError {
  protected static override readonly malipo: string = "InvalidParamsError";
  override readonly code = "invalid_params" as const;
  /** What Express, Fastify and Nest answer if no code of yours handles it. */
  get statusCode(): 400 {
    return 400;
  }
  /** All problems, one entry for each path. */
  readonly issues: readonly ParamIssue[];
  constructor(message: string, issues: readonly ParamIssue[], options?: ErrorCause) {
    super(message, "not_sent", options);
    this.issues = issues;
  }
}
