import { isGatewayError } from "../errors/any.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

/** A failure that a person can act on: said in one line or a few, without a stack. */
export class Failure extends Error {
  readonly exit: ExitCode;
  /** A stable name, for `--json`. */
  readonly code: string;
  constructor(exit: ExitCode, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
    this.code = code;
  }
}

/** A wrong command, flag or value. */
export const usage = (message: string): Failure => new Failure(EXIT.usage, "usage", message);

/** An error as the command line shows it. */
export interface Shown {
  readonly exit: ExitCode;
  readonly code: string;
  readonly message: string;
  /** Of the gateway's errors: may it be sent again? */
  readonly outcome?: string;
  /** For what nobody foresaw. */
  readonly stack?: string | undefined;
}

const AGAIN: Readonly<Record<string, string>> = {
  not_sent: "Nothing was sent.",
  rejected: "It did not happen.",
  unknown: "It MAY have happened. Look before you do it again: malipo payments list",
};

/**
 * @param creates - The command starts something that happens twice if it is done twice.
 */
export function shownOf(error: unknown, creates: boolean): Shown {
  if (error instanceof Failure) {
    const { exit, code, message } = error;
    return { exit, code, message };
  }
  if (!isGatewayError(error)) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { exit: EXIT.failed, code: "internal", message, stack };
  }
  const { code, outcome } = error;
  const message = creates ? `${error.message}\n${AGAIN[outcome]}` : error.message;
  const shown = { code, outcome, message };
  if (["configuration", "key_type", "invalid_params"].includes(code)) {
    return { ...shown, message: error.message, exit: EXIT.usage };
  }
  if (code === "payment_pending") return { ...shown, message: error.message, exit: EXIT.pending };
  if (creates && outcome === "unknown") return { ...shown, exit: EXIT.unknown };
  return {
    ...shown,
    exit: code === "connection" || code === "timeout" ? EXIT.unreachable : EXIT.failed,
  };
}
