import { GatewayError } from "./base.ts";

/**
 * The gateway, a webhook receiver or a sandbox was set up wrongly: a missing or malformed key,
 * an unknown option, a base URL that is not `https:`. Outcome `not_sent`.
 */
export class ConfigurationError extends GatewayError {
  protected static override readonly malipo: string = "ConfigurationError";
  override readonly code = "configuration" as const;
  constructor(message: string, options?: ErrorOptions) {
    super(message, "not_sent", options);
  }
}

/** The key may not make this call; found out before any byte was sent. Outcome `not_sent`. */
export class KeyTypeError extends GatewayError {
  protected static override readonly malipo: string = "KeyTypeError";
  override readonly code = "key_type" as const;
  constructor(message: string) {
    super(message, "not_sent");
  }
}

/** One thing that is wrong with the parameters of a call. */
export interface ParamIssue {
  /** Where: `["events", 0]` is the first entry of `events`. */
  readonly path: readonly (string | number)[];
  /** What was expected and what was given, phone numbers masked. */
  readonly message: string;
}

/** The parameters are wrong; nothing was sent. `issues` names each by its path. Outcome `not_sent`. */
export class InvalidParamsError extends GatewayError {
  protected static override readonly malipo: string = "InvalidParamsError";
  override readonly code = "invalid_params" as const;
  /** Everything that is wrong, one entry for each place. */
  readonly issues: readonly ParamIssue[];
  constructor(message: string, issues: readonly ParamIssue[], options?: ErrorOptions) {
    super(message, "not_sent", options);
    this.issues = issues;
  }
}
