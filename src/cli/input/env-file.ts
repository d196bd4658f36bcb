import { usageError } from "../cli-error.ts";
import type { FlagValues } from "../command.ts";

/** Sets the variables of `--env-file` that are not set yet. @throws {CliError} if it cannot be read. */
export function readEnvFile({ "env-file": path }: FlagValues): void {
  if (path === undefined) return;
  try {
    process.loadEnvFile(path);
  } catch (error) {
    throw usageError(`--env-file: cannot read ${path}: ${(error as Error).message}.`);
  }
}
