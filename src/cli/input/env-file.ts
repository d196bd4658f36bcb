import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { FlagsOf } from "../../internal/flags.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import type { ENV_FILE } from "../flags/common.ts";
import { pathOf } from "./files.ts";

/** Sets the variables of `--env-file` that are not set yet. @throws {CliError} if it cannot be read. */
export function readEnvFile({
  flags: { "env-file": path },
  io,
}: Input<FlagsOf<typeof ENV_FILE>>): void {
  if (path === undefined) return;
  try {
    const variables = parseEnv(readFileSync(pathOf(io, path), "utf8"));
    for (const [name, value] of Object.entries(variables)) io.env[name] ??= value;
  } catch (error) {
    throw usageError(`--env-file: cannot read ${path}: ${(error as Error).message}.`);
  }
}
