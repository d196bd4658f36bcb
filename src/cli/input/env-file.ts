import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { pathOf } from "./files.ts";

/** Sets the variables of `--env-file` that are not set yet. @throws {CliError} if it cannot be read. */
export function readEnvFile({ values: { "env-file": path }, io }: Input): void {
  if (path === undefined) return;
  try {
    const variables = parseEnv(readFileSync(pathOf(io, path), "utf8"));
    for (const [name, value] of Object.entries(variables)) io.env[name] ??= value;
  } catch (error) {
    throw usageError(`--env-file: cannot read ${path}: ${(error as Error).message}.`);
  }
}
