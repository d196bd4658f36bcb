/** Why a probe ended before its end. `npx malipo probe` prints it without a stack. */
export class ProbeError extends Error {
  /** A stable name, such as `no_reads` or `unreachable`. */
  readonly code: string;
  /** `unknown`: a payment may have been started. */
  readonly outcome: "unknown" | undefined;
  constructor(
    code: string,
    message: string,
    options: ErrorOptions & { readonly outcome?: "unknown" } = {},
  ) {
    super(message, options);
    this.code = code;
    this.outcome = options.outcome;
  }

  /** The same error, with more to say. */
  with(message: string, outcome: "unknown" | undefined = this.outcome): ProbeError {
    return new ProbeError(this.code, message, { cause: this, ...(outcome && { outcome }) });
  }
}
