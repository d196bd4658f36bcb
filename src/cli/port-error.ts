import { CliError, usageError } from "./cli-error.ts";

export const MAX_PORT = 65_535;

/**
 * What to do about a server that could not listen on a port. Any other error is returned unchanged.
 *
 * @param command - The command that takes `--port`.
 * @param hint - What else may be the reason, with a space before it.
 */
export function portError(error: unknown, port: number, command: string, hint = ""): unknown {
  const { code } = Object((error as Error).cause ?? error) as { code?: unknown };
  if (code === "EACCES") {
    return usageError(`Port ${port} requires more permissions. Use a port above 1023.`);
  }
  if (code !== "EADDRINUSE") return error;
  const other = port < MAX_PORT ? port + 1 : 0;
  const message = `Port ${port} is in use.${hint} To use another port: npx ${command} --port ${other}`;
  return new CliError("port_in_use", message, { cause: error });
}
