import { existsSync } from "node:fs";
import { usageError } from "../cli-error.ts";
import { readFile } from "../input/files.ts";
import { writePrivateFile } from "./write-private-file.ts";

/** The lines of a `.env` file with these variables. Lines of other variables stay as they are. */
function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  const isOurs = (line: string) => {
    const [, name = ""] = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line) ?? [];
    return Object.hasOwn(variables, name);
  };
  const others = text.replace(/\n$/, "").split("\n");
  const lines = [
    ...(text === "" ? [] : others.filter((line) => !isOurs(line))),
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Writes variables into a `.env` file, whole or not at all: an error leaves the file as it was.
 *
 * @throws {CliError} `usage` if the file cannot be read or written.
 */
export async function writeEnvFile(
  path: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const before = existsSync(path) ? readFile(path).toString("utf8") : "";
  try {
    await writePrivateFile(path, withVariables(before, variables));
  } catch (error) {
    throw usageError(`--write: cannot write ${path}: ${(error as NodeJS.ErrnoException).code}.`);
  }
}
