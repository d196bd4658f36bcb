import { isGatewayError } from "../errors/any.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

/** A failure that the user can act on. It is printed without a stack. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** A stable name, for `--json`. */
  readonly code: string;
  constructor(exitCode: ExitCode, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** An invalid command, flag or value. */
export const usageError = (message: string): CliError => new CliError(EXIT.usage, "usage", message);

/** What the command line prints about an error. */
export interface ErrorReport {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
  /** Of the gateway's errors: whether the call may have had its effect. */
  readonly outcome?: string;
  /** Only of unexpected errors. */
  readonly stack?: string | undefined;
}

/** Errors of the user's input: no call was sent, and the message says enough. */
const USAGE_CODES: readonly string[] = ["configuration", "key_type", "invalid_params"];

/** What the user of a command that creates something has to know about its outcome. */
const OUTCOMES: Readonly<Record<string, (command: string) => string>> = {
  not_sent: () => "Nothing was sent.",
  rejected: () => "Nothing was created.",
  unknown: (command) =>
    `The call may have succeeded. Check before you run it again: malipo ${command} list`,
};

const DOCTOR = "To see what is wrong: malipo doctor";

/** The command that helps, by the code of an error. */
const HINTS: Readonly<Record<string, string>> = {
  connection: DOCTOR,
  timeout: DOCTOR,
  authentication: DOCTOR,
  key_type:
    "Set MALIPO_API_KEY to a secret key (sk_), or give --key-file. For a sandbox: npx malipo env --write .env",
};

/**
 * @param creating - The name of the command, if it creates something that is created twice when the
 *   command runs twice.
 */
export function reportError(error: unknown, creating: string | undefined): ErrorReport {
  if (error instanceof CliError) {
    const { exitCode, code, message } = error;
    return { exitCode, code, message };
  }
  if (!isGatewayError(error)) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { exitCode: EXIT.failed, code: "internal", message, stack };
  }
  const { code, outcome } = error;
  const message = [error.message, HINTS[code]].filter(Boolean).join("\n");
  const report = { code, outcome, message };
  if (USAGE_CODES.includes(code)) return { ...report, exitCode: EXIT.usage };
  if (code === "payment_pending") return { ...report, exitCode: EXIT.pending };
  const isUnreachable = code === "connection" || code === "timeout";
  const exitCode = isUnreachable ? EXIT.unreachable : EXIT.failed;
  if (creating === undefined) return { ...report, exitCode };
  return {
    ...report,
    message: `${message}\n${OUTCOMES[outcome]?.(creating)}`,
    exitCode: outcome === "unknown" ? EXIT.unknown : exitCode,
  };
}
