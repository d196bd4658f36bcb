import { isGatewayError } from "../errors/any.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

/** A failure that the user can act on. It is printed without a stack. */
export class CliError extends Error {
  /** A stable name, for `--json`. */
  readonly code: string;
  readonly exitCode: ExitCode;

  /** @param options - `exitCode`: another one than that of the code. */
  constructor(
    code: string,
    message: string,
    { exitCode = exitCodeOf(code), ...options }: ErrorOptions & { exitCode?: ExitCode } = {},
  ) {
    super(message, options);
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** An invalid command, flag or value. */
export const usageError = (message: string): CliError => new CliError("usage", message);

/** What the command line prints about an error. */
export interface ErrorFields {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
  /** Of the gateway's errors: whether the call may have had its effect. */
  readonly outcome?: string;
  /** The page of the manual about it, in the package. */
  readonly page?: string;
  /** Only of unexpected errors. */
  readonly stack?: string | undefined;
}

/** What the user of a command that creates something has to know about its outcome. */
const OUTCOMES: Readonly<Record<string, (command: string) => string>> = {
  not_sent: () => "Nothing was sent.",
  rejected: () => "Nothing was created.",
  unknown: (command) =>
    `The call may have succeeded. Check before you run it again: malipo ${command} list`,
};

const DOCTOR = "To see what is wrong: malipo doctor";

/** The exit code by the code of an error, and the command that helps. */
const CODES: Readonly<Record<string, readonly [exitCode: ExitCode, hint?: string]>> = {
  usage: [EXIT.usage],
  several_sandboxes: [EXIT.usage],
  unreachable: [EXIT.unreachable],
  port_in_use: [EXIT.portInUse],
  configuration: [EXIT.usage],
  invalid_params: [EXIT.usage],
  key_type: [
    EXIT.usage,
    "Set MALIPO_API_KEY to a secret key (sk_), or give --key-file. For a sandbox: npx malipo env --write .env",
  ],
  payment_pending: [EXIT.pending],
  connection: [EXIT.unreachable, DOCTOR],
  timeout: [EXIT.unreachable, DOCTOR],
  authentication: [EXIT.failed, DOCTOR],
};

/**
 * The page of the manual about an error, by its code. An error of a command has no page: its message says what
 * to change.
 */
export const ERROR_PAGES: Readonly<Record<string, string>> = {
  several_sandboxes: "docs/reference/cli.md",
  port_in_use: "docs/reference/cli-sandbox.md",
  configuration: "docs/reference/options.md",
  invalid_params: "docs/reference/service.md",
  invalid_request: "docs/reference/service.md",
  not_found: "docs/reference/service.md",
  rate_limit: "docs/reference/service.md",
  key_type: "docs/concepts/keys.md",
  authentication: "docs/concepts/keys.md",
  permission: "docs/concepts/keys.md",
  connection: "docs/guides/timeouts.md",
  timeout: "docs/guides/timeouts.md",
  server: "docs/guides/timeouts.md",
  unexpected_response: "docs/guides/timeouts.md",
  payment_pending: "docs/concepts/payment.md",
  idempotency_conflict: "docs/guides/charge-once.md",
  attempt_in_flight: "docs/guides/charge-once.md",
  outcome_unknown: "docs/operations/unknown-outcomes.md",
  contradiction: "docs/operations/unknown-outcomes.md",
  review_decided: "docs/operations/refunds.md",
  order_busy: "docs/guides/checkout.md",
  order_paid: "docs/operations/refunds.md",
  two_services: "docs/guides/learn.md",
};

const exitCodeOf = (code: string): ExitCode => CODES[code]?.[0] ?? EXIT.failed;

/**
 * @param creating - The name of the command, if it creates something that is created twice when the
 *   command runs twice.
 */
export function errorFields(error: unknown, creating: string | undefined): ErrorFields {
  const fields = describe(error, creating);
  const page = isOfCommand(error, fields.code) ? undefined : ERROR_PAGES[fields.code];
  return page === undefined ? fields : { ...fields, page };
}

/** A command says `not_found` of an order, and the service of a payment. */
const isOfCommand = (error: unknown, code: string) =>
  error instanceof CliError && code === "not_found";

function describe(error: unknown, creating: string | undefined): ErrorFields {
  if (error instanceof CliError) {
    const { exitCode, code, message } = error;
    return { exitCode, code, message };
  }
  if (!isGatewayError(error)) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { exitCode: EXIT.failed, code: "internal", message, stack };
  }
  const { code, outcome } = error;
  const exitCode = exitCodeOf(code);
  const message = [error.message, CODES[code]?.[1]].filter(Boolean).join("\n");
  // An error of the user's input says enough: no call was sent.
  const isUsage = exitCode === EXIT.usage || exitCode === EXIT.pending;
  if (creating === undefined || isUsage) return { code, outcome, message, exitCode };
  return {
    code,
    outcome,
    message: `${message}\n${OUTCOMES[outcome]?.(creating)}`,
    exitCode: outcome === "unknown" ? EXIT.unknown : exitCode,
  };
}
